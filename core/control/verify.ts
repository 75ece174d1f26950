/** `POST /_svc/verify`: whether the expected requests came. */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { describe, HttpError, type JsonSchema, type RouteExample, type RouteDescription } from '../contract/plugin.ts'
import { isTextNestedWithin } from '../toolkit/json-depth.ts'
import { Subjects } from '../inspector/subjects.ts'
import {
  closestRequests,
  createVerifier,
  type ClosestRequest,
  type VerificationResult,
  type Verification,
} from '../inspector/verification.ts'
import { readVerification, type RecordVerification } from '../inspector/verification-input.ts'
import { typed } from '../toolkit/reply-schemas.ts'
import { readOrProblems, showProblems } from '../toolkit/all-problems.ts'
import type { VerifiedRecords } from '../contract/testing.ts'
import type { ControlDeps } from './deps.ts'
import { requireCaptures } from './load-mode.ts'
import { publicSessionRequired, rejectUnknownFilters, SESSION } from './request-filters.ts'
import { scopeOf } from './request-scope.ts'
import { maxWaitMs, orRefuse } from './request-waits.ts'
import { SVC_VERIFY_POST, VERIFICATION_FAILED } from './reply-schemas/inspection.ts'
import { connectionRecords } from './verify-connections.ts'
import { readRecords, recordsIn, verifyRecords } from './verify-records.ts'

const MAX_DEPTH = 160

const COUNT: JsonSchema = { type: 'integer', minimum: 0, maximum: 1_000_000 }
const MATCH = typed('RequestMatch', {
  type: 'object',
  description: 'Conditions, as `match` of a rule, and of the response',
})
/** For documentation. The body is read by code. */
const VERIFICATION_SCHEMA: JsonSchema = {
  title: 'Verification',
  type: 'object',
  properties: {
    match: MATCH,
    connections: {
      type: 'object',
      description:
        'In place of `match`: conditions on connections of TCP and UDP listeners, as value tests of `listener`, `kind`, `end`, `client_ip`, `session`, `sni`, `data`, `bytes`, `fault`',
    },
    exactly: COUNT,
    at_least: COUNT,
    at_most: COUNT,
    none: { type: 'boolean', description: 'No request may match' },
    order: { type: 'array', minItems: 2, maxItems: 20, items: MATCH, description: 'Requests in this order' },
    strict: { type: 'boolean', description: 'With `order`: no other request between them' },
    within_ms: { type: 'integer', minimum: 0, maximum: 30_000, description: 'How long to wait for the requests' },
    settle_ms: { type: 'integer', minimum: 0, maximum: 10_000, description: 'How long to watch for surplus requests' },
    since: { type: 'string', description: 'Id of an entry, or a time (RFC 3339): only what came after' },
    session: { type: 'string', description: 'Only requests of this session' },
  },
}

function example(name: string, body: object): RouteExample {
  return {
    name,
    method: 'POST',
    path: '/_svc/verify?session=demo',
    headers: [{ name: 'Content-Type', value: 'application/json' }],
    body: JSON.stringify(body),
    bodyType: 'json',
  }
}

const verifyDescription: RouteDescription = {
  summary: 'Verify which requests came',
  reply: SVC_VERIFY_POST,
  description:
    'Counts the captured requests that meet a match, or looks for an order of them, and waits for them if `within_ms` is set. It changes nothing.',
  category: 'Control Plane',
  parameters: [
    { ...SESSION, description: 'Only requests of this session. Default: the session of the request.' },
    {
      name: 'scope',
      in: 'query',
      description: '`instance`: requests of all sessions, whatever session the request has.',
      schema: { enum: ['session', 'instance'] },
    },
  ],
  requestBody: { content: { 'application/json': VERIFICATION_SCHEMA } },
  responses: {
    200: { description: 'They came as expected.' },
    400: {
      description:
        'The verification is wrong: `at` names the place of the first mistake. Or its conditions take too many steps (`too_expensive`).',
    },
    409: {
      description:
        'They did not: `message` and `closest` say why. In load mode, nothing is known (`nothing_captured`).',
      content: VERIFICATION_FAILED,
    },
    503: { description: 'Too many waits are open.' },
  },
  examples: [
    { ...example('No request failed', { match: { status: { gte: 500 } }, none: true }), expectStatus: 200 },
    { ...example('A request that did not come', { match: { path: '/never' } }), expectStatus: 409 },
  ],
}

export function registerVerify(app: FastifyInstance, deps: ControlDeps): void {
  app.post('/_svc/verify', describe(verifyDescription), async (request, reply) => {
    const body = parseBody(deps.http.body(request))
    const records = recordsIn(body, [connectionRecords(deps), ...deps.rules.verificationsOf(request)])
    if (records !== undefined) {
      const { isVerified, answer } = await verifyRecords(
        readRecordsRequest(request, body, records, deps),
        deps.http.signal(request),
      )
      return reply.code(isVerified ? 200 : 409).send(answer)
    }
    const verification = readRequest(request, body, deps)
    requireCaptures(deps.config)
    const { inspector } = deps
    const verifier = createVerifier(verification)
    const waitedMs = await orRefuse(() => inspector.wait(verifier, verification.withinMs, deps.http.signal(request)))
    const result = verifier.result()
    const dropped = await inspector.dropped(verification.session, verification.since)
    if (result.isVerified) return success(result, waitedMs, dropped)
    const closest = result.lacking === null ? [] : await findClosest(deps, verification, result.lacking)
    return reply.code(409).send({
      verified: false,
      error: 'verification_failed',
      expected: result.expected,
      count: result.count,
      looked_at: result.lookedAt,
      waited_ms: waitedMs,
      message: messageOf(result, closest, dropped),
      ...(result.lacking?.index == null ? {} : { missing: result.lacking.index }),
      requests: result.ids,
      closest,
      ...shownDropped(dropped),
    })
  })
}

function success({ expected, count, ids, isBounded }: VerificationResult, waitedMs: number, dropped: number): object {
  return {
    verified: true,
    count,
    expected,
    requests: ids,
    waited_ms: waitedMs,
    ...shownDropped(dropped),
    ...(dropped > 0 && isBounded
      ? { message: `${dropped} older requests are no longer stored, so more may have come` }
      : {}),
  }
}

function shownDropped(dropped: number): { dropped?: number } {
  return dropped === 0 ? {} : { dropped }
}

function readRecordsRequest(
  request: FastifyRequest,
  body: unknown,
  records: VerifiedRecords,
  { config, http }: ControlDeps,
): RecordVerification {
  rejectUnknownFilters(request, ['session', 'scope'])
  const session = scopeOf(request, { http }) ?? undefined
  const verification = readRecords(body, records, { session, maxWithinMs: maxWaitMs(config.publicMode) })
  if (config.publicMode && verification.session === undefined) throw publicSessionRequired()
  return verification
}

function readRequest(
  request: FastifyRequest,
  body: unknown,
  { config, http, inspector, protocols }: ControlDeps,
): Verification {
  rejectUnknownFilters(request, ['session', 'scope'])
  const session = scopeOf(request, { http }) ?? undefined
  const checks = inspector.evaluations.budget()
  const read = readOrProblems(body, '', given =>
    readVerification(given, session, {
      match: { protocols: protocols(request), maxTests: config.publicMode ? 20 : 50, isFilter: true, checks },
      maxWithinMs: maxWaitMs(config.publicMode),
    }),
  )
  if ('problems' in read) throw new HttpError(400, { error: 'invalid_verification', ...showProblems(read.problems) })
  if (config.publicMode && read.value.session === undefined) throw publicSessionRequired()
  return read.value
}

function parseBody(body: Buffer): unknown {
  const text = body.toString()
  if (!isTextNestedWithin(text, MAX_DEPTH))
    throw new HttpError(400, { error: 'invalid_json', details: `at most ${MAX_DEPTH} levels are allowed` })
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new HttpError(400, { error: 'invalid_json', details: (error as SyntaxError).message })
  }
}

async function findClosest(
  { inspector }: ControlDeps,
  verification: Verification,
  lacking: NonNullable<VerificationResult['lacking']>,
): Promise<ClosestRequest[]> {
  const subjects = new Subjects()
  const captured = await inspector.select({ session: verification.session, conditions: [] })
  for (const one of captured) subjects.add(one)
  return closestRequests(verification, lacking, { captured, subjects, run: inspector.evaluations.run() })
}

function messageOf({ message }: VerificationResult, [closest]: readonly ClosestRequest[], dropped: number): string {
  const places = closest?.differences.slice(0, 5).map(({ at }) => at)
  const nearest =
    closest === undefined
      ? ''
      : `; the closest is ${closest.method} ${closest.uri.slice(0, 200)}, which differs in ${places!.join(', ')}`
  const gone = dropped === 0 ? '' : `; ${dropped} older requests are no longer stored`
  return message + nearest + gone
}
