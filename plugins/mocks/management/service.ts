/** The service that the routes share: the mocks, session state, and the JSON representation of mocks. */
import { basename } from 'node:path'
import { shownText } from 'svc/plugin'
import type { FastifyRequest, Svc } from 'svc/plugin'
import { showReport, type Report } from '../check/report.ts'
import { managementError } from '../errors.ts'
import type { Json, JsonObject } from '../document/json.ts'
import type { Mock } from './mock.ts'
import type { Registry } from './registry.ts'
import type { MocksSection } from '../sources/section.ts'
import type { SessionMemories } from '../exchange/session-memory.ts'
import type { Variables } from '../variables.ts'

export interface Service {
  svc: Svc<MocksSection, Variables>
  registry: Registry
  memories: SessionMemories
}

/** Finds a mock by name. Throws `unknown_mock`. */
export function requireMock({ registry }: Service, name: string): Mock {
  const mock = registry.get(name)
  if (!mock)
    throw managementError('unknown_mock', `there is no mock "${name.slice(0, 80)}"`, {
      name: name.slice(0, 80),
      mocks: registry.names(),
    })
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
export function checkRevision(request: FastifyRequest, mock: Mock): void {
  const expected = request.headers['if-match']
  if (expected === undefined || expected.trim() === '*') return
  const tags = expected.split(',').map(tag => tag.trim())
  if (!tags.includes(`"${mock.revision}"`))
    throw managementError('revision_mismatch', `If-Match does not match the current revision ${mock.revision}`, {
      revision: mock.revision,
    })
}

/** The URL of a mock, as the client sees it. */
export function urlOf({ svc }: Service, request: FastifyRequest, name: string): string {
  return svc.http.url(request, `/mock/${name}`)
}

/** The entry of a mock in the list. */
export function summaryOf(service: Service, request: FastifyRequest, mock: Mock): JsonObject {
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
    modified: mock.modified,
    has_draft: mock.draft !== null,
    operations: api.operations.length,
    rules: parts.rules.length,
    overrides: parts.overrides.count,
    requests: requestsOf(mock),
    url: urlOf(service, request, mock.name),
    base_paths: parts.settings.basePath === 'auto' ? api.serverPaths : [parts.settings.basePath],
    validation: parts.settings.validation,
    security: parts.settings.security,
    deployed_at: mock.current?.deployedAt ?? null,
  }
}

function requestsOf(mock: Mock): number {
  let count = 0
  for (const requests of mock.requests.values()) count += requests
  return count
}

/** The record of a mock; after a write, with the report of the check. */
export function recordOf(service: Service, request: FastifyRequest, mock: Mock, report?: Report): JsonObject {
  const { document } = mock.live.api
  const info = document.root['info'] as JsonObject | undefined
  const summary = info?.['summary'] ?? info?.['description'] ?? ''
  return {
    ...summaryOf(service, request, mock),
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
