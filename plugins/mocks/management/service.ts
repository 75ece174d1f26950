/** The service that the routes share: the mocks, session state, and the JSON representation of mocks. */
import { basename } from 'node:path'
import { shownText } from 'svc/toolkit'
import type { FastifyRequest, Svc } from 'svc/plugin'
import { showReport, type Report } from '../check/report.ts'
import { managementError } from '../errors.ts'
import type { Json, JsonObject } from '../document/json.ts'
import type { DocumentTexts } from './document-text.ts'
import { factsOf, type CompiledLive } from './live.ts'
import { isApiMock, type Mock, type MockRecord } from './mock.ts'
import { unknownMock, type MockStore } from './mock-store.ts'
import type { Registry } from './registry.ts'
import type { CallbackDelivery } from '../exchange/callback-delivery.ts'
import type { MocksSection } from './section.ts'
import type { RequestCounts } from '../exchange/request-counts.ts'
import type { SessionMemories } from '../exchange/session-memory.ts'
import type { Traffic } from '../exchange/traffic.ts'
import type { Variables } from '../variables.ts'

export interface Service {
  svc: Svc<MocksSection, Variables>
  registry: Registry
  mocks: MockStore
  memories: SessionMemories
  traffic: Traffic
  counts: RequestCounts
  texts: DocumentTexts
  callbacks: CallbackDelivery
}

/** Finds a mock by name. Throws `unknown_mock`. */
export function requireMock({ registry }: Service, name: string): Mock {
  const mock = registry.get(name)
  if (!mock) throw unknownMock(name, registry.names())
  return mock
}

/** Rejects changes of mocks that are defined in files. Throws `managed`. */
export function refuseManaged(mock: Mock): void {
  if (mock.isManaged)
    throw managementError(
      'managed',
      `the mock "${mock.name}" is managed by the source "${mock.source}"; change it there`,
      {
        source: mock.source,
      },
    )
}

/** Compares `If-Match` (RFC 9110, 13.1.1) with the revision. Throws `revision_mismatch`. */
export function checkRevision(request: FastifyRequest, { revision }: Pick<MockRecord, 'revision'>): void {
  const expected = request.headers['if-match']
  if (expected === undefined || expected.trim() === '*') return
  const tags = expected.split(',').map(tag => tag.trim())
  if (!tags.includes(`"${revision}"`))
    throw managementError('revision_mismatch', `If-Match does not match the current revision ${revision}`, {
      revision,
    })
}

/** The URL of a mock, as the client sees it. */
export function urlOf({ svc }: Service, request: FastifyRequest, name: string): string {
  return svc.http.url(request, `/mock/${name}`)
}

/** The entry of a mock in the list. `counts.collect` makes the counts exact. */
export async function summaryOf(service: Service, request: FastifyRequest, mock: Mock): Promise<JsonObject> {
  const { live } = mock
  const { title, apiVersion, operations } = factsOf(live)
  return {
    name: mock.name,
    kind: live.kind,
    title,
    api_version: apiVersion,
    ...(live.kind === 'graphql' ? { federated: live.graph.isFederated } : { openapi: live.api.document.openapi }),
    source: mock.source,
    file: mock.file === null ? null : service.svc.config.publicMode ? basename(mock.file) : mock.file,
    managed: mock.isManaged,
    enabled: mock.enabled,
    version: mock.version,
    revision: mock.revision,
    modified: mock.record.modified,
    has_draft: mock.draft !== null,
    operations: operations.length,
    rules: live.parts.rules.length,
    overrides: live.parts.overrides.count,
    requests: await service.counts.total(mock.name),
    url: urlOf(service, request, mock.name),
    ...apiFacts(live),
    deployed_at: mock.current?.deployedAt ?? null,
  }
}

function apiFacts(live: CompiledLive): JsonObject {
  if (live.kind === 'graphql') return {}
  const { basePath, validation, security } = live.parts.settings
  return { base_paths: basePath === 'auto' ? live.api.serverPaths : [basePath], validation, security }
}

/** The record of a mock; after a write, with the report of the check. */
export async function recordOf(
  service: Service,
  request: FastifyRequest,
  mock: Mock,
  report?: Report,
): Promise<JsonObject> {
  await service.counts.collect()
  const summary = summaryTextOf(mock.live)
  return {
    ...(await summaryOf(service, request, mock)),
    ...mock.partsAsJson(),
    summary: typeof summary === 'string' ? summary.slice(0, 500) : '',
    warnings: tokenWarning(service, mock),
    ...(report ? { report: showReport(report) } : {}),
  }
}

function summaryTextOf(live: CompiledLive): Json {
  if (live.kind === 'graphql') return live.graph.source.schema.description ?? ''
  const info = live.api.document.root['info'] as JsonObject | undefined
  return info?.['summary'] ?? info?.['description'] ?? ''
}

/** Without the identity provider, access tokens are not verified. */
function tokenWarning({ svc }: Service, mock: Mock): Json[] {
  if (!isApiMock(mock)) return []
  const schemes = Object.values(
    (mock.live.api.document.root['components'] as JsonObject | undefined)?.['securitySchemes'] ?? {},
  ) as unknown[]
  const usesTokens = schemes.some(scheme =>
    ['oauth2', 'openIdConnect'].includes(shownText((scheme as JsonObject | null)?.['type'])),
  )
  return usesTokens && !svc.use('identity.tokens')
    ? ['the plugin "identity" is disabled: any access token is accepted']
    : []
}
