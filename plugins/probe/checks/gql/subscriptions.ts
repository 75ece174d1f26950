/** Subscriptions through the gateway. */
import { fail, note, pass, skip, warn, type Check } from '../../catalog/check.ts'
import type { Call, Evidence } from '../../client/evidence.ts'
import type { Part, RequestSpec } from '../../client/request.ts'
import { closeFrame, encodeFrame, OPCODE } from '../../client/websocket-frames.ts'
import { answerOf, dataDifference, saidBy } from './answers.ts'
import { fetchesAt } from './fetches.ts'
import { graphCheck, type GraphContext, type GraphStep } from './graph-check.ts'
import { eventResults, messageResults, messagesIn, partResults, type StreamResults } from './stream-results.ts'

const TRANSPORTS = ['events', 'multipart'] as const
const ACCEPTS = { events: 'text/event-stream', multipart: 'multipart/mixed;subscriptionSpec=1.0' } as const
const REPLY_MS = 10_000
/** The client leaves as soon as two events have come; only a gateway that sends none takes this long. */
const WATCHED_MS = 20_000

const subscription = (count: number, intervalMs: number, fields: string): string =>
  `subscription { reviewAdded(count: ${count}, intervalMs: ${intervalMs}) { ${fields} } }`

const JOINED_FIELDS = 'id rating product { name }'
const JOINED = [
  { reviewAdded: { id: 'r1', rating: 5, product: { name: 'Mechanical Keyboard' } } },
  { reviewAdded: { id: 'r2', rating: 4, product: { name: 'Mechanical Keyboard' } } },
  { reviewAdded: { id: 'r3', rating: 5, product: { name: 'Espresso Machine' } } },
]

const streamStep = (
  transport: (typeof TRANSPORTS)[number],
  query: string,
  more: Partial<GraphStep> = {},
): GraphStep => ({
  label: transport,
  query,
  fields: [['Accept', ACCEPTS[transport]]],
  ...more,
})

function resultsOf(call: Call): StreamResults | null {
  const [transport] = call.label.split(',', 1)
  return transport === 'events'
    ? eventResults(call)
    : transport === 'multipart'
      ? partResults(call)
      : messageResults(call)
}

const offered = (evidence: Evidence): Call[] => evidence.calls.filter(call => resultsOf(call) !== null)

function notOffered(evidence: Evidence): string {
  const { status } = evidence.first
  return `subscriptions are not offered over HTTP: ${status === 200 ? saidBy(answerOf(evidence.first)) : (status ?? 'no status came back')}`
}

const HANDSHAKE: RequestSpec['fields'] = [
  ['Upgrade', 'websocket'],
  ['Connection', 'Upgrade'],
  ['Sec-WebSocket-Key', 'c3ZjIHByb2JlIGtleSAxMg=='],
  ['Sec-WebSocket-Version', '13'],
  ['Sec-WebSocket-Protocol', 'graphql-transport-ws'],
]
const text = (message: object): Buffer => encodeFrame(OPCODE.text, JSON.stringify(message), { isMasked: true })

/** Sends bytes once a message of this type has come. */
const after = (type: string, bytes: Buffer): Part => ({
  timeoutMs: REPLY_MS,
  reply(received) {
    const end = received.indexOf('\r\n\r\n')
    if (end === -1) return null
    return messagesIn(received.subarray(end + 4)).some(message => message.type === type) ? bytes : null
  },
})

function webSocketStep(query: string): GraphStep {
  return {
    label: 'websocket',
    query,
    connection: { route: 'gql.ws' },
    more: {
      method: 'GET',
      fields: HANDSHAKE,
      parts: () => [
        { untilAnswer: true, timeoutMs: REPLY_MS },
        text({ type: 'connection_init', payload: {} }),
        after('connection_ack', text({ id: '1', type: 'subscribe', payload: { query } })),
        after('complete', closeFrame(1000, '', true)),
      ],
    },
  }
}

const hasSockets = ({ routes }: GraphContext): boolean => routes.has('gql.ws')

export const GQL_SUB_OPEN = graphCheck({
  id: 'GQL-SUB-OPEN',
  title: 'Subscriptions',
  level: 'integrity',
  page: {
    sent: 'A subscription with a field of another subgraph, as events, as multipart, and over the WebSocket of `gql.ws`.',
    expected: 'Three events with the demo data, then the end.',
    why: 'Events that are lost, or whose joined fields are null, look to clients like data that never were.',
  },
  steps: context => {
    const query = subscription(3, 100, JOINED_FIELDS)
    return [
      ...TRANSPORTS.map(transport => streamStep(transport, query)),
      ...(hasSockets(context) ? [webSocketStep(query)] : []),
    ]
  },
  judge(evidence) {
    const calls = offered(evidence)
    if (calls.length === 0) return skip(notOffered(evidence))
    const found = calls.flatMap(call => {
      const { results } = resultsOf(call)!
      const difference = dataDifference(
        JOINED,
        results.map(({ data }) => data),
        'events',
      )
      if (difference === null) return []
      return [
        `${call.label}: ${difference.path} is ${JSON.stringify(difference.got) ?? 'missing'}, not ${JSON.stringify(difference.expected)}`,
      ]
    })
    const transports = calls.map(({ label }) => label)
    return found.length > 0
      ? fail(found.join('; '), { transports })
      : pass(`over ${transports.join(', ')}`, { transports })
  },
})

const OPEN_MS = 5_000
const NOT_ASKED = 'no subscription arrived at the subgraph'
/** Longer than the check. */
const long = (fresh: string): string => subscription(100, 500, `${fresh}: id`)
const hasTwoEvents = (received: Buffer): boolean =>
  (received.toString('latin1').match(/reviewAdded/g) ?? []).length >= 2

export const GQL_SUB_CLOSE = graphCheck({
  id: 'GQL-SUB-CLOSE',
  title: 'Subscriptions that clients leave',
  level: 'hazard',
  page: {
    sent: 'A long subscription; the client leaves after two events.',
    expected: `The request to the subgraph ends within ${OPEN_MS / 1_000} s.`,
    why: 'Subscriptions of clients that are gone add up until the subgraph has no connections left.',
  },
  steps: ({ fresh }) =>
    TRANSPORTS.map(transport =>
      streamStep(transport, long(fresh + transport), {
        connection: { leaveAfterMs: WATCHED_MS, leaveWhen: hasTwoEvents, untilEndedMs: OPEN_MS },
      }),
    ),
  judge(evidence) {
    const streams = evidence.calls.filter(({ exchange }) => exchange.hasLeft).filter(call => resultsOf(call) !== null)
    if (streams.length === 0) return skip(notOffered(evidence))
    const calls = streams.filter(({ exchange }) => hasEvents(exchange.received))
    if (calls.length === 0) return skip(`no two events came within ${WATCHED_MS / 1_000} s`)
    const watched = calls.filter(call => fetchesAt(call, 'reviews').length > 0)
    if (watched.length === 0) return skip(NOT_ASKED)
    const open = watched.filter(call =>
      fetchesAt(call, 'reviews').some(({ view: { record } }) => record.ended === null || record.ended === 'kept'),
    )
    return open.length > 0
      ? warn(
          `the subscription of the subgraph is still open ${OPEN_MS / 1_000} s later: ${open.map(({ label }) => label).join(', ')}`,
        )
      : pass()
  },
})

const hasEvents = (received: readonly { bytes: Buffer }[]): boolean =>
  hasTwoEvents(Buffer.concat(received.map(({ bytes }) => bytes)))

export const GQL_SUB_CUT = graphCheck({
  id: 'GQL-SUB-CUT',
  title: 'Subscriptions that break off',
  level: 'hazard',
  when: { breaks: true },
  page: {
    sent: 'A subscription of five events, whose stream the subgraph breaks off after two, and one whose connection it resets at once.',
    expected: 'An error, or a connection that breaks: not the end of a subscription that is complete.',
    why: 'A client that receives the end of the subscription does not subscribe again.',
  },
  steps: () =>
    TRANSPORTS.flatMap(transport => {
      const step = streamStep(transport, subscription(5, 100, 'id'))
      return [
        { ...step, faults: { reviews: { graphql: { cut: 2 } } } },
        { ...step, label: `${transport}, reset`, faults: { reviews: 'reset' } },
      ]
    }),
  judge(evidence) {
    const calls = offered(evidence)
    if (calls.length === 0) return skip(notOffered(evidence))
    const cut = calls.filter(call => fetchesAt(call, 'reviews').length > 0)
    if (cut.length === 0) return skip(NOT_ASKED)
    const silent = cut.filter(call => {
      const { hasError, isComplete } = resultsOf(call)!
      return isComplete && !hasError
    })
    if (silent.length > 0) return warn(`ends like a complete one: ${silent.map(({ label }) => label).join('; ')}`)
    return note(
      cut.map(call => `${call.label}: ${resultsOf(call)!.hasError ? 'an error' : 'the stream breaks'}`).join('; '),
    )
  },
})

export const SUBSCRIPTION_CHECKS: readonly Check[] = [GQL_SUB_OPEN, GQL_SUB_CLOSE, GQL_SUB_CUT]
