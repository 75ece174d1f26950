/** The plugin `mocks`: serves OpenAPI documents and GraphQL schemas as mock APIs. */
import { definePlugin } from 'svc/plugin'
import { registerIndex } from 'svc/toolkit'
import type {} from '../graphql/types.ts'
import type {} from '../import/types.ts'
import { openapiKind } from './import/kind.ts'
import { createSubgraphs } from './management/subgraphs.ts'
import { mockCommand } from './sources/command.ts'
import { registerRoutes } from './routes/routes.ts'
import { MOCKS_SECTION, type MocksSection } from './management/section.ts'
import { variables, type Variables } from './variables.ts'
import { startService } from './sources/start.ts'

export default definePlugin<MocksSection, Variables>({
  title: 'API mocks',
  description:
    'Serves any OpenAPI 3 or Swagger 2.0 document, or GraphQL schema, as a mock API, with examples or deterministic data, rules, overrides, validation, security and versions.',
  paths: ['/mock', '/_svc/mocks'],
  uses: ['identity', 'graphql', 'import'],
  section: 'mocks',
  options: MOCKS_SECTION,
  exposes: [
    'X-Svc-Mock',
    'X-Svc-Mock-Version',
    'X-Svc-Mock-Operation',
    'X-Svc-Mock-Source',
    'X-Svc-Mock-Violations',
    'X-Svc-Mock-Validation',
    'X-Svc-Mock-Error',
    'X-Svc-Mock-Callbacks',
  ],
  faultKinds: ['abort'],
  variables,
  categories: [{ name: 'API Mocks', rank: 210 }],
  command: mockCommand,
  async register(app, svc) {
    svc.use('import.kinds')?.register(openapiKind)
    registerIndex(app, svc, {
      path: '/mock',
      category: 'API Mocks',
      summary: 'List the endpoints of the mocks',
      links: { mocks: '/_svc/mocks' },
    })
    const service = await startService(svc)
    svc.offer('mocks.subgraphs', createSubgraphs(service.registry))
    registerRoutes(app, service)
  },
})
