/** The service that the routes share: the mocks, session state, and the JSON representation of mocks. */
import { basename } from 'node:path'
import { shownText } from 'svc/toolkit'
import type { FastifyRequest, Svc } from 'svc/plugin'
import { showReport, type Report } from '../check/report.ts'
import { managementError } from '../errors.ts'
import type { Json, JsonObject } from '../document/json.ts'
import type { DocumentTexts } from './document-text.ts'
import type { Mock, MockRecord } from './mock.ts'
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
  const { api, parts } = mock.live
  return {
    name: mock.name,
    title: api.document.title,
    api_version: api.document.apiVersion,
    openapi: api.document.openapi,
    source: mock.source,
    file: mock.file === null ? null : service.svc.config.publicMode ? basename(mock.file) : mock.file,
    managed: mock.isManaged,
    enabled: mock.enabled,
    version: mock.version,
    revision: mock.revision,
    modified: mock.record.modified,
    has_draft: mock.draft !== null,
    operations: api.operations.length,
    rules: parts.rules.length,
    overrides: parts.overrides.count,
    requests: await service.counts.total(mock.name),
    url: urlOf(service, request, mock.name),
    base_paths: parts.settings.basePath === 'auto' ? api.serverPaths : [parts.settings.basePath],
    validation: parts.settings.validation,
    security: parts.settings.security,
    deployed_at: mock.current?.deployedAt ?? null,
  }
}

/** The record of a mock; after a write, with the report of the check. */
export async function recordOf(
  service: Service,
  request: FastifyRequest,
  mock: Mock,
  report?: Report,
): Promise<JsonObject> {
  await service.counts.collect()
  const { document } = mock.live.api
  const info = document.root['info'] as JsonObject | undefined
  const summary = info?.['summary'] ?? info?.['description'] ?? ''
  return {
    ...(await summaryOf(service, request, mock)),
    ...mock.partsAsJson(),
    summary: typeof summary === 'string' ? summary.slice(0, 500) : '',
    warnings: tokenWarning(service, mock),
    ...(report ? { report: showReport(report) } : {}),
  }
}

/** Without the identity provider, access tokens are not verified. */
function tokenWarning({ svc }: Service, mock: Mock): Json[] {
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
