/** Connections: reuse, closing, slow heads, latency. */
import { defineCheck, fail, note, pass, skip, warn } from '../../catalog/check.ts'
import type { Call, Evidence } from '../../client/evidence.ts'
import type { RequestSpec } from '../../client/request.ts'
import { each, one, rfc } from '../builders.ts'
import { HEADERS_CHECK } from './head-limits.ts'

const CLOSE_MS = 5_000
const SMALL = 'x'.repeat(80)
const PAIRS = 200

/** Times from the last byte of the request to the last of the answer. */
function times(evidence: Evidence): number[] {
  return evidence.calls
    .filter(({ response }) => response?.isComplete === true)
    .map(({ record, response }) => response!.endAtMs - record.sentAtMs)
    .toSorted((a, b) => a - b)
}

function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}

export const REUSE_CHECKS = [
  defineCheck({
    id: 'CON-REUSE',
    title: 'Connections are reused',
    group: 'connections',
    since: '2026.1',
    level: 'observation',
    impact: 'high',
    sources: rfc(9112, '9.3'),
    when: { alone: true },
    page: {
      sent: 'Ten GET on one connection, and ten on ten connections.',
      expected: 'How many connections to the upstream are used is reported; each gets its own answer.',
      why: 'A connection for each request costs time and ports.',
    },
    plan: () => ({
      inOrder: true,
      connections: [
        { requests: Array.from({ length: 10 }, () => ({})) },
        ...Array.from({ length: 10 }, () => ({ requests: [{}] })),
      ],
    }),
    judge(evidence) {
      const wrong = evidence.calls.filter(
        call => call.response?.isComplete === true && call.status === 200 && !call.isOurs,
      )
      if (wrong.length > 0) return fail('an answer belongs to another request')
      const arrivals = evidence.calls.flatMap(call => call.arrivals)
      const connections = new Set(arrivals.map(({ record }) => record.connection)).size
      const kept = evidence.exchanges[0]!.calls.filter(({ response }) => response !== null).length
      const values = { upstream_connections: connections, requests: arrivals.length, on_one_client_connection: kept }
      return note(
        `${arrivals.length} requests over ${connections} upstream connections; ${kept} of 10 answered on one client connection`,
        values,
      )
    },
  }),
  defineCheck({
    id: 'CON-CLOSE',
    title: 'Connection: close',
    group: 'connections',
    since: '2026.1',
    level: 'must',
    sources: rfc(9112, '9.6'),
    page: {
      sent: 'A GET with Connection: close; the client keeps its side open.',
      expected: 'The gateway closes the connection within 5 s, and says so in the answer.',
      why: 'A client that waits for the end waits in vain.',
    },
    plan: () => one({ fields: [['Connection', 'close']] }, { watchMs: CLOSE_MS }),
    judge({ first }) {
      if (first.exchange.ended === null) return fail('the connection was still open 5 s after the answer')
      const says = first.values('connection').some(value => /\bclose\b/i.test(value))
      return says ? pass() : warn('closed, but the answer has no Connection: close')
    },
  }),
  HEADERS_CHECK,
  defineCheck({
    id: 'CON-SLOW-HEAD',
    title: 'Slow request head',
    group: 'connections',
    since: '2026.1',
    level: 'timing',
    sources: [],
    when: { waits: true, judgesRefusal: true },
    page: {
      sent: 'A head of which a byte is sent each 500 ms, for 15 s (with --slow 70 s).',
      expected: 'When the gateway gives up is reported.',
      why: 'Many such connections use up a gateway.',
    },
    plan: ({ isSlow }) =>
      one({
        isValid: false,
        timeoutMs: 2_000,
        rawFields: 'X-Probe-Slow: s',
        parts: () => [
          ...Array.from({ length: isSlow ? 140 : 30 }, () => [Buffer.from('s'), { waitMs: 500 }]).flat(),
          Buffer.from('\r\n\r\n'),
        ],
      }),
    judge({ first }, { isSlow }) {
      const { exchange, record } = first
      const watched = isSlow ? 70 : 15
      if (exchange.ended === null || first.isOurs) return note(`not cut within ${watched} s`)
      const after = Math.round((exchange.endedMs! - record.sentAtMs) / 100) / 10
      return note(`cut after ${after} s${first.status === null ? '' : ` with ${first.status}`}`, {
        after_s: after,
        status: first.status,
      })
    },
  }),
  defineCheck({
    id: 'CON-LATENCY',
    title: 'Cost',
    group: 'connections',
    since: '2026.1',
    level: 'timing',
    sources: [],
    when: { alone: true, comparesDirect: true },
    page: {
      sent: `${PAIRS} GET straight to the upstream and as many through the gateway, one and ten at a time.`,
      expected: 'What the gateway adds is reported.',
      why: 'It is paid with each request.',
    },
    plan: () => ({
      inOrder: true,
      connections: [
        { requests: Array.from({ length: PAIRS }, (): RequestSpec => ({ fields: [['X-Probe-Pad', SMALL]] })) },
      ],
    }),
    judge(evidence, _facts, direct) {
      const through = times(evidence)
      const straight = direct === null ? [] : times(direct)
      if (straight.length === 0 || through.length < PAIRS / 2)
        return skip(`only ${through.length} of ${PAIRS} requests were answered on one connection`)
      const added = (share: number): number =>
        Math.round((quantile(through, share) - quantile(straight, share)) * 100) / 100
      const values = {
        p50_added_ms: added(0.5),
        p99_added_ms: added(0.99),
        ratio: Math.round((quantile(through, 0.5) / quantile(straight, 0.5)) * 10) / 10,
      }
      return note(`adds ${values.p50_added_ms} ms (p50), ${values.p99_added_ms} ms (p99)`, values)
    },
  }),
  defineCheck({
    id: 'CON-LOOP',
    title: 'Loops',
    group: 'connections',
    since: '2026.1',
    level: 'hazard',
    sources: rfc(9110, '7.6'),
    when: { judgesRefusal: true },
    page: {
      sent: "Via with the gateway's own pseudonym, once and twenty times.",
      expected: 'A message that has passed twenty times is refused.',
      why: 'A loop takes all connections of a gateway.',
    },
    plan: ({ viaPseudonym }) =>
      each(
        [1, 20].map(count => ({
          label: String(count),
          fields: [['Via', Array.from({ length: count }, () => `1.1 ${viaPseudonym ?? 'probe'}`).join(', ')]],
        })),
      ),
    judge(evidence, { viaPseudonym }) {
      if (viaPseudonym === null) return skip('the gateway has no pseudonym: no Via was seen')
      const call: Call = evidence.call('20')
      return call.count === 0
        ? pass(`refused: ${call.status ?? 'closed'}`)
        : note('a message that passed twenty times is forwarded')
    },
  }),
]
