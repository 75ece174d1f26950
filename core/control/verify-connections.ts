/** `POST /_svc/verify` with `connections`: whether the expected connections came. */
import type { ConnectionEntry } from '../contract/connections.ts'
import { HttpError } from '../contract/plugin.ts'
import type { Json, JsonObject } from '../contract/json.ts'
import {
  closestConnections,
  type ConnectionTests,
  failedConnectionTests,
  readConnectionTests,
} from '../inspector/connection-verification.ts'
import { readExpectation, readMarks } from '../inspector/verification-input.ts'
import type { Expectation } from '../inspector/verification.ts'
import { rejectUnknownKeys } from '../toolkit/input-problem.ts'
import { readOrProblems, showProblems } from '../toolkit/all-problems.ts'
import { selectConnections } from './connection-filters.ts'
import type { ControlDeps } from './deps.ts'
import { publicSessionRequired } from './request-filters.ts'
import { maxWaitMs } from './request-waits.ts'

const KEYS = ['connections', 'exactly', 'at_least', 'at_most', 'none', 'within_ms', 'settle_ms', 'since', 'session']
const MAX_IDS = 100

interface Wanted {
  tests: ConnectionTests
  expectation: Expectation
  session: string | undefined
  since: string | null
  withinMs: number
  settleMs: number
}

/** The result of a verification, and its status. */
export interface ConnectionsVerified {
  status: 200 | 409
  body: object
}

/** Throws 400 for a wrong verification. `session` is that of the request; the body may name another one. */
export async function verifyConnections(
  given: JsonObject,
  session: string | undefined,
  { config, connections, connectionWaits, inspector }: ControlDeps,
  signal: AbortSignal,
): Promise<ConnectionsVerified> {
  const wanted = read(given, session, { maxWithinMs: maxWaitMs(config.publicMode), inspector })
  if (config.publicMode && wanted.session === undefined) throw publicSessionRequired()
  const { tests, expectation } = wanted
  const { min, max } = expectation
  const startedAt = performance.now()
  let lookedAt: ConnectionEntry[] = []
  const select = async (): Promise<ConnectionEntry[]> => {
    lookedAt = await selectConnections(connections, {
      since: wanted.since,
      matches: entry => wanted.session === undefined || entry.session === wanted.session,
    })
    const found: ConnectionEntry[] = []
    await inspector.evaluations.run().each(lookedAt, (entry, steps) => {
      if (failedConnectionTests(tests, entry, steps).length === 0) found.push(entry)
    })
    return found
  }
  const isTooMany = (found: ConnectionEntry[]): boolean => max !== null && found.length > max
  let { selected } = await connectionWaits.until(
    select,
    found => isTooMany(found) || found.length >= (min ?? Infinity),
    { timeoutMs: wanted.withinMs, signal },
  )
  const leftMs = wanted.withinMs - (performance.now() - startedAt)
  // Nothing more may come after the exact number.
  if (max !== null && min !== null && !isTooMany(selected) && leftMs > 0)
    ({ selected } = await connectionWaits.until(select, isTooMany, {
      timeoutMs: Math.min(wanted.settleMs, leftMs),
      signal,
    }))
  const isVerified = !isTooMany(selected) && selected.length >= (min ?? 0)
  const ids = selected
    .toReversed()
    .slice(0, MAX_IDS)
    .map(({ id }) => id)
  const shared = {
    count: selected.length,
    expected: expectation.text,
    connections: ids,
    waited_ms: Math.round(performance.now() - startedAt),
  }
  if (isVerified) return { status: 200, body: { verified: true, ...shared } }
  const others = lookedAt.filter(entry => !selected.includes(entry))
  const closest = closestConnections(tests, isTooMany(selected) ? [] : others, inspector.evaluations.budget())
  const [nearest] = closest
  const message =
    `expected ${expectation.text} matching connections, found ${selected.length}` +
    (nearest === undefined
      ? ''
      : `; the closest is one of ${nearest.listener}, which differs in ${nearest.differences.map(({ at }) => at).join(', ')}`)
  return {
    status: 409,
    body: {
      verified: false,
      error: 'verification_failed',
      ...shared,
      looked_at: lookedAt.length,
      message,
      closest,
    },
  }
}

function read(
  body: JsonObject,
  session: string | undefined,
  { maxWithinMs, inspector }: { maxWithinMs: number; inspector: ControlDeps['inspector'] },
): Wanted {
  const result = readOrProblems(body, '', given => {
    rejectUnknownKeys(given as JsonObject, KEYS, '')
    const wanted = given as JsonObject
    return {
      tests: readConnectionTests(wanted.connections as Json, 'connections', inspector.evaluations.budget()),
      expectation: readExpectation(wanted),
      ...readMarks(wanted, session, maxWithinMs),
    }
  })
  if ('problems' in result)
    throw new HttpError(400, { error: 'invalid_verification', ...showProblems(result.problems) })
  return result.value
}
