/** An A2A client: both protocol versions, both bindings, with and without streaming. */
import { send, type OutgoingRequest, type Sent } from '../../lib/instance/gateway.ts'
import { mediaTypeOf, parseJson } from '../../lib/protocol/http.ts'
import type { MessageLog } from '../../lib/protocol/message-log.ts'
import { readEvents } from '../../lib/protocol/sse.ts'
import type { AgentEvent, AgentTarget, Part, Version } from './types.ts'
import { readEvent, writeSend, type SendOptions } from './wire.ts'

/** The agent, or a gateway in front of it, returned an error. */
export class AgentError extends Error {
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

/** Operations: method names in both versions, and method and path (below `/v1/`) in the HTTP binding. */
const OPERATIONS = {
  send: { '1.0': 'SendMessage', '0.3': 'message/send', method: 'POST', path: () => 'message:send' },
  stream: { '1.0': 'SendStreamingMessage', '0.3': 'message/stream', method: 'POST', path: () => 'message:stream' },
  get: { '1.0': 'GetTask', '0.3': 'tasks/get', method: 'GET', path: (id: string) => `tasks/${encodeURIComponent(id)}` },
  cancel: {
    '1.0': 'CancelTask',
    '0.3': 'tasks/cancel',
    method: 'POST',
    path: (id: string) => `tasks/${encodeURIComponent(id)}:cancel`,
  },
  subscribe: {
    '1.0': 'SubscribeToTask',
    '0.3': 'tasks/resubscribe',
    method: 'GET',
    path: (id: string) => `tasks/${encodeURIComponent(id)}:subscribe`,
  },
  list: { '1.0': 'ListTasks', '0.3': 'tasks/list', method: 'GET', path: () => 'tasks' },
  card: {
    '1.0': 'GetExtendedAgentCard',
    '0.3': 'agent/getAuthenticatedExtendedCard',
    method: 'GET',
    path: () => 'extendedAgentCard',
  },
} as const
type Operation = keyof typeof OPERATIONS

let lastId = 0

export class A2aClient {
  #target: AgentTarget
  #log: MessageLog

  constructor(target: AgentTarget, log: MessageLog) {
    this.#target = target
    this.#log = log
  }

  /** Sends a message and yields one event, or the events of the stream. */
  async *send(
    parts: readonly Part[],
    options: SendOptions,
    isStreamed: boolean,
    signal: AbortSignal,
  ): AsyncGenerator<AgentEvent> {
    const { version, binding } = this.#target
    yield* this.#events(isStreamed ? 'stream' : 'send', '', writeSend(version, binding, parts, options), signal)
  }

  /** Yields the current task, then its updates. */
  subscribe(id: string, signal: AbortSignal): AsyncGenerator<AgentEvent> {
    return this.#events('subscribe', id, { id }, signal)
  }

  async task(operation: 'get' | 'cancel', id: string): Promise<AgentEvent | null> {
    for await (const event of this.#events(operation, id, { id })) return event
    return null
  }

  /** Tasks of the session, newest first; 1.0 only. */
  async list(): Promise<Record<string, unknown>[]> {
    for await (const json of this.#results('list', '', {}))
      return (json as { tasks?: Record<string, unknown>[] }).tasks ?? []
    return []
  }

  /** The extended card for authenticated clients. */
  async extendedCard(): Promise<unknown> {
    for await (const json of this.#results('card', '', {})) return json
    return null
  }

  async *#events(operation: Operation, id: string, params: object, signal?: AbortSignal): AsyncGenerator<AgentEvent> {
    for await (const json of this.#results(operation, id, params, signal)) {
      const event = readEvent(json)
      if (event !== null) yield event
    }
  }

  async *#results(operation: Operation, id: string, params: object, signal?: AbortSignal): AsyncGenerator<unknown> {
    const title = OPERATIONS[operation][this.#target.version]
    const { request, body } = this.#request(operation, id, params)
    const { sent, response } = await send({ ...request, ...(signal ? { signal } : {}) })
    this.#log.sent(sent, title, body)
    if (mediaTypeOf(sent.response!.headers) === 'text/event-stream') {
      for await (const { data } of readEvents(response.body!)) yield this.#result(sent, title, data)
      return
    }
    yield this.#result(sent, title, await response.text())
  }

  #request(operation: Operation, id: string, params: object): { request: OutgoingRequest; body: object | null } {
    const { agent, version, binding, gateway, headers } = this.#target
    const { method, path } = OPERATIONS[operation]
    const base = `/a2a/${encodeURIComponent(agent)}`
    const all = [
      { name: 'A2A-Version', value: version },
      { name: 'Content-Type', value: 'application/json' },
      ...headers,
    ]
    if (binding === 'JSONRPC') {
      const body = { jsonrpc: '2.0', id: ++lastId, method: OPERATIONS[operation][version], params }
      return { body, request: { method: 'POST', path: base, headers: all, body: JSON.stringify(body), gateway } }
    }
    const body = method === 'POST' ? (operation === 'cancel' ? {} : params) : null
    // The extended card has another path in 0.3.
    const place = operation === 'card' && version === '0.3' ? 'card' : path(id)
    return {
      body,
      request: {
        method,
        path: `${base}/v1/${place}`,
        headers: all,
        body: body === null ? null : JSON.stringify(body),
        gateway,
      },
    }
  }

  /** The result in the JSON of a response or an event. Throws AgentError for an error. */
  #result(sent: Sent, title: string, text: string): unknown {
    const json = parseJson(text) as { error?: { code?: number; message?: string }; result?: unknown } | undefined
    const error = json?.error
    const status = sent.response!.status
    const isBad = error !== undefined || status >= 400
    const result = this.#target.binding === 'JSONRPC' ? json?.result : json
    this.#log.received(sent, isBad ? title : `${title}: ${describeEvent(readEvent(result))}`, json ?? text, isBad)
    if (isBad)
      throw new AgentError(
        status,
        error?.message
          ? `${error.message} (${error.code ?? status})`
          : `HTTP ${status}: ${text.slice(0, 300) || 'no body'}`,
      )
    return result
  }
}

/** A short title for the log. */
function describeEvent(event: AgentEvent | null): string {
  switch (event?.kind) {
    case 'task':
      return `task ${event.status.state}`
    case 'status':
      return `status ${event.status.state}`
    case 'artifact':
      return `artifact ${event.artifact.name}`
    case 'message':
      return 'message'
    default:
      return 'result'
  }
}

/** Path of the public agent card of a protocol version. */
export function cardPath(agent: string, version: Version): string {
  return `/a2a/${encodeURIComponent(agent)}/.well-known/${version === '1.0' ? 'agent-card.json' : 'agent.json'}`
}
