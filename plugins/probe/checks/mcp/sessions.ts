/** Sessions, streams and canceled requests of MCP. */
import { fail, note, pass, skip, warn, worst } from '../../catalog/check.ts'
import type { Verdict } from '../../catalog/check.ts'
import type { Call } from '../../client/evidence.ts'
import type { ExchangeRecord } from '../../client/exchange.ts'
import type { RequestSpec } from '../../client/request.ts'
import { valuesOf } from '../../client/response-parser.ts'
import type { Field } from '../../client/response-parser.ts'
import { END, RECEIVE, wait } from '../builders.ts'
import { eventsOf, medianLagMs } from '../event-stream.ts'
import { eventReply, jsonReply, rpc, rpcResult } from '../json-rpc.ts'
import { hasSameValues } from '../llm/json-values.ts'
import { LEGACY, CALLED, callParams, RESULT, mcpCheck } from './mcp-check.ts'

const SESSION = 'probe-session-0123456789'
const OTHER_SESSION = 'probe-session-of-another-client'
const GAP_MS = 400

/** Events of a call with progress. */
const PROGRESS: object[] = [
  ...[1, 2, 3, 4, 5].map(progress => ({
    jsonrpc: '2.0',
    method: 'notifications/progress',
    params: { progressToken: 'p', progress },
  })),
  { jsonrpc: '2.0', id: 1, result: RESULT },
]

const legacyFields = (session: string): Field[] => [
  ['MCP-Protocol-Version', LEGACY],
  ['Mcp-Session-Id', session],
]

const sessionIdOf = ({ calls }: ExchangeRecord): string | undefined =>
  valuesOf(calls[0]?.response?.fields ?? [], 'mcp-session-id')[0]

/** Starts a session, whose id the upstream gives. */
const initializes = (label: string, session: string): RequestSpec =>
  rpc(label, 'initialize', {
    params: marker => ({
      protocolVersion: LEGACY,
      capabilities: {},
      clientInfo: { name: marker, version: '1' },
    }),
    script: () =>
      rpcResult({ protocolVersion: LEGACY, capabilities: { tools: {} }, serverInfo: { name: 'probe', version: '1' } }, [
        ['Mcp-Session-Id', session],
      ]),
  })

export const MCP_SESSION = mcpCheck({
  id: 'MCP-SESSION',
  title: 'Session id',
  level: 'other-spec',
  sources: [{ spec: `MCP ${LEGACY}` }],
  page: {
    sent: 'initialize of two clients; with the ids that came back, a list of the first, a call of the second, and the end of the first session; then a call with the id that has ended, and one with an unknown id.',
    expected: 'Each reaches the session of its client; ids that have ended or are unknown are refused with 404.',
    why: 'Without its id a client talks to a server that does not know it, or to the session of somebody else.',
  },
  plan: () => ({
    inOrder: true,
    connections: [
      { requests: [initializes('initialize', SESSION)] },
      { requests: [initializes('initialize of another client', OTHER_SESSION)] },
    ],
    follow(records) {
      const [id, other] = records.map(sessionIdOf)
      if (id === undefined || other === undefined) return null
      const fields = legacyFields(id)
      const notFound = jsonReply(
        { jsonrpc: '2.0', id: 1, error: { code: -32001, message: 'no session' } },
        { status: 404 },
      )
      const next: RequestSpec[] = [
        rpc('list', 'tools/list', { fields, script: () => rpcResult({ tools: [] }) }),
        rpc('call', 'tools/call', {
          fields: legacyFields(other),
          params: callParams,
          script: () => rpcResult(RESULT),
        }),
        { label: 'delete', method: 'DELETE', path: '', fields, isValid: false },
        rpc('ended', 'tools/list', { fields, isValid: false, script: () => notFound }),
        rpc('unknown', 'tools/list', {
          fields: legacyFields('unknown-session'),
          isValid: false,
          script: () => notFound,
        }),
      ]
      const request = next[records.length - 2]
      return request === undefined ? null : { requests: [request] }
    },
  }),
  judge(evidence) {
    const first = evidence.call('initialize')
    const second = evidence.call('initialize of another client')
    if (first.count === 0) return skip(`not routed: ${first.status ?? 'closed'}`)
    const [id] = first.values('mcp-session-id')
    const [other] = second.values('mcp-session-id')
    if (id === undefined || other === undefined) return fail('the session id does not come back')
    if (id === other) return fail('two clients get the same session id')
    const found: Verdict[] = []
    for (const [label, owner, session] of [
      ['list', first, SESSION],
      ['call', second, OTHER_SESSION],
      ['delete', first, SESSION],
    ] as const) {
      const { arrival } = evidence.call(label)
      const arrived = arrival?.values('mcp-session-id').join()
      if (arrival === null && label !== 'delete') found.push(fail(`${label}: does not reach the session`))
      else if (arrival === null) found.push(note('the end of a session does not reach the upstream'))
      else if (arrived === SESSION || arrived === OTHER_SESSION) {
        if (arrived !== session) found.push(fail(`${label}: reaches the session of another client`))
      } else found.push(fail(`${label}: the session id does not arrive`))
      const isElsewhere = arrival !== null && arrival.record.instance !== owner.arrival?.record.instance
      if (isElsewhere) found.push(fail(`${label}: reaches another replica`))
    }
    for (const [label, kind] of [
      ['ended', 'a session id that has ended'],
      ['unknown', 'an unknown session id'],
    ] as const) {
      const { status } = evidence.call(label)
      if (status !== 404) found.push(fail(`${kind} is answered with ${status ?? 'nothing'}`))
    }
    if (id !== SESSION || other !== OTHER_SESSION) found.push(note('session ids are mapped'))
    return found.length > 0 ? worst(found) : pass()
  },
})

export const MCP_STREAM = mcpCheck({
  id: 'MCP-STREAM',
  title: 'Streams',
  level: 'integrity',
  sources: [{ spec: 'MCP' }],
  page: {
    sent: 'A call with five notifications of progress, 400 ms apart; a GET stream that is cut, and its resumption with Last-Event-ID.',
    expected: 'Events come as they are sent, with their ids, and the resumption reaches the upstream.',
    why: 'Progress that comes with the result is not progress, and lost events are lost results.',
    configure: { nginx: 'proxy_buffering off;' },
  },
  plan: () => ({
    inOrder: true,
    connections: [
      rpc('progress', 'tools/call', {
        params: marker => ({ ...callParams(marker), _meta: { progressToken: 'p' } }),
        fields: legacyFields(SESSION),
        script: () =>
          eventReply(
            PROGRESS.map((value, index) => ({ id: `e${index + 1}`, value })),
            { gapMs: GAP_MS },
          ),
      }),
      ...[
        { label: 'stream', last: null, ids: ['s1', 's2'], isCut: true },
        { label: 'resumed', last: 's2', ids: ['s3'], isCut: false },
      ].map(
        ({ label, last, ids, isCut }): RequestSpec => ({
          label,
          path: '',
          isValid: false,
          http11: true,
          fields: [
            ['Accept', 'text/event-stream'],
            ...legacyFields(SESSION),
            ...(last === null ? [] : ([['Last-Event-ID', last]] as const)),
          ],
          script: () =>
            eventReply(
              ids.map(id => ({
                id,
                value: { jsonrpc: '2.0', method: 'notifications/message', params: { data: id } },
              })),
              { isCut },
            ),
        }),
      ),
    ].map(request => ({ requests: [request] })),
  }),
  judge(evidence) {
    const progress = evidence.call('progress')
    if (progress.count === 0) return skip(`not routed: ${progress.status ?? 'closed'}`)
    const found: Verdict[] = []
    const idsOf = (call: Call): string =>
      eventsOf(call)
        .map(({ id }) => id)
        .join()
    if (idsOf(progress) !== 'e1,e2,e3,e4,e5,e6') found.push(fail('progress: events or their ids are lost or repeated'))
    else if (eventsOf(progress).some(({ data }, index) => !hasSameValues(PROGRESS[index]!, data)))
      found.push(fail('progress: an event is changed'))
    else if (medianLagMs(progress) > 1_000) found.push(warn('progress comes late: buffered'))
    const [stream, resumed] = [evidence.call('stream'), evidence.call('resumed')]
    if (stream.count === 0) found.push(note(`the GET stream is refused: ${stream.status ?? 'closed'}`))
    else if (idsOf(stream) !== 's1,s2') found.push(fail('stream: events or their ids are lost or repeated'))
    else if (resumed.count > 0 && resumed.arrival!.values('last-event-id').join() !== 's2')
      found.push(fail('Last-Event-ID does not arrive'))
    else if (idsOf(resumed) !== 's3') found.push(fail('the resumption loses or repeats events'))
    return found.length === 0 ? pass() : worst(found)
  },
})

export const MCP_CANCEL = mcpCheck({
  id: 'MCP-CANCEL',
  title: 'Canceled requests',
  level: 'hazard',
  sources: [],
  when: { waits: true },
  page: {
    sent: 'notifications/cancelled, and a request that the client closes after 1 s.',
    expected: 'The upstream sees both within 5 s.',
    why: 'Otherwise tools go on for nobody.',
  },
  plan: () => ({
    connections: [
      {
        requests: [
          rpc('notification', 'notifications/cancelled', {
            id: null,
            params: marker => ({ requestId: 1, reason: marker }),
            fields: legacyFields(SESSION),
            script: () => jsonReply('', { status: 202 }),
          }),
        ],
      },
      {
        leaveAfterMs: 1_000,
        requests: [
          rpc('closed', 'tools/call', {
            params: callParams,
            fields: CALLED,
            script: () => [RECEIVE, wait(9_000), END],
          }),
        ],
      },
      // The evidence is collected when this one has been answered.
      {
        requests: [
          rpc('later', 'tools/call', {
            params: callParams,
            fields: CALLED,
            isValid: false,
            timeoutMs: 15_000,
            script: () => [RECEIVE, wait(7_000), ...rpcResult(RESULT).slice(1)],
          }),
        ],
      },
    ],
  }),
  judge(evidence) {
    const found: Verdict[] = []
    if (evidence.call('notification').count === 0) found.push(warn('the notification does not arrive'))
    const { arrival, record } = evidence.call('closed')
    const endedMs = arrival?.record.ended_ms ?? null
    if (arrival !== null && (endedMs === null || endedMs > record.sentEndMs + 6_000))
      found.push(warn('the upstream does not see within 5 s that the client has closed the request'))
    return found.length === 0 ? pass() : worst(found)
  },
})
