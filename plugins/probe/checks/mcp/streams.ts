/** Streams of MCP: progress, and a stream that is cut and resumed. */
import { isRecord } from 'svc/toolkit'
import { fail, note, pass, warn, worst, type Verdict } from '../../catalog/check.ts'
import { Call, type Evidence } from '../../client/evidence.ts'
import type { ExchangeRecord } from '../../client/exchange.ts'
import type { RequestSpec } from '../../client/request.ts'
import type { Field } from '../../client/response-parser.ts'
import { ARRIVED_ID, ARRIVED_TOKEN } from '../../upstream/rpc-message.ts'
import { eventsOf, medianLagMs, type ReceivedEvent } from '../event-stream.ts'
import { eventReply, rpc, rpcRequest, type StreamedEvent } from '../json-rpc.ts'
import { hasSameValues } from '../llm/json-values.ts'
import { initialized } from './discovery.ts'
import { mcpCheck, RESULT, unreached } from './mcp-check.ts'
import { callFields, callParams, requestFields } from './revisions.ts'
import { initializes, inSession, readies, SESSION } from './session-requests.ts'

const GAP_MS = 400
/** Of the client. */
const TOKEN = 'p'
const ID = 21
const EVENT_IDS = ['e1', 'e2', 'e3', 'e4', 'e5', 'e6']
const STREAM_IDS = ['s1', 's2']

/** Events of a call with progress: as the upstream sends them, and as the client, which chose id and token, gets them. */
const progressEvents = (id: unknown, progressToken: string): object[] => [
  ...[1, 2, 3, 4, 5].map(progress => ({
    jsonrpc: '2.0',
    method: 'notifications/progress',
    params: { progressToken, progress },
  })),
  { jsonrpc: '2.0', id, result: RESULT },
]

/** Messages of the server in a stream. */
const streamEvents = (ids: readonly string[]): StreamedEvent[] =>
  ids.map(id => ({
    id,
    value: { jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: id } },
  }))

export const MCP_STREAM = mcpCheck({
  id: 'MCP-STREAM',
  title: 'Streams',
  level: 'integrity',
  sources: [{ spec: 'MCP' }],
  page: {
    sent: 'initialize; in its session a call with five notifications of progress, 400 ms apart, a GET stream that is cut, and its resumption with the last id that came.',
    expected:
      'Events come as they are sent, with the id and the token of the client; ids of events stay or are mapped, and the resumption reaches the upstream.',
    why: 'Progress that comes with the result is not progress, and lost events are lost results.',
    configure: { nginx: 'proxy_buffering off;' },
  },
  plan: facts => ({
    inOrder: true,
    connections: [{ requests: [initializes('initialize', SESSION, facts)] }],
    follow(records) {
      // The call is tried without a session too: a gateway may not have any.
      const server = initialized(records[0])
      const fields = server?.fields ?? requestFields(facts, 'tools/call')
      const stream = (
        label: string,
        ids: readonly string[],
        isCut: boolean,
        more: readonly Field[] = [],
      ): RequestSpec => ({
        label,
        path: '',
        isValid: false,
        http11: true,
        fields: [['Accept', 'text/event-stream'], ...fields, ...more],
        script: () => eventReply(streamEvents(ids), { isCut }),
      })
      if (records.length === 1)
        return {
          requests: [
            readies(fields),
            rpc('progress', 'tools/call', {
              id: ID,
              params: callParams(server === null ? facts : inSession(facts), TOKEN),
              fields: server === null ? callFields(facts) : fields,
              script: () =>
                eventReply(
                  progressEvents(ARRIVED_ID, ARRIVED_TOKEN).map((value, index) => ({ id: EVENT_IDS[index]!, value })),
                  { gapMs: GAP_MS },
                ),
            }),
          ],
        }
      if (records.length === 2) return { requests: [stream('stream', STREAM_IDS, true)] }
      const last = lastEventId(records[2])
      if (records.length > 3 || last === null) return null
      return { requests: [stream('resumed', ['s3'], false, [['Last-Event-ID', last]])] }
    },
  }),
  judge(evidence, facts) {
    const progress = evidence.call('progress')
    if (progress.count === 0) return unreached(progress, facts)
    return worst([judgeProgress(progress, answersItself(evidence)), judgeStream(evidence)])
  },
})

/** Whether the gateway answers as an MCP server, in its own streams. Ids of their events are optional (MCP, Resumability and Redelivery). */
function answersItself(evidence: Evidence): boolean {
  return evidence.calls.find(({ label }) => label === 'initialize')?.count === 0
}

function judgeProgress(progress: Call, isServer: boolean): Verdict {
  const params = rpcRequest(progress)?.params
  const meta = isRecord(params) && isRecord(params._meta) ? params._meta : {}
  if (meta.progressToken === undefined) return fail('progress: its token does not arrive')
  const events = eventsOf(progress)
  const expected = progressEvents(ID, TOKEN)
  const fate = fateOfIds(events, EVENT_IDS)
  if (events.length !== expected.length || (fate === 'lost' && !(isServer && hasNoIds(events))))
    return fail('progress: events or their ids are lost or repeated')
  if (events.some(({ data }, index) => !hasSameValues(expected[index]!, data)))
    return fail('progress: an event is changed')
  if (medianLagMs(progress) > 1_000) return warn('progress comes late: buffered')
  if (fate === 'lost') return note("events of the gateway's own stream have no ids: clients cannot resume it")
  return fate === 'mapped' ? note('ids of events are mapped') : pass()
}

function judgeStream(evidence: Evidence): Verdict {
  const stream = evidence.calls.find(({ label }) => label === 'stream')
  const resumed = evidence.calls.find(({ label }) => label === 'resumed')
  if (stream === undefined || stream.count === 0)
    return note(`the GET stream is refused: ${stream?.status ?? 'closed'}`)
  const events = eventsOf(stream)
  if (events.length !== STREAM_IDS.length || fateOfIds(events, STREAM_IDS) === 'lost')
    return fail('stream: events or their ids are lost or repeated')
  if (resumed !== undefined && resumed.count > 0 && resumed.arrival!.values('last-event-id').join() !== 's2')
    return fail('Last-Event-ID does not arrive')
  const again = resumed === undefined ? [] : eventsOf(resumed)
  if (again.length !== 1 || !again[0]!.data.includes('"s3"')) return fail('the resumption loses or repeats events')
  return pass()
}

function hasNoIds(events: readonly ReceivedEvent[]): boolean {
  return events.every(({ id }) => id === null)
}

/** A gateway may have event ids of its own, if each event has another one. */
function fateOfIds(events: readonly ReceivedEvent[], ids: readonly string[]): 'kept' | 'mapped' | 'lost' {
  const found = events.map(({ id }) => id)
  if (found.join() === ids.join()) return 'kept'
  return found.every(id => id !== null && !ids.includes(id)) && new Set(found).size === ids.length ? 'mapped' : 'lost'
}

function lastEventId(record: ExchangeRecord | undefined): string | null {
  const call = record?.calls[0]
  return call === undefined ? null : (eventsOf(new Call(call, record!, [])).at(-1)?.id ?? null)
}
