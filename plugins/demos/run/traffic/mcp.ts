/** Traffic to MCP servers over Streamable HTTP: the handshake, then one message after the other. */
import type { Json, JsonObject } from 'svc/plugin'
import { isRecord } from 'svc/toolkit'
import type { McpAction, McpTraffic } from '../../file/demo.ts'
import { sessionKey } from '../context.ts'
import { fieldValues, type SentRequest } from '../sent.ts'
import { sendRequest, type SendOptions } from './request.ts'

const REVISION = '2025-06-18'
const LISTS: Record<string, string> = {
  list_tools: 'tools/list',
  list_prompts: 'prompts/list',
  list_resources: 'resources/list',
  ping: 'ping',
}

export interface McpContinuation {
  /** What is sent after the actions, by their answers. */
  further(results: readonly SentRequest[]): McpAction[]
  /** A stream of the server's messages is open for this long meanwhile. */
  streamMs: number
}

/** The answers to the actions; if the handshake fails, its answer alone. That of the stream has the fact `stream`. */
export async function sendMcp(
  traffic: McpTraffic,
  options: SendOptions,
  continuation: McpContinuation | null = null,
): Promise<SentRequest[]> {
  const revision = traffic.revision ?? REVISION
  let session: string | null = null
  let id = 0
  /** Answers to questions of the server, which come while a call is open. */
  const answers = new Map<string, Promise<unknown>>()
  const onEvents = ({ elicit }: McpTraffic, events: readonly { data: string }[]): void => {
    for (const { data } of events) {
      const question = questionIn(data)
      if (question !== null && elicit !== null && !answers.has(question))
        answers.set(question, post({ id: JSON.parse(question) as Json, result: elicit }))
    }
  }
  const headers = (accept: string): Record<string, string> => ({
    accept,
    ...(id > 1 ? { 'mcp-protocol-version': revision } : {}),
    ...(session === null ? {} : { 'mcp-session-id': session }),
    ...traffic.headers,
  })
  const post = async (message: JsonObject): Promise<SentRequest> => {
    const sent = await sendRequest(
      {
        method: 'POST',
        path: traffic.path,
        headers: { 'content-type': 'application/json', ...headers('application/json, text/event-stream') },
        body: JSON.stringify({ jsonrpc: '2.0', ...message }),
        bearer: traffic.token ?? credentialOf(options),
        ...(traffic.elicit === null ? {} : { onEvents: events => onEvents(traffic, events) }),
      },
      options,
    )
    return withMessage(sent)
  }
  const call = (method: string, params: JsonObject): Promise<SentRequest> => post({ id: ++id, method, params })
  const opened = await call('initialize', {
    protocolVersion: revision,
    capabilities: traffic.elicit === null ? {} : { elicitation: {} },
    clientInfo: { name: 'svc-demo', version: '1' },
  })
  if (opened.status !== 200 || opened.facts.error !== undefined) return [opened]
  session = fieldValues(opened.answerFields, 'mcp-session-id')[0] ?? null
  id++
  await post({ method: 'notifications/initialized' })
  const results: SentRequest[] = []
  const stream = continuation === null ? null : openStream(continuation.streamMs)
  const perform = async (actions: readonly McpAction[]): Promise<void> => {
    for (const action of actions) {
      const { method, params } = messageOf(action)
      results.push(await call(method, params))
    }
  }
  await perform(traffic.actions)
  await perform(continuation?.further(results) ?? [])
  await Promise.all(answers.values())
  return stream === null ? results : [...results, { ...(await stream), facts: { stream: true } }]

  function openStream(leaveAfterMs: number): Promise<SentRequest> {
    const bearer = traffic.token ?? credentialOf(options)
    const { path } = traffic
    return sendRequest(
      { method: 'GET', path, headers: headers('text/event-stream'), body: null, bearer },
      { ...options, leaveAfterMs },
    )
  }
}

/** The id of a question of the server, as JSON; null: the event has none. */
function questionIn(data: string): string | null {
  let message: unknown
  try {
    message = JSON.parse(data)
  } catch {
    return null
  }
  if (!isRecord(message) || message.method !== 'elicitation/create') return null
  return typeof message.id === 'string' || typeof message.id === 'number' ? JSON.stringify(message.id) : null
}

/** The session of the run, if the demo gives no credential. */
function credentialOf({ context, variant }: SendOptions): string | null {
  const has = context.target.fields.some(([name]) => name.toLowerCase() === 'authorization')
  return has || variant?.bearer != null ? null : sessionKey(context)
}

function messageOf(action: McpAction): { method: string; params: JsonObject } {
  if (action.do === 'call') return { method: 'tools/call', params: { name: action.name, arguments: action.arguments } }
  if (action.do === 'prompt')
    return { method: 'prompts/get', params: { name: action.name, arguments: action.arguments } }
  return { method: LISTS[action.do]!, params: {} }
}

/** The message in the body or in the last event becomes the body, so that tests of JSON see it. */
function withMessage(sent: SentRequest): SentRequest {
  const text = sent.events.findLast(({ data }) => data.includes('"jsonrpc"'))?.data ?? sent.body
  let message: unknown
  try {
    message = JSON.parse(text)
  } catch {
    return sent
  }
  if (!isRecord(message)) return sent
  const { error, result } = message
  const content = isRecord(result) && Array.isArray(result.content) ? result.content : []
  const facts: Record<string, Json> = {
    text: content.map(part => (isRecord(part) && typeof part.text === 'string' ? part.text : '')).join(''),
  }
  if (error !== undefined && error !== null) facts.error = JSON.stringify(error)
  return { ...sent, body: text, facts }
}
