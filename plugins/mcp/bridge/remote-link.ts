/** Owns the link to a server at a URL: Streamable HTTP, with a session or in the revision without sessions. */
import { isRecord, joinSignals, sleep } from 'svc/toolkit'
import { CODES, RpcError } from '../errors.ts'
import type { RoutedArgument } from '../registry/schema.ts'
import type { CallContext, JsonObject } from '../types.ts'
import { encodeHeader, routedName } from '../protocol/headers.ts'
import { STATELESS } from '../protocol/versions.ts'
import { failedResponse, type Link, type LinkEvents, Unreachable } from './link.ts'
import { forwardedHeaders } from './forwarding.ts'
import type { RemoteRequests, RemoteResponse } from './remote-requests.ts'

export type Revision = 'auto' | 'stateless' | 'session'

export interface RemoteTarget {
  requests: RemoteRequests
  revision: Revision
  /** Headers of every request. */
  headers: Readonly<Record<string, string>>
  /** Names of headers of the client that are passed on, in lower case. */
  forward: readonly string[]
  /** Id of this instance. */
  instance: string
  /** Version of svc. */
  release: string
  /** The arguments of a tool that headers repeat, by header name. */
  routedArguments(tool: string): ReadonlyMap<string, RoutedArgument>
}

const BOTH_TYPES = 'application/json, text/event-stream'
const CAPABILITIES = { sampling: {}, elicitation: {}, roots: {} }
const META = 'io.modelcontextprotocol/'
const PROBE_MS = 10_000
/** How long the server may take for a message that has no answer. */
const TAKING_MS = 10_000
const FIRST_PAUSE_MS = 1000
const LONGEST_PAUSE_MS = 30_000
/** How long a stream may stay open after the response. */
const LINGER_MS = 1000
/** Resources whose changes were requested; the oldest is dropped first. */
const MAX_FOLLOWED = 500
const SESSION_ENDED = 'the session has ended'
export class RemoteLink implements Link {
  readonly isInProcess = false
  readonly pid = null
  readonly #target: RemoteTarget
  readonly #closing = new AbortController()
  /** Requests without a response, by id. */
  readonly #open = new Map<unknown, AbortController>()
  #isStateless = false
  #session: string | null = null
  #version: string | null = null
  #events: LinkEvents | null = null
  readonly #followed = new Set<string>()
  /** The stream of notifications. */
  #listening: AbortController | null = null

  constructor(target: RemoteTarget) {
    this.#target = target
  }

  get isStateless(): boolean {
    return this.#isStateless
  }

  async open(events: LinkEvents): Promise<void> {
    this.#events = events
    const { revision } = this.#target
    this.#isStateless = revision === 'stateless' || (revision === 'auto' && (await this.#discovers()))
  }

  send(message: JsonObject, context: CallContext | null): void | Promise<void> {
    if (message.method === 'notifications/cancelled') this.#cancel(message)
    if (message.method === 'notifications/initialized') void this.#listen()
    // Without sessions, clients send no notifications: they cancel by disconnecting.
    if (!this.#isStateless || message.id !== undefined) return this.#post(message, context)
  }

  follow(uri: string): void {
    if (this.#followed.has(uri)) return
    // A template of the server has any number of URIs, and clients never say that they need one no longer.
    if (this.#followed.size >= MAX_FOLLOWED) this.#followed.delete(this.#followed.values().next().value!)
    this.#followed.add(uri)
    // The stream of notifications is opened again, with what is followed now.
    this.#listening?.abort()
    void this.#listen()
  }

  async close(): Promise<void> {
    this.#events = null
    this.#closing.abort()
    if (this.#session === null) return
    const signal = AbortSignal.timeout(1000)
    const headers = this.#headers({}, null)
    await this.#target.requests.send({ method: 'DELETE', headers, signal }).catch(() => {})
  }

  /** Whether the server answers in the revision without sessions. */
  async #discovers(): Promise<boolean> {
    this.#isStateless = true
    const message = { jsonrpc: '2.0', id: 0, method: 'server/discover', params: {} }
    const { signal, release } = joinSignals(this.#closing.signal, AbortSignal.timeout(PROBE_MS))
    try {
      const response = await this.#exchange(message, null, signal)
      if (response.status !== 200) return false
      for await (const answer of response.messages) {
        const versions = isRecord(answer) && isRecord(answer.result) ? answer.result.supportedVersions : undefined
        return Array.isArray(versions) && versions.includes(STATELESS.name)
      }
      return false
    } finally {
      release()
    }
  }

  #cancel({ params }: JsonObject): void {
    this.#open.get(isRecord(params) ? params.requestId : undefined)?.abort()
  }

  async #post(message: JsonObject, context: CallContext | null): Promise<void> {
    const controller = new AbortController()
    const isRequest = message.id !== undefined && message.method !== undefined
    if (isRequest) this.#open.set(message.id, controller)
    const { signal, release } = joinSignals(this.#closing.signal, controller.signal)
    // The time for the answer to a request is limited by who sends it.
    const timer = isRequest ? undefined : setTimeout(() => controller.abort(), TAKING_MS).unref()
    try {
      const response = await this.#exchange(message, context, signal)
      const isComplete = await this.#received(response, message, () => controller.abort())
      if (isRequest && !isComplete) this.#fail(message, noAnswer(response.status))
    } catch (error) {
      if (controller.signal.aborted || this.#closing.signal.aborted) return
      if (isRequest) this.#fail(message, error instanceof Error ? error.message : String(error))
      if (error instanceof Unreachable) this.#events?.closed({ reason: error.message })
    } finally {
      clearTimeout(timer)
      release()
      this.#open.delete(message.id)
    }
  }

  /** Passes the messages of a response on. True if the request got its response; `abort` is called if it does not end then. */
  async #received(response: RemoteResponse, message: JsonObject, abort: () => void): Promise<boolean> {
    const { status, headers } = response
    if (message.method === 'initialize') this.#session = oneHeader(headers['mcp-session-id'])
    const isLost = status === 404 && this.#session !== null
    let timer: NodeJS.Timeout | undefined
    try {
      for await (const answer of response.messages) {
        if (!isRecord(answer)) continue
        const isAnswer = isAnswerTo(answer, message, status)
        if (isAnswer && message.method === 'initialize') this.#readVersion(answer)
        if (isAnswer) timer ??= setTimeout(abort, LINGER_MS).unref()
        this.#events?.received(isAnswer ? { ...answer, id: message.id } : answer)
      }
    } catch (error) {
      // An error page need not be JSON.
      if (status < 300 && timer === undefined) throw error
    } finally {
      clearTimeout(timer)
    }
    if (isLost) this.#events?.closed({ reason: SESSION_ENDED })
    return timer !== undefined
  }

  #readVersion({ result }: JsonObject): void {
    const version = isRecord(result) ? result.protocolVersion : null
    // It becomes a header.
    this.#version = typeof version === 'string' && /^[\w.-]{1,32}$/.test(version) ? version : null
  }

  #fail({ id }: JsonObject, message: string): void {
    this.#events?.received(failedResponse(id, new RpcError(CODES.internal, message)))
  }

  #exchange(message: JsonObject, context: CallContext | null, signal: AbortSignal): Promise<RemoteResponse> {
    const full = this.#isStateless ? withEnvelope(message, this.#target.release) : message
    const headers = this.#headers(full, context)
    return this.#target.requests.send({ method: 'POST', headers, body: JSON.stringify(full), signal })
  }

  #headers(message: JsonObject, context: CallContext | null): Record<string, string> {
    const { headers, forward, instance } = this.#target
    return {
      ...forwardedHeaders(context, forward, instance),
      ...headers,
      'content-type': 'application/json',
      accept: BOTH_TYPES,
      ...(this.#isStateless ? this.#routing(message) : {}),
      ...(this.#session === null ? {} : { 'mcp-session-id': this.#session }),
      ...(this.#version === null ? {} : { 'mcp-protocol-version': this.#version }),
    }
  }

  /** Headers of the revision without sessions, which repeat parts of the body. */
  #routing({ method, params }: JsonObject): Record<string, string> {
    const given = isRecord(params) ? params : {}
    const routing: Record<string, string> = {
      'mcp-protocol-version': STATELESS.name,
      'mcp-method': String(method),
    }
    const name = routedName({ method: String(method), params: given }, true)
    if (typeof name !== 'string') return routing
    routing['mcp-name'] = encodeHeader(name)
    const args = isRecord(given.arguments) ? given.arguments : {}
    const routed = method === 'tools/call' ? this.#target.routedArguments(name) : []
    for (const [header, { argument }] of routed) {
      const value = Object.hasOwn(args, argument) ? args[argument] : undefined
      if (value !== undefined && value !== null) routing[header] = encodeHeader(String(value))
    }
    return routing
  }

  /** Reads notifications until the link closes. A server need not have such a stream. */
  async #listen(): Promise<void> {
    const controller = new AbortController()
    let hasStreamed = false
    this.#listening = controller
    const { signal, release } = joinSignals(this.#closing.signal, controller.signal)
    controller.signal.addEventListener('abort', release, { once: true })
    for (let pause = FIRST_PAUSE_MS; !signal.aborted; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
      try {
        const response = await this.#openStream(signal)
        if (response.status !== 200) {
          if (hasStreamed) this.#events?.closed({ reason: SESSION_ENDED })
          return controller.abort()
        }
        hasStreamed = true
        for await (const message of response.messages) {
          pause = FIRST_PAUSE_MS
          this.#events?.received(message)
        }
      } catch (error) {
        if (error instanceof Unreachable && !signal.aborted) this.#events?.closed({ reason: error.message })
      }
      await sleep(pause, { signal, isBackground: true })
    }
  }

  #openStream(signal: AbortSignal): Promise<RemoteResponse> {
    if (!this.#isStateless)
      return this.#target.requests.send({ method: 'GET', headers: this.#headers({}, null), signal })
    const notifications = {
      toolsListChanged: true,
      resourcesListChanged: true,
      promptsListChanged: true,
      ...(this.#followed.size > 0 ? { resourceSubscriptions: [...this.#followed] } : {}),
    }
    return this.#exchange(
      { jsonrpc: '2.0', id: 'svc-listen', method: 'subscriptions/listen', params: { notifications } },
      null,
      signal,
    )
  }
}

function isAnswerTo(answer: JsonObject, { id, method }: JsonObject, status: number): boolean {
  if (id === undefined || method === undefined || answer.method !== undefined) return false
  // An error may have no id: the server could not read it, or a gateway answers.
  return answer.id === id || (isRecord(answer.error) && (status >= 400 || answer.id === null))
}

function noAnswer(status: number): string {
  return status < 300 ? 'the server did not answer' : `the server answered with status ${status}`
}

function withEnvelope(message: JsonObject, release: string): JsonObject {
  const params = isRecord(message.params) ? message.params : {}
  const _meta = {
    ...(isRecord(params._meta) ? params._meta : {}),
    [`${META}protocolVersion`]: STATELESS.name,
    [`${META}clientCapabilities`]: CAPABILITIES,
    [`${META}clientInfo`]: { name: 'svc', version: release },
  }
  return { ...message, params: { ...params, _meta } }
}

function oneHeader(value: string | string[] | undefined): string | null {
  return typeof value === 'string' ? value : null
}
