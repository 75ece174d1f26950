/** `/_svc/rate-limits`: the domains and the counters. */
import { isUtf8 } from 'node:buffer'
import {
  describe,
  type FastifyInstance,
  type FastifyRequest,
  HttpError,
  type Json,
  type JsonObject,
  refusal,
  type RouteParameter,
  type StepBudget,
  type Svc,
} from 'svc/plugin'
import {
  INTEGER,
  isRecord,
  isTextNestedWithin,
  jsonReply,
  list as listOf,
  nullable,
  object,
  readOrProblem,
  RECORD,
  TEXT,
} from 'svc/toolkit'
import { type Domain, findLimit, type ListedLimit, readDomain } from '../config/domain.ts'
import {
  type Domains,
  type ListedDomain,
  MAX_DOMAIN_BYTES,
  MAX_OF_SESSION,
  MAX_STORED,
  type RateLimitOptions,
} from '../config/domains.ts'
import { type Counters, ownerOf } from '../counters.ts'
import type { Entry } from '../limit.ts'

const PATH = '/_svc/rate-limits'
const CATEGORY = 'Control Plane'
const MAX_DEPTH = 120
const NAME: RouteParameter = {
  name: 'domain',
  in: 'path',
  required: true,
  description: 'Name of the domain',
  schema: { type: 'string' },
}
const DOMAIN = object({
  domain: TEXT,
  source: TEXT,
  session: nullable(TEXT),
  file: nullable(TEXT),
  limits: listOf(RECORD),
})
const COUNTER = object({
  domain: TEXT,
  session: nullable(TEXT),
  entries: nullable(listOf(RECORD)),
  window_s: INTEGER,
  limit: nullable(INTEGER),
  count: INTEGER,
  resets_at: TEXT,
})
const EXAMPLE = JSON.stringify({
  descriptors: [{ key: 'client', rate_limit: { unit: 'minute', requests_per_unit: 5 } }],
})

export interface ControlParts {
  domains: Domains
  counters: Counters
}

export function registerControl(app: FastifyInstance, svc: Svc<RateLimitOptions>, parts: ControlParts): void {
  const { domains } = parts
  app.get(
    PATH,
    describe({
      summary: 'The domains of the rate-limit service, and its counters',
      description:
        'Those of the instance, and of the session if the request names one. In public mode only those of the session or the client.',
      category: CATEGORY,
      reply: jsonReply(object({ domains: listOf(DOMAIN), counters: listOf(COUNTER) }), 'RateLimits'),
      responses: {
        200: { description: '`domains` with their limits, and `counters` of the windows that have not ended' },
      },
      examples: [{ name: 'Limits and counters', path: PATH, expectStatus: 200 }],
    }),
    request => list(request, svc, parts),
  )
  app.put<{ Params: { domain: string } }>(
    `${PATH}/:domain`,
    describe({
      summary: 'Store the limits of a domain',
      description:
        'In the form of the reference service, as JSON; of the session, if the request names one, for a day. It applies in place of one of svc.yaml.',
      category: CATEGORY,
      parameters: [NAME],
      reply: jsonReply(DOMAIN, 'RateLimitDomain'),
      credentials: ['none', 'bearer', 'adminToken'],
      requestBody: { description: '`descriptors`', content: { 'application/json': {} } },
      responses: {
        200: { description: 'Replaced' },
        201: { description: 'Stored' },
        400: { description: '`invalid_rate_limit`; `at` names the place of the mistake' },
        401: { description: 'The admin token is missing or wrong, and no session is named' },
        429: { description: 'Too many domains' },
      },
      examples: [
        {
          name: 'Five a minute for each client',
          method: 'PUT',
          path: `${PATH}/shop`,
          body: EXAMPLE,
          bodyType: 'json',
          expectStatus: null,
        },
      ],
    }),
    async (request, reply) => {
      const session = writableSession(request, svc)
      const { domain: name } = request.params
      const document = readDocument(name, svc.http.body(request))
      const read = readOrProblem(() => readDomain(document, ''))
      if ('problem' in read) throw invalid(read.problem.details, read.problem.at)
      const isNew = await domains.put(name, session, JSON.stringify(document))
      if (isNew === null) throw tooMany(svc.config.publicMode)
      const listed: ListedDomain = { domain: read.value, source: 'api', session, file: null }
      return reply.code(isNew ? 201 : 200).send(shownDomain(listed))
    },
  )
  app.delete<{ Params: { domain: string } }>(
    `${PATH}/:domain`,
    describe({
      summary: 'Remove the stored limits of a domain',
      category: CATEGORY,
      parameters: [NAME],
      responses: { 204: { description: 'Removed' }, 404: { description: 'No such domain was stored' } },
      examples: [{ name: 'Remove limits', method: 'DELETE', path: `${PATH}/shop`, expectStatus: null }],
    }),
    async (request, reply) => {
      const session = writableSession(request, svc)
      if (await domains.remove(request.params.domain, session)) return reply.code(204).send()
      throw refusal(404, 'no_such_domain', 'no domain of this name was stored over HTTP')
    },
  )
}

async function list(request: FastifyRequest, svc: Svc<RateLimitOptions>, parts: ControlParts): Promise<JsonObject> {
  const { http, config, inspector } = svc
  const { key, header: session } = http.session(request)
  const showsAll = !config.publicMode || http.isAdmin(request)
  const listed = await parts.domains.list(session, showsAll)
  const found = await parts.counters.list(showsAll ? null : ownerOf(session, key, config.publicMode))
  const steps = svc.budgets.evaluation()
  const counters: Json[] = []
  for (const { owner, domain, entries, windowSecs, endsAt, count } of found) {
    const named = owner.startsWith(SESSION) ? owner.slice(SESSION.length) : null
    if (showsAll && named !== null && session !== null && named !== session) continue
    const of = applying(listed, domain, named)
    counters.push({
      domain,
      session: named,
      entries: entries?.map(entry => shownEntry(entry, inspector)) ?? null,
      window_s: windowSecs,
      limit: of === undefined || entries === null ? null : limitOf(of.domain, entries, windowSecs, steps),
      count,
      resets_at: new Date(endsAt * 1000).toISOString(),
    })
  }
  return { domains: listed.map(shownDomain), counters }
}

const SESSION = 'session:'

/** The domain that applies to the calls of a session. */
function applying(listed: readonly ListedDomain[], name: string, session: string | null): ListedDomain | undefined {
  const all = listed.filter(({ domain }) => domain.name === name)
  return all.find(one => session !== null && one.session === session) ?? all.find(one => one.session === null)
}

/** The requests of the configured limit; null if the limit came with the calls. */
function limitOf(domain: Domain, entries: readonly Entry[], windowSecs: number, steps: StepBudget): number | null {
  const found = findLimit(domain, entries, steps)
  return found !== null && found.limit.windowSecs === windowSecs ? found.limit.requestsPerUnit : null
}

/** The values of entries may be credentials. */
function shownEntry({ key, value }: Entry, inspector: Svc['inspector']): JsonObject {
  return { key, value: inspector.redactText(inspector.redactHeader(key, value)) }
}

function shownDomain({ domain, source, session, file }: ListedDomain): JsonObject {
  return { domain: domain.name, source, session, file, limits: domain.limits.map(shownLimit) }
}

function shownLimit({ entries, limit }: ListedLimit): JsonObject {
  const { requestsPerUnit, unit, name, isUnlimited, replaces, isShadow, isQuota } = limit
  return {
    entries: entries.map(({ key, value }): JsonObject => (value === undefined ? { key } : { key, value })),
    ...(isUnlimited ? { unlimited: true } : { requests_per_unit: requestsPerUnit, unit: unit!.toLowerCase() }),
    ...(name === '' ? {} : { name }),
    ...(replaces.length === 0 ? {} : { replaces: [...replaces] }),
    ...(isShadow ? { shadow_mode: true } : {}),
    ...(isQuota ? { quota_mode: true } : {}),
  }
}

/** Null: the instance, which needs the admin token. */
function writableSession(request: FastifyRequest, { http }: Pick<Svc, 'http'>): string | null {
  const { header } = http.session(request)
  if (header === null) http.guardAdmin(request)
  return header
}

function readDocument(name: string, body: Buffer): JsonObject {
  if (body.length > MAX_DOMAIN_BYTES) throw invalid(`expected at most ${MAX_DOMAIN_BYTES} bytes`, '')
  const text = isUtf8(body) ? body.toString() : ''
  if (!isTextNestedWithin(text, MAX_DEPTH)) throw invalid(`nested more than ${MAX_DEPTH} levels deep`, '')
  let given: unknown
  try {
    given = JSON.parse(text)
  } catch {
    throw invalid('expected a JSON object with descriptors', '')
  }
  if (!isRecord(given)) throw invalid('expected a JSON object with descriptors', '')
  if (given.domain !== undefined && given.domain !== name)
    throw invalid('expected the name in the path, or no domain', 'domain')
  return { ...(given as JsonObject), domain: name }
}

function invalid(details: string, at: string): HttpError {
  return new HttpError(400, { error: 'invalid_rate_limit', at, details })
}

function tooMany(isPublic: boolean): HttpError {
  return new HttpError(429, {
    error: 'too_many_rate_limits',
    details: isPublic
      ? `at most ${MAX_STORED.public} domains, and ${MAX_OF_SESSION} of a session`
      : `at most ${MAX_STORED.normal} domains`,
  })
}
