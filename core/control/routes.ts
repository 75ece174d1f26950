/** All routes of the core. */
import type { FastifyInstance } from 'fastify'
import { registerControl } from './control.ts'
import { registerConnections } from './connections.ts'
import type { ControlDeps } from './deps.ts'
import { registerInstance } from './instance.ts'
import { registerKeysUsage } from './keys-usage.ts'
import { registerMetrics } from './metrics.ts'
import { registerControlOpenapi, registerOpenapi } from './openapi-routes.ts'
import { registerReplicas } from './replicas.ts'
import { registerReset } from './reset.ts'
import { registerRules } from './rules.ts'
import { registerScenarios } from './scenarios.ts'
import { registerUsage } from './usage.ts'
import { registerRequests } from './requests.ts'

/** Registers the routes of the core, which can't be disabled. */
export function registerCoreRoutes(app: FastifyInstance, deps: ControlDeps): void {
  registerInstance(app, deps)
  registerControl(app, deps)
  registerReplicas(app, deps)
  registerRequests(app, deps)
  registerConnections(app, deps)
  registerRules(app, deps)
  registerScenarios(app, deps)
  registerReset(app, deps)
  registerMetrics(app, deps)
  registerUsage(app, deps)
  registerKeysUsage(app, deps)
  registerControlOpenapi(app, deps)
  registerOpenapi(app, deps)
}
