/** Owns one connection to a server of an SDK: svc is its client, in revision 2025-11-25. */
import { AsyncLocalStorage } from 'node:async_hooks'
import { isRecord } from 'svc/plugin'
import { isLogLevel } from '../calls/call.ts'
import { Cancelled, CODES, RpcError, ToolFailure } from '../errors.ts'
import type { CallContext, JsonObject, ListName, QuestionMethod, SdkServer, SdkTransport } from '../types.ts'

const PROTOCOL = '2025-11-25'
const START_MS = 10_000
const QUESTIONS: readonly string[] = ['elicitation/create', 'sampling/createMessage', 'roots/list']
const LISTS: readonly ListName[] = ['tools', 'resources', 'prompts']

/** What the server reports on its own. */
export interface ConnectionEvents {
  listChanged(list: ListName): void
  resourceUpdated(uri: string): void
}

/** A call of a client of svc that the server works on. */
interface ActiveCall {
  context: CallContext
  questionCount: number
  /** Ends the call with an error of svc, such as a question to the client. */
  fail(error: unknown): void
}

interface Pending {
  resolve(result: JsonObject): void
  reject(error: unknown): void
  context: CallContext | null
}

export interface InitializeAnswer {
  serverInfo: JsonObject
  capabilities: JsonObject
  instructions: string | undefined
}

export class Connection {
  readonly #server: SdkServer
  readonly #events: ConnectionEvents
  readonly #transport: SdkTransport
  readonly #pending = new Map<unknown, Pending>()
  /** The call that caused what the server sends. */
  readonly #active = new AsyncLocalStorage<ActiveCall>()
  #count = 0
  #isClosed = false

  constructor(server: SdkServer, events: ConnectionEvents) {
    this.#server = server
    this.#events = events
    this.#transport = {
      start: async () => {},
      // Messages within a process may have undefined members, which JSON does not.
      send: async message => this.#receive(JSON.parse(JSON.stringify(message))),
      close: async () => this.#closed(),
    }
  }

  /** Connects and initializes the server. */
  async open(version: string): Promise<InitializeAnswer> {
    await this.#server.connect(this.#transport)
    const capabilities = { sampling: {}, elicitation: {}, roots: {} }
    const answer = await this.request(
      'initialize',
      { protocolVersion: PROTOCOL, capabilities, clientInfo: { name: 'svc', version } },
      null,
      START_MS,
    )
    this.#send({ method: 'notifications/initialized' })
    return {
      serverInfo: isRecord(answer.serverInfo) ? answer.serverInfo : {},
      capabilities: isRecord(answer.capabilities) ? answer.capabilities : {},
      instructions: typeof answer.instructions === 'string' ? answer.instructions : undefined,
    }
  }

  /** Sends a request. Rejects with the error of the server, or with what a question to the client throws. */
  async request(
    method: string,
    params: JsonObject,
    context: CallContext | null,
    timeoutMs: number,
  ): Promise<JsonObject> {
    if (this.#isClosed) throw notRunning()
    if (context?.signal.aborted) throw new Cancelled()
    const id = ++this.#count
    const stop = (): void => this.#send({ method: 'notifications/cancelled', params: { requestId: id } })
    let timer: NodeJS.Timeout | undefined
    let onAbort = (): void => {}
    try {
      return await new Promise<JsonObject>((resolve, reject) => {
        const give = (error: unknown): void => {
          reject(error)
          stop()
        }
        this.#pending.set(id, { resolve, reject, context })
        timer = setTimeout(() => give(new RpcError(CODES.internal, 'the server did not answer in time')), timeoutMs)
        onAbort = () => give(new Cancelled())
        context?.signal.addEventListener('abort', onAbort, { once: true })
        const message = { id, method, params: context ? withToken(params, id) : params }
        if (context) this.#active.run({ context, questionCount: 0, fail: give }, () => this.#send(message))
        else this.#send(message)
      })
    } finally {
      clearTimeout(timer)
      context?.signal.removeEventListener('abort', onAbort)
      this.#pending.delete(id)
    }
  }

  async close(): Promise<void> {
    this.#closed()
    await this.#server.close()
  }

  #closed(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    for (const { reject } of this.#pending.values()) reject(notRunning())
    this.#transport.onclose?.()
  }

  #send(message: JsonObject): void {
    if (!this.#isClosed)
      this.#transport.onmessage?.(JSON.parse(JSON.stringify({ jsonrpc: '2.0', ...message })) as never)
  }

  #receive(message: unknown): void {
    if (!isRecord(message)) return
    const { method, id } = message
    const params = isRecord(message.params) ? message.params : {}
    if (typeof method !== 'string') this.#complete(message)
    else if (id === undefined) this.#notified(method, params)
    // Not awaited: the transport of the SDK only passes messages on.
    else void this.#answer(method, params).then(reply => this.#send({ id, ...reply }))
  }

  #complete({ id, result, error }: JsonObject): void {
    const pending = this.#pending.get(id)
    if (!pending) return
    if (isRecord(error)) {
      const code = Number.isInteger(error.code) ? (error.code as number) : CODES.internal
      pending.reject(new RpcError(code, String(error.message), { data: error.data }))
    } else pending.resolve(isRecord(result) ? result : {})
  }

  #notified(method: string, params: JsonObject): void {
    if (method === 'notifications/progress') {
      const context = this.#pending.get(params.progressToken)?.context
      const { progress, total, message } = params
      if (typeof progress === 'number') context?.progress(progress, numberOrNone(total), textOrNone(message))
    } else if (method === 'notifications/message') {
      if (isLogLevel(params.level)) this.#active.getStore()?.context.log(params.level, params.data)
    } else if (method === 'notifications/resources/updated') {
      if (typeof params.uri === 'string') this.#events.resourceUpdated(params.uri)
    } else {
      const list = LISTS.find(name => method === `notifications/${name}/list_changed`)
      if (list) this.#events.listChanged(list)
    }
  }

  /** Handles a request of the server. Questions go to the client whose call caused them. */
  async #answer(method: string, params: JsonObject): Promise<JsonObject> {
    if (method === 'ping') return { result: {} }
    if (!QUESTIONS.includes(method)) return failure(CODES.methodNotFound, 'Method not found')
    const active = this.#active.getStore()
    if (!active) return failure(CODES.internal, 'no call to ask through')
    const key = `q${++active.questionCount}`
    try {
      const answers = await active.context.ask({ [key]: { method: method as QuestionMethod, params } })
      return { result: answers[key] }
    } catch (error) {
      if (error instanceof ToolFailure) return failure(CODES.internal, error.message)
      active.fail(error)
      return failure(CODES.internal, 'the question was not answered')
    }
  }
}

function withToken(params: JsonObject, id: number): JsonObject {
  return { ...params, _meta: { ...(isRecord(params._meta) ? params._meta : {}), progressToken: id } }
}

function failure(code: number, message: string): JsonObject {
  return { error: { code, message } }
}

function notRunning(): RpcError {
  return new RpcError(CODES.internal, 'the server is not running')
}

function numberOrNone(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined
}

function textOrNone(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}
