/** All routes of the mocks: the mocked APIs, and the management API. */
import type { FastifyInstance } from 'svc/plugin'
import { registerOverrides } from './overrides.ts'
import { registerRules } from './rules.ts'
import { registerSettings } from './settings.ts'
import { registerDocuments } from './documents.ts'
import { registerMocks } from './mocks.ts'
import { registerServe } from './serve.ts'
import { registerTraffic } from './traffic.ts'
import { registerVersions } from './versions.ts'
import type { Service } from '../management/service.ts'

export function registerRoutes(app: FastifyInstance, service: Service): void {
  registerServe(app, service)
  void app.register(async management => {
    // Reads need no credentials; every write passes the admin guard.
    management.addHook('preHandler', async request => {
      if (request.method !== 'GET' && request.method !== 'HEAD') service.svc.http.guardAdmin(request)
    })
    registerMocks(management, service)
    registerDocuments(management, service)
    registerVersions(management, service)
    registerSettings(management, service)
    registerOverrides(management, service)
    registerRules(management, service)
    registerTraffic(management, service)
  })
}
