/** Calls A2A agents in both protocol versions and bindings, and returns the responses in one shape. */
export interface Combination {
  name: string
  generation: '1.0' | '0.3'
  binding: 'JSON-RPC' | 'HTTP+JSON'
}

export const COMBINATIONS: readonly Combination[] = (['1.0', '0.3'] as const).flatMap(generation =>
  (['JSON-RPC', 'HTTP+JSON'] as const).map(binding => ({ name: `${generation} over ${binding}`, generation, binding })),
)

/** The result of `JSON.parse`; the expected shape depends on the test. */
export type Json = ReturnType<typeof JSON.parse>

export interface Reply {
  status: number
  headers: Headers
  body: Json
}

export interface Sending {
  taskId?: string
  contextId?: string
  metadata?: Json
  immediately?: boolean
  configuration?: Json
  headers?: Record<string, string>
}

export class Caller {
  readonly url: string
  readonly how: Combination
  readonly session: string

  constructor(url: string, how: Combination, session = `s-${how.generation}-${how.binding.slice(0, 4)}`) {
    this.url = url
    this.how = how
    this.session = session
  }

  get isV1(): boolean {
    return this.how.generation === '1.0'
  }

  get isRpc(): boolean {
    return this.how.binding === 'JSON-RPC'
  }

  headers(more: Record<string, string> = {}): Record<string, string> {
    return { 'X-Svc-Session': this.session, 'A2A-Version': this.how.generation, ...more }
  }

  /** Parameters of a send request in the shape of the protocol version. */
  params(text: string, { taskId, contextId, metadata, immediately, configuration }: Sending = {}): Json {
    const isRest3 = !this.isV1 && !this.isRpc
    const ids = { messageId: 'm-1', ...(taskId ? { taskId } : {}), ...(contextId ? { contextId } : {}) }
    const part = this.isV1 || isRest3 ? { text } : { kind: 'text', text }
    const message = {
      ...ids,
      role: this.isV1 || isRest3 ? 'ROLE_USER' : 'user',
      [isRest3 ? 'content' : 'parts']: [part],
    }
    const waiting = this.isV1 ? { returnImmediately: immediately === true } : { blocking: immediately !== true }
    return { message, configuration: { ...waiting, ...configuration }, ...(metadata ? { metadata } : {}) }
  }

  /** Sends the request; with `isStream`, uses the streaming method and does not read the response. */
  request(agent: string, text: string, sending: Sending = {}, isStream = false): Promise<Response> {
    const params = this.params(text, sending)
    if (!this.isRpc)
      return this.post(`/a2a/${agent}/v1/message:${isStream ? 'stream' : 'send'}`, params, sending.headers)
    const method = this.isV1
      ? isStream
        ? 'SendStreamingMessage'
        : 'SendMessage'
      : `message/${isStream ? 'stream' : 'send'}`
    return this.post(`/a2a/${agent}`, { jsonrpc: '2.0', id: 1, method, params }, sending.headers)
  }

  async send(agent: string, text: string, sending?: Sending): Promise<Json> {
    return this.taskOf((await (await this.request(agent, text, sending)).json()) as Json)
  }

  async stream(agent: string, text: string, sending?: Sending): Promise<Json[]> {
    return eventsOf(await (await this.request(agent, text, sending, true)).text())
  }

  get(agent: string, id: string): Promise<Reply> {
    return this.isRpc
      ? this.rpc(agent, this.isV1 ? 'GetTask' : 'tasks/get', { id })
      : this.http('GET', `/a2a/${agent}/v1/tasks/${id}`)
  }

  cancel(agent: string, id: string): Promise<Reply> {
    return this.isRpc
      ? this.rpc(agent, this.isV1 ? 'CancelTask' : 'tasks/cancel', { id })
      : this.http('POST', `/a2a/${agent}/v1/tasks/${id}:cancel`)
  }

  subscribe(agent: string, id: string): Promise<Response> {
    if (!this.isRpc) return fetch(`${this.url}/a2a/${agent}/v1/tasks/${id}:subscribe`, { headers: this.headers() })
    return this.post(`/a2a/${agent}`, {
      jsonrpc: '2.0',
      id: 1,
      method: this.isV1 ? 'SubscribeToTask' : 'tasks/resubscribe',
      params: { id },
    })
  }

  async rpc(agent: string, method: string, params: unknown, headers?: Record<string, string>): Promise<Reply> {
    return readReply(await this.post(`/a2a/${agent}`, { jsonrpc: '2.0', id: 1, method, params }, headers))
  }

  async http(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Reply> {
    return readReply(
      await fetch(this.url + path, {
        method,
        headers: this.headers(headers),
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
    )
  }

  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Response> {
    return fetch(this.url + path, { method: 'POST', headers: this.headers(headers), body: JSON.stringify(body) })
  }

  /** The task (or message) in a response, without its envelope. */
  taskOf(body: Json): Json {
    const result = (body.result ?? body) as Json
    return (result.task ?? result.message ?? result) as Json
  }
}

/** The reason of an error response, in either binding. */
export function reasonOf({ body }: Reply): string | undefined {
  return (body.error?.data ?? body.error?.details)?.[0]?.reason
}

/** A state without the prefix of its protocol version. */
export function stateOf(task: Json): string {
  return String(task.status.state)
    .replace('TASK_STATE_', '')
    .toUpperCase()
    .replace('-', '_')
    .replace('CANCELLED', 'CANCELED')
}

/** The events of a finished stream, without the envelope of JSON-RPC. */
export function eventsOf(text: string): Json[] {
  return text
    .split('\n')
    .filter(line => line.startsWith('data: '))
    .map(line => {
      const event = JSON.parse(line.slice(6)) as Json
      return (event.result ?? event) as Json
    })
}

/** The kind of an event: `task`, `message`, the reported state, or the artifact's id. */
export function nameOf(event: Json): string {
  const status = event.statusUpdate ?? (event.kind === 'status-update' ? event : undefined)
  if (status) return stateOf(status)
  const artifact = event.artifactUpdate ?? (event.kind === 'artifact-update' ? event : undefined)
  if (artifact) return artifact.artifact.artifactId
  return event.task || event.kind === 'task' ? 'task' : 'message'
}

async function readReply(response: Response): Promise<Reply> {
  const text = await response.text()
  return { status: response.status, headers: response.headers, body: text === '' ? {} : (JSON.parse(text) as Json) }
}
