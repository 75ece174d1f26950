/** Connections in HTTP/2: many streams at once, and streams that the upstream refuses. */
import { BOTH, defineCheck, note, pass, skip, warn, worst, type Verdict } from '../../catalog/check.ts'
import type { RequestSpec } from '../../client/request.ts'
import { answers, probeBody, RECEIVE, RESET, rfc, wait, type Action } from '../builders.ts'

const STREAMS = [100, 250]
/** Long enough for all streams to be open at once. */
const ANSWER_MS = 400
const REFUSED_STREAM = 7

/** A POST that the upstream does not answer; repeated, it is answered. */
const failing = (label: string, script: Action[]): RequestSpec => ({
  label,
  method: 'POST',
  body: 'probe',
  isValid: false,
  http2: true,
  script: () => script,
  next: step => answers({ body: probeBody(step) }),
})

export const HTTP2_CONNECTION_CHECKS = [
  defineCheck({
    id: 'CON-H2-STREAMS',
    title: 'Many streams at once',
    group: 'connections',
    protocols: ['2'],
    since: '2026.1',
    level: 'observation',
    sources: rfc(9113, '5.1.2'),
    when: { alone: true, judgesRefusal: true },
    page: {
      sent: '100 requests at once on one connection in HTTP/2, then 250.',
      expected: 'No stream below the limit that the gateway announced is refused.',
      why: 'A browser sends all requests of a page at once.',
    },
    plan: () => ({
      inOrder: true,
      connections: STREAMS.map(count => ({
        requests: Array.from({ length: count }, (_, index) => ({
          label: `${count} ${index}`,
          isPipelined: true,
          script: (step: number) => [RECEIVE, wait(ANSWER_MS), ...answers({ body: probeBody(step), isRead: false })],
        })),
      })),
    }),
    judge(evidence) {
      const values: Record<string, unknown> = { announced: evidence.exchanges[0]!.record.announcedStreams }
      const found: Verdict[] = []
      for (const [index, { calls }] of evidence.exchanges.entries()) {
        const refused = calls.filter(({ record }) => record.http2!.errorCode === REFUSED_STREAM).length
        const answered = calls.filter(call => call.status === 200 && call.isOurs).length
        const connections = new Set(calls.flatMap(call => call.arrivals.map(({ record }) => record.connection))).size
        const count = STREAMS[index]!
        values[`${count} streams`] = { answered, refused, upstream_connections: connections }
        if (refused > 0) found.push(warn(`${refused} of ${count} streams were refused below the announced limit`))
        else if (answered < count) found.push(note(`${answered} of ${count} streams were answered`))
        else found.push(note(`${count} streams over ${connections} upstream connections`))
      }
      const chosen = worst(found)
      return { ...chosen, values }
    },
  }),
  defineCheck({
    id: 'CON-H2-GOAWAY',
    title: 'Streams that the upstream refuses',
    group: 'connections',
    protocols: BOTH,
    since: '2026.1',
    level: 'other-spec',
    impact: 'medium',
    sources: rfc(9113, '8.7'),
    when: { alone: true, breaks: true, counts: true, judgesRefusal: true },
    page: {
      sent: 'POST requests that an upstream in HTTP/2 answers with GOAWAY, RST_STREAM, and REFUSED_STREAM.',
      expected: 'Only the request that was refused may be sent again.',
      why: 'A POST that was processed and is sent again orders twice.',
    },
    plan: () => ({
      inOrder: true,
      connections: [
        failing('GOAWAY', [RECEIVE, { do: 'goaway', refused: false }]),
        failing('RST_STREAM', [RECEIVE, RESET]),
        failing('REFUSED_STREAM', [{ do: 'refuse' }]),
      ].map(request => ({ requests: [request] })),
    }),
    judge(evidence) {
      const spoken = evidence.calls.flatMap(call => call.arrivals.map(({ record }) => record.protocol))
      if (!spoken.includes('2')) return skip('upstream not spoken to in HTTP/2')
      const arrivals = Object.fromEntries(evidence.calls.map(({ label, count }) => [label, count]))
      const repeated = evidence.calls.filter(({ label, count }) => label !== 'REFUSED_STREAM' && count > 1)
      if (repeated.length > 0)
        return warn(`a POST that was not refused is repeated after ${repeated.map(({ label }) => label).join(', ')}`, {
          arrivals,
        })
      return arrivals.REFUSED_STREAM === 1
        ? note('a refused POST is not repeated', { arrivals })
        : pass('', { arrivals })
    },
  }),
]
