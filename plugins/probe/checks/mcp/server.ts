/** What a server asks of its client, and what it reports: within a call, on its own stream, and by a retry. */
import { isRecord } from 'svc/toolkit'
import { fail, note, pass, worst, type Facts, type Verdict } from '../../catalog/check.ts'
import { Call, type Evidence } from '../../client/evidence.ts'
import type { ConnectionSpec, ExchangeRecord } from '../../client/exchange.ts'
import type { RequestSpec } from '../../client/request.ts'
import type { Field } from '../../client/response-parser.ts'
import { bytes, KEEP, wait, type Action } from '../builders.ts'
import { eventsOf } from '../event-stream.ts'
import { arrived, eventReply, jsonReply, rpc, rpcAnswer, rpcRequest, rpcResult } from '../json-rpc.ts'
import { jsonDifferences } from '../llm/json-values.ts'
import { parsed } from '../llm/chat.ts'
import { initialized } from './discovery.ts'
import { mcpCheck, RESULT, unreached } from './mcp-check.ts'
import { callFields, callParams, ENVELOPE, serverOf } from './revisions.ts'
import { initializes, inSession, readies, SESSION } from './session-requests.ts'

/** How long the server waits for answers before it goes on. */
const ANSWERS_MS = 2_500
const GAP_MS = 50
const CAPABILITIES = { sampling: {}, elicitation: {}, roots: { listChanged: true } }
const LOG = 'notifications/message'
const FORM = {
  message: 'What is your name?',
  requestedSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
}

/** A request of the server, and how the client answers it: with its marker, by which the answer is recognized. */
interface Asked {
  method: string
  params: object | null
  answer(marker: string): object
}

const ASKED: readonly Asked[] = [
  {
    method: 'sampling/createMessage',
    params: { messages: [{ role: 'user', content: { type: 'text', text: 'Say yes.' } }], maxTokens: 100 },
    answer: marker => ({
      role: 'assistant',
      content: { type: 'text', text: marker },
      model: 'probe',
      stopReason: 'endTurn',
    }),
  },
  { method: 'elicitation/create', params: FORM, answer: marker => ({ action: 'accept', content: { name: marker } }) },
  {
    method: 'roots/list',
    params: null,
    answer: marker => ({ roots: [{ uri: `file:///${marker}`, name: 'probe' }] }),
  },
]

/** Of the old revision: within a call, and on the stream of a GET. */
const PLACES = ['call', 'stream'] as const
type Place = (typeof PLACES)[number]
const SHOWN: Readonly<Record<Place, string>> = { call: 'in a call', stream: 'on the GET stream' }

/** The end of the id of a request, by which the upstream recognizes the answer. */
const idEnd = (place: Place, { method }: Asked): string => `-${place}-${method.replace('/', '-')}`
const answerLabel = (place: Place, { method }: Asked): string => `${place}: answer to ${method}`

/** The events with which the server speaks. Ids have the marker of the step, so that what the gateway itself answers is one of it. */
const messages = (place: Place, marker: string): object[] => [
  { jsonrpc: '2.0', method: LOG, params: { level: 'info', logger: 'probe', data: `probe ${place}` } },
  ...ASKED.map(asked => ({
    jsonrpc: '2.0',
    id: `probe-${marker}${idEnd(place, asked)}`,
    method: asked.method,
    ...(asked.params === null ? {} : { params: asked.params }),
  })),
]

/** The stream ends once the client had time to answer. */
function speaks(place: Place, last: object | null, marker: string): Action[] {
  const spoken = eventReply(
    messages(place, marker).map((value, index) => ({ id: `${place}${index}`, value })),
    { gapMs: GAP_MS },
  ).slice(0, -2)
  const end = last === null ? [] : eventReply([{ id: `${place}-end`, value: last }]).slice(2, -2)
  return [...spoken, wait(ANSWERS_MS), ...end, bytes('0\r\n\r\n'), KEEP]
}

/** Messages in a stream that has not ended. */
function receivedMessages(received: Buffer): Record<string, unknown>[] {
  return [...received.toString('utf8').matchAll(/^data: ?(\{.*\})\r?$/gm)].flatMap(
    ([, data]): Record<string, unknown>[] => [parsed(data!)].filter(message => message !== null),
  )
}

/** Answers each request of the server as soon as it has come, under the id with which it came. */
const answering =
  (place: Place, fields: readonly Field[]): NonNullable<ConnectionSpec['meanwhile']> =>
  (received, opened) => {
    const requests = receivedMessages(received).filter(
      ({ id, method }) => id !== undefined && ASKED.some(asked => asked.method === method),
    )
    const request = requests[opened]
    if (request === undefined) return null
    const asked = ASKED.find(({ method }) => method === request.method)!
    return {
      requests: [
        {
          ...rpc(answerLabel(place, asked), '', {
            fields,
            isValid: false,
            script: accepts,
          }),
          // The marker of the answer comes before that in the id.
          content: marker => JSON.stringify({ jsonrpc: '2.0', result: asked.answer(marker), id: request.id }),
        },
      ],
    }
  }

const accepts = (): Action[] => jsonReply('', { status: 202 })

const STATE = 'probe-state:0123456789+/='
const CAN_ASK = { ...ENVELOPE, 'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } } }

/** A call of the newest revision; `more`: answers to what the server asked before. */
function statelessCall(
  facts: Facts,
  label: string,
  more: (marker: string) => object,
  script: () => Action[],
): RequestSpec {
  const params = callParams(facts)
  return rpc(label, 'tools/call', {
    params: marker => ({ ...params(marker), ...more(marker), _meta: CAN_ASK }),
    fields: callFields(facts),
    script,
  })
}

const asking = (facts: Facts): RequestSpec =>
  statelessCall(
    facts,
    'asks',
    () => ({}),
    () =>
      rpcResult({
        resultType: 'input_required',
        inputRequests: { name: { method: 'elicitation/create', params: { mode: 'form', ...FORM } } },
        requestState: STATE,
      }),
  )

const resultIn = (call: Call): Record<string, unknown> => {
  const result = rpcAnswer(call)?.result
  return isRecord(result) ? result : {}
}

function retry(facts: Facts, record: ExchangeRecord): ConnectionSpec | null {
  const { resultType, requestState } = resultIn(new Call(record.calls[0]!, record, []))
  if (resultType !== 'input_required') return null
  const more = (marker: string): object => ({
    inputResponses: { name: { action: 'accept', content: { name: marker } } },
    requestState,
  })
  return { requests: [statelessCall(facts, 'retry', more, () => rpcResult({ resultType: 'complete', ...RESULT }))] }
}

export const MCP_SERVER = mcpCheck({
  id: 'MCP-SERVER',
  title: 'The server speaks too',
  level: 'integrity',
  since: '2026.2',
  sources: [{ spec: 'MCP' }],
  page: {
    sent: 'In a session: a call in which the server logs, and asks for a sample of the model, a form and the roots; the same on the stream of a GET. In MCP 2026-07-28: a call that is answered with `input_required`, and its retry.',
    expected:
      'All of it reaches the client, and each answer reaches the server, for the request that it answers. A gateway that opens the sessions itself may offer less: it declares no logging to clients, and answers requests of the server with an error.',
    why: 'Tools that ask the user before they act wait forever, or act without an answer.',
    seen: ['BerriAI/litellm#23761'],
  },
  plan(facts) {
    const { isStateless } = serverOf(facts)
    const has = (records: readonly ExchangeRecord[], label: string): ExchangeRecord | undefined =>
      records.find(({ calls }) => calls.some(({ spec }) => spec.label === label))
    return {
      inOrder: true,
      connections: [
        ...(isStateless ? [{ requests: [asking(facts)] }] : []),
        { requests: [initializes('initialize', SESSION, facts, CAPABILITIES)] },
      ],
      follow(records) {
        const asks = has(records, 'asks')
        const again = asks === undefined || has(records, 'retry') !== undefined ? null : retry(facts, asks)
        if (again !== null) return again
        const server = initialized(has(records, 'initialize'))
        if (server === null) return null
        const { fields } = server
        if (has(records, 'call') === undefined)
          return {
            requests: [
              readies(fields),
              rpc('call', 'tools/call', {
                id: 51,
                params: callParams(inSession(facts)),
                fields,
                isValid: false,
                script: (_step, { marker }) => speaks('call', arrived({ jsonrpc: '2.0', result: RESULT }), marker),
                next: accepts,
              }),
            ],
            meanwhile: answering('call', fields),
          }
        if (has(records, 'stream') !== undefined) return null
        const stream: RequestSpec = {
          label: 'stream',
          path: '',
          http11: true,
          isValid: false,
          silenceMs: ANSWERS_MS + 2_000,
          fields: [['Accept', 'text/event-stream'], ...fields],
          script: (_step, { marker }) => speaks('stream', null, marker),
          next: accepts,
        }
        return { requests: [stream], meanwhile: answering('stream', fields) }
      },
    }
  },
  judge(evidence, facts) {
    const found = [...judgeRetry(evidence), ...PLACES.flatMap(place => judgePlace(evidence, place))]
    return found.length === 0 ? unreached(evidence.first, facts) : worst(found)
  },
})

const callNamed = ({ calls }: Evidence, label: string): Call | undefined => calls.find(call => call.label === label)

function judgePlace(evidence: Evidence, place: Place): Verdict[] {
  const call = callNamed(evidence, place)
  if (call === undefined) return []
  if (call.count === 0) {
    if (place === 'call') return []
    const isRefused = call.status === 405
    return [note(isRefused ? 'no stream from the server' : `the GET stream is refused: ${call.status ?? 'closed'}`)]
  }
  const came = eventsOf(call).map(({ data }) => parsed(data))
  const hasCome = (method: string): boolean => came.some(message => message?.method === method)
  const isDeclined = (method: string): boolean =>
    method === LOG
      ? !declaresLogging(evidence)
      : answersOf(evidence, place, methodNamed(method)).some(({ error }) => error !== undefined)
  const missing = [LOG, ...ASKED.map(({ method }) => method)].filter(method => !hasCome(method))
  const declined = missing.filter(isDeclined)
  const gone = missing.filter(method => !declined.includes(method))
  const lost = ASKED.filter(({ method }) => hasCome(method)).flatMap(asked => {
    const problem = answerProblem(evidence, place, asked)
    return problem === null ? [] : [`the answer to ${asked.method} ${problem}`]
  })
  const problems = [
    ...(gone.length > 0 ? [`${gone.join(', ')} ${gone.length > 1 ? 'do' : 'does'} not reach the client`] : []),
    ...lost,
  ]
  if (problems.length > 0) return [fail(`${SHOWN[place]}: ${problems.join('; ')}`)]
  // A server must not ask clients for what they have not declared, and here the gateway is its client.
  return [declined.length > 0 ? note(`${SHOWN[place]}, the gateway does not offer ${declined.join(', ')}`) : pass()]
}

const methodNamed = (method: string): Asked => ASKED.find(asked => asked.method === method)!

/** Whether the gateway says to its clients that logs come. */
function declaresLogging(evidence: Evidence): boolean {
  const initialize = callNamed(evidence, 'initialize')
  const capabilities = initialize === undefined ? null : resultIn(initialize).capabilities
  return isRecord(capabilities) && capabilities.logging !== undefined
}

/** What the server gets for its request: from the client, or from the gateway itself. */
function answersOf(evidence: Evidence, place: Place, asked: Asked): Record<string, unknown>[] {
  return [place, answerLabel(place, asked)]
    .flatMap(label => callNamed(evidence, label)?.arrivals ?? [])
    .flatMap(({ content }): Record<string, unknown>[] => [parsed(content.toString('utf8'))].filter(one => one !== null))
    .filter(
      ({ id, method }) =>
        method === undefined && typeof id === 'string' && id.startsWith('probe-') && id.endsWith(idEnd(place, asked)),
    )
}

/** Null: it arrives as it was sent, for the request of the server. */
function answerProblem(evidence: Evidence, place: Place, asked: Asked): string | null {
  const answer = callNamed(evidence, answerLabel(place, asked))
  const [got] = answersOf(evidence, place, asked)
  if (answer === undefined) return 'does not reach the server'
  if (got === undefined) return answer.count === 0 ? 'does not reach the server' : 'reaches the server with another id'
  const sent = parsed(answer.record.sent.toString('utf8').split('\r\n\r\n')[1] ?? '')
  const changes = jsonDifferences(JSON.stringify(sent?.result ?? {}), JSON.stringify(got.result ?? {}))
  return changes === null || changes.missing.length + changes.changed.length > 0 ? 'is changed' : null
}

/** Of the newest revision. */
function judgeRetry(evidence: Evidence): Verdict[] {
  const asks = callNamed(evidence, 'asks')
  if (asks === undefined || asks.count === 0) return []
  const { resultType, inputRequests } = resultIn(asks)
  if (resultType !== 'input_required' || !isRecord(inputRequests))
    return [fail('input_required does not reach the client')]
  const again = callNamed(evidence, 'retry')
  const params = again === undefined ? null : rpcRequest(again)?.params
  if (again === undefined || again.count === 0 || !isRecord(params))
    return [fail('the retry does not reach the server')]
  if (params.requestState !== STATE) return [fail('the retry has another requestState')]
  const responses = isRecord(params.inputResponses) ? params.inputResponses : {}
  const sent = parsed(again.record.sent.toString('utf8').split('\r\n\r\n')[1] ?? '')?.params
  const expected = isRecord(sent) ? sent.inputResponses : {}
  return JSON.stringify(Object.values(responses)) === JSON.stringify(Object.values(expected as object))
    ? [pass()]
    : [fail('the retry arrives without the answer')]
}
