/** Owns one connection to a bridged server: svc is its client, in revision 2025-11-25 or in the one without sessions. */
import { AsyncLocalStorage } from 'node:async_hooks'
import { isRecord } from 'svc/toolkit'
import { isLogLevel } from '../servers/call.ts'
import { Cancelled, CODES, RpcError, ToolFailure } from '../errors.ts'
import type { CallContext, JsonObject, ListName, Question, QuestionMethod } from '../types.ts'
import type { Link, LinkEnd } from './link.ts'

const PROTOCOL = '2025-11-25'
const MAX_ROUNDS = 20
/** Requests of the server that are being answered, and questions of one round; it gets no answer to others. */
const MAX_ANSWERING = 32
const QUESTIONS: readonly string[] = ['elicitation/create', 'sampling/createMessage', 'roots/list']
const LISTS: readonly ListName[] = ['tools', 'resources', 'prompts']

/** What the server reports on its own. */
export interface ConnectionEvents {
  listChanged(list: ListName): void
  resourceUpdated(uri: string): void
  /** The connection has closed on its own. */
  closed(end: LinkEnd): void
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
  call: ActiveCall | null
}

export interface InitializeAnswer {
  serverInfo: JsonObject
  capabilities: JsonObject
  instructions: string | undefined
}

export class Connection {
  readonly #link: Link
  readonly #events: ConnectionEvents
  readonly #pending = new Map<unknown, Pending>()
  /** The call that caused what the server sends, if the server is in this process. */
  readonly #active = new AsyncLocalStorage<ActiveCall>()
  #count = 0
  #answering = 0
  #end: LinkEnd | null = null

  constructor(link: Link, events: ConnectionEvents) {
    this.#link = link
    this.#events = events
  }

  get isClosed(): boolean {
    return this.#end !== null
  }

  get pid(): number | null {
    return this.#link.pid
  }

  /** Connects and initializes the server. Rejects if it ends or does not answer. */
  async open(version: string, timeoutMs: number): Promise<InitializeAnswer> {
    await this.#link.open({
      received: message => this.#receive(message),
      closed: end => {
        this.#closed(end)
        this.#events.closed(end)
      },
    })
    const answer = this.#link.isStateless ? await this.#discover(timeoutMs) : await this.#initialize(version, timeoutMs)
    void this.#send({ method: 'notifications/initialized' }, null)
    return {
      serverInfo: isRecord(answer.serverInfo) ? answer.serverInfo : {},
      capabilities: isRecord(answer.capabilities) ? answer.capabilities : {},
      instructions: typeof answer.instructions === 'string' ? answer.instructions : undefined,
    }
  }

  /**
   * Sends a request. Rejects with the error of the server, with what a question to the client throws, or with
   * `LinkClosed`.
   */
  async request(
    method: string,
    params: JsonObject,
    context: CallContext | null,
    timeoutMs: number,
  ): Promise<JsonObject> {
    let result = await this.#exchange(method, params, context, timeoutMs)
    let questionCount = 0
    for (let round = 0; result.resultType === 'input_required' && context !== null; round++) {
      if (round === MAX_ROUNDS) throw new RpcError(CODES.internal, `the server asks in more than ${MAX_ROUNDS} rounds`)
      const inputResponses = await askAll(result.inputRequests, context, () => `q${++questionCount}`)
      result = await this.#exchange(
        method,
        { ...params, inputResponses, requestState: result.requestState },
        context,
        timeoutMs,
      )
    }
    return result
  }

  /** Asks for notifications about a resource. */
  async subscribe(uri: string, timeoutMs: number): Promise<void> {
    if (this.#link.isStateless) this.#link.follow(uri)
    else await this.request('resources/subscribe', { uri }, null, timeoutMs)
  }

  async close(): Promise<void> {
    this.#closed({ reason: 'closed' })
    await this.#link.close()
  }

  async #initialize(version: string, timeoutMs: number): Promise<JsonObject> {
    const capabilities = { sampling: {}, elicitation: {}, roots: {} }
    return this.request(
      'initialize',
      { protocolVersion: PROTOCOL, capabilities, clientInfo: { name: 'svc', version } },
      null,
      timeoutMs,
    )
  }

  async #discover(timeoutMs: number): Promise<JsonObject> {
    const { _meta, ...answer } = await this.request('server/discover', {}, null, timeoutMs)
    return { ...answer, serverInfo: isRecord(_meta) ? _meta['io.modelcontextprotocol/serverInfo'] : undefined }
  }

  async #exchange(
    method: string,
    params: JsonObject,
    context: CallContext | null,
    timeoutMs: number,
  ): Promise<JsonObject> {
    if (this.#end) throw new LinkClosed(this.#end)
    if (context?.signal.aborted) throw new Cancelled()
    const id = ++this.#count
    const stop = (): void => void this.#send({ method: 'notifications/cancelled', params: { requestId: id } }, context)
    let timer: NodeJS.Timeout | undefined
    let onAbort = (): void => {}
    try {
      return await new Promise<JsonObject>((resolve, reject) => {
        const give = (error: unknown): void => {
          reject(error)
          stop()
        }
        const call = context && { context, questionCount: 0, fail: give }
        this.#pending.set(id, { resolve, reject, call })
        timer = setTimeout(() => give(new TimedOut()), timeoutMs)
        onAbort = () => give(new Cancelled())
        context?.signal.addEventListener('abort', onAbort, { once: true })
        const message = { id, method, params: context ? withToken(params, id) : params }
        if (call) void this.#active.run(call, () => this.#send(message, context))
        else void this.#send(message, null)
      })
    } finally {
      clearTimeout(timer)
      context?.signal.removeEventListener('abort', onAbort)
      this.#pending.delete(id)
    }
  }

  #closed(end: LinkEnd): void {
    if (this.#end) return
    this.#end = end
    for (const { reject } of this.#pending.values()) reject(new LinkClosed(end))
  }

  /** Resolves when the server has taken it, where the link knows. */
  #send(message: JsonObject, context: CallContext | null): void | Promise<void> {
    if (!this.#end) return this.#link.send({ jsonrpc: '2.0', ...message }, context)
  }

  #receive(message: unknown): void {
    if (!isRecord(message)) return
    const { method, id } = message
    const params = isRecord(message.params) ? message.params : {}
    if (typeof method !== 'string') this.#complete(message)
    else if (id === undefined) this.#notified(method, params)
    else if (this.#answering < MAX_ANSWERING) {
      this.#answering++
      // Not awaited: a link only passes messages on.
      void this.#answer(method, params)
        .then(reply => this.#reply(id, reply))
        .finally(() => this.#answering--)
    }
  }

  async #reply(id: unknown, reply: JsonObject): Promise<void> {
    try {
      await this.#send({ id, ...reply }, null)
    } catch {
      // The server reads nothing; its own timeout applies.
    }
  }

  #complete({ id, result, error }: JsonObject): void {
    const pending = this.#pending.get(id)
    if (!pending) return
    if (isRecord(error)) {
      const code = Number.isInteger(error.code) ? (error.code as number) : CODES.internal
      pending.reject(
        new RpcError(code, textOrNone(error.message) ?? 'the server reported an error', { data: error.data }),
      )
    } else pending.resolve(isRecord(result) ? result : {})
  }

  #notified(method: string, params: JsonObject): void {
    if (method === 'notifications/progress') {
      const context = this.#pending.get(params.progressToken)?.call?.context
      const { progress, total, message } = params
      if (typeof progress === 'number') context?.progress(progress, numberOrNone(total), textOrNone(message))
    } else if (method === 'notifications/message') {
      if (isLogLevel(params.level)) this.#activeCall()?.context.log(params.level, params.data)
    } else if (method === 'notifications/resources/updated') {
      if (typeof params.uri === 'string') this.#events.resourceUpdated(params.uri)
    } else {
      const list = LISTS.find(name => method === `notifications/${name}/list_changed`)
      if (list) this.#events.listChanged(list)
    }
  }

  /** The call that a message of the server belongs to: over a wire only known if one alone is in flight. */
  #activeCall(): ActiveCall | undefined {
    if (this.#link.isInProcess) return this.#active.getStore()
    const calls = [...this.#pending.values()].flatMap(({ call }) => call ?? [])
    return calls.length === 1 ? calls[0] : undefined
  }

  /** Handles a request of the server. Questions go to the client whose call caused them. */
  async #answer(method: string, params: JsonObject): Promise<JsonObject> {
    if (method === 'ping') return { result: {} }
    if (!QUESTIONS.includes(method)) return failure(CODES.methodNotFound, 'Method not found')
    const active = this.#activeCall()
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

/** Asks the client all questions of a round of the revision without sessions. Returns the answers by the server's keys. */
async function askAll(requests: unknown, context: CallContext, nextKey: () => string): Promise<JsonObject> {
  const questions: Record<string, Question> = {}
  const keys: [own: string, given: string][] = []
  const asked = Object.entries(isRecord(requests) ? requests : {})
  if (asked.length > MAX_ANSWERING)
    throw new RpcError(CODES.internal, `the server asks more than ${MAX_ANSWERING} questions at once`)
  for (const [key, request] of asked) {
    if (!isRecord(request) || typeof request.method !== 'string' || !QUESTIONS.includes(request.method))
      throw new RpcError(CODES.internal, 'the server asks for something unknown')
    const own = nextKey()
    questions[own] = {
      method: request.method as QuestionMethod,
      params: isRecord(request.params) ? request.params : {},
    }
    keys.push([own, key])
  }
  const answers = await context.ask(questions)
  return Object.fromEntries(keys.map(([own, given]) => [given, answers[own]]))
}

/** The server has ended, or its connection has broken. */
export class LinkClosed extends Error {
  readonly end: LinkEnd

  constructor(end: LinkEnd) {
    super(end.reason)
    this.end = end
  }
}

/** The server did not answer. */
export class TimedOut extends RpcError {
  constructor() {
    super(CODES.internal, 'the server did not answer in time')
  }
}

function withToken(params: JsonObject, id: number): JsonObject {
  return { ...params, _meta: { ...(isRecord(params._meta) ? params._meta : {}), progressToken: id } }
}

function failure(code: number, message: string): JsonObject {
  return { error: { code, message } }
}

function numberOrNone(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined
}

function textOrNone(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}
