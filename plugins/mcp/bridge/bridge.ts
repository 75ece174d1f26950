/** Owns a bridged server behind a server of svc: its connections, its lists, and forwarding calls to it. */
import { setTimeout } from 'node:timers/promises'
import { isRecord } from 'svc/toolkit'
import type { Call, MethodResult } from '../servers/call.ts'
import { HandlerContext } from '../servers/call-context.ts'
import { Cancelled, CODES, invalidParams, RpcError, shorten } from '../errors.ts'
import type { ListKind } from '../registry/lists.ts'
import type { Tool } from '../registry/registry.ts'
import { routedArguments } from '../registry/schema.ts'
import type { JsonObject, ListName, ToolDefinition } from '../types.ts'
import { type BridgedItems, BridgedLists } from './bridged-lists.ts'
import { Connection, type ConnectionEvents, LinkClosed, TimedOut } from './connection.ts'
import { Keeper } from './keeper.ts'
import type { LinkEnd, LinkSource } from './link.ts'
import type { BridgeState, BridgeStatus, ServerBridge } from '../servers/server-bridge.ts'

/** How a call of a bridged server ended, for the metrics. */
export type CallOutcome = 'ok' | 'error' | 'timeout' | 'canceled' | 'not_running'

export interface BridgeOptions {
  name: string
  source: LinkSource
  /** Version of svc. */
  release: string
  timeoutMs: number
  /** Time for each request until the server is known. Default 10 s. */
  startMs?: number
  /** Connections of sessions, in addition to the common one. */
  maxConnections: number
  maxInFlight: number
  /** With a session, only the lists of its own connection have changed. */
  listChanged(list: ListName, session: string | null): void
  resourceUpdated(uri: string): void
  /** Calls `ended` when the session ends. Returns a function that removes it. */
  whenEnded(session: string, ended: () => void): () => void
  /** Gets errors that no call reports. */
  log(error: unknown): void
  stateChanged?(state: BridgeState): void
  restarted?(): void
  called?(outcome: CallOutcome): void
}

const MAX_PAGES = 50
const MAX_ITEMS = 5000
const MAX_LIST_LENGTH = 8 * 1024 * 1024
const DEFAULT_START_MS = 10_000
const REREAD_MS = 1000
const LIST_NAMES = ['tools', 'resources', 'prompts'] as const
const META_LOG_LEVEL = 'io.modelcontextprotocol/logLevel'

/** The methods and members of the lists, by capability. */
const LISTS: Record<ListName, readonly { kind: ListKind; method: string }[]> = {
  tools: [{ kind: 'tools', method: 'tools/list' }],
  resources: [
    { kind: 'resources', method: 'resources/list' },
    { kind: 'resourceTemplates', method: 'resources/templates/list' },
  ],
  prompts: [{ kind: 'prompts', method: 'prompts/list' }],
}
const FORWARDED: readonly string[] = ['tools/call', 'resources/read', 'prompts/get', 'completion/complete']

/** What a connection offers. */
interface Offer {
  lists: BridgedLists
  tools: Map<string, Tool>
}

export class Bridge implements ServerBridge {
  readonly lists = new BridgedLists()
  readonly tools = new Map<string, Tool>()
  info: JsonObject
  capabilities: JsonObject = {}
  instructions: string | undefined
  readonly #options: BridgeOptions
  /** The connection for all, or for all stateless calls. */
  readonly #common: Keeper
  readonly #ofSessions = new Map<string, Promise<Connection>>()
  /** What the connections of sessions offer that have changed their lists. */
  readonly #ownOffers = new Map<string, Offer>()
  /** Removes the callbacks of sessions, which outlive this object. */
  readonly #removals = new Set<() => void>()
  /** Lists that are being read again, by session and name, and whether they have changed meanwhile. */
  readonly #rereads = new Map<string, { isDue: boolean }>()
  #calls = 0
  #inFlight = 0
  #hasStarted = false

  constructor(options: BridgeOptions) {
    this.#options = options
    this.info = { name: options.name, version: options.release }
    this.#common = new Keeper({
      connect: closed => this.#openCommon(closed),
      changed: state => options.stateChanged?.(state),
      restarting: () => options.restarted?.(),
    })
  }

  get kind(): LinkSource['kind'] {
    return this.#options.source.kind
  }

  get status(): BridgeStatus {
    const pid = this.#common.connection?.pid ?? null
    return {
      state: this.#common.state,
      ...(pid === null ? {} : { pid }),
      ...this.#common.facts,
      sessions: this.#ofSessions.size,
      calls: this.#calls,
      in_flight: this.#inFlight,
    }
  }

  /** Connects to the server and reads its lists. Rejects if that fails. */
  start(): Promise<void> {
    this.#hasStarted = true
    return this.#common.start()
  }

  /** Starts the server, and starts it again whenever it ends. Repeated calls have no effect. */
  keep(): void {
    if (this.#hasStarted) return
    this.#hasStarted = true
    this.#common.keep()
  }

  firstAttempt(): Promise<void> {
    return this.#common.firstAttempt()
  }

  async restart(): Promise<void> {
    await this.#closeSessions()
    await this.#common.restart()
  }

  listsOf(session: string | null): BridgedLists {
    return this.#offerOf(session).lists
  }

  #offerOf(session: string | null): Offer {
    return this.#ownOffers.get(session ?? '') ?? this
  }

  has(capability: string): boolean {
    return isRecord(this.capabilities[capability])
  }

  forwards(method: string): boolean {
    return FORWARDED.includes(method)
  }

  get hasExtensions(): boolean {
    return isRecord(this.capabilities.extensions) && Object.keys(this.capabilities.extensions).length > 0
  }

  async forward(call: Call): Promise<MethodResult> {
    const params = this.#paramsOf(call)
    const { maxInFlight } = this.#options
    if (this.#inFlight >= maxInFlight)
      throw new RpcError(CODES.internal, `too many calls in flight (at most ${maxInFlight})`)
    this.#inFlight++
    this.#calls++
    try {
      const answer = await this.#request(call, params)
      this.#options.called?.('ok')
      return answer
    } catch (error) {
      this.#options.called?.(outcomeOf(error))
      throw error instanceof LinkClosed ? this.#notRunning() : error
    } finally {
      this.#inFlight--
    }
  }

  async subscribe(uri: string): Promise<void> {
    const { resources } = this.capabilities
    if (isRecord(resources) && resources.subscribe === true)
      await this.#common.connection?.subscribe(uri, this.#options.timeoutMs)
  }

  async close(): Promise<void> {
    await Promise.allSettled([this.#closeSessions(), this.#common.close()])
  }

  get #startMs(): number {
    return this.#options.startMs ?? DEFAULT_START_MS
  }

  /** What the server reports on its own, on the connection of a session or the common one. */
  #eventsOf(session: string | null): Omit<ConnectionEvents, 'closed'> {
    return {
      listChanged: list => this.#readAgain(list, session),
      resourceUpdated: uri => this.#options.resourceUpdated(uri),
    }
  }

  async #request(call: Call, params: JsonObject): Promise<MethodResult> {
    await call.conversation.resume(call)
    const context = new HandlerContext(call)
    const connection = await this.#connectionFor(context.session)
    const result = await connection.request(call.method, params, context, this.#options.timeoutMs)
    const { resultType: _, structuredContent, _meta, ...members } = result
    const shown = {
      ...members,
      ...(structuredContent !== undefined && call.version.structuredOutput ? { structuredContent } : {}),
    }
    const cache = call.method === 'resources/read' ? { cache: { ttlMs: 0, cacheScope: 'private' } as const } : {}
    if (!isRecord(_meta)) return { result: shown, ...cache }
    return call.version.isStateless ? { result: shown, meta: _meta, ...cache } : { result: { ...shown, _meta } }
  }

  /** The params for the server: without what only svc reads. */
  #paramsOf({ method, params, conversation }: Call): JsonObject {
    const { _meta: _, inputResponses: _responses, requestState: _state, ...own } = params
    const { logLevel } = conversation
    // A remote server without sessions sends no log messages otherwise.
    const meta = logLevel ? { _meta: { [META_LOG_LEVEL]: logLevel } } : {}
    if (method !== 'tools/call') return { ...own, ...meta }
    if (typeof own.name !== 'string') throw invalidParams('Missing tool name')
    if (!this.#common.connection) throw this.#notRunning()
    if (!this.#offerOf(conversation.session).tools.has(own.name))
      throw invalidParams(`Unknown tool: ${shorten(own.name)}`)
    const { arguments: args, ...others } = own
    if (args !== undefined && args !== null && !isRecord(args)) throw invalidParams('"arguments" must be an object')
    return { ...others, arguments: args ?? {}, ...meta }
  }

  #notRunning(): RpcError {
    const { state, last_exit } = this.status
    const data = {
      server: this.#options.name,
      state,
      ...(typeof last_exit?.code === 'number' ? { exit_code: last_exit.code } : {}),
    }
    return new RpcError(CODES.internal, 'the server is not running', { data })
  }

  async #connectionFor(session: string | null): Promise<Connection> {
    const common = this.#common.connection
    if (!common) throw this.#notRunning()
    if (session === null || !this.#options.source.isPerSession) return common
    const known = this.#ofSessions.get(session)
    if (known) return known
    if (this.#ofSessions.size >= this.#options.maxConnections)
      throw new RpcError(CODES.internal, `too many connections (at most ${this.#options.maxConnections})`)
    const forget = (): void => {
      remove()
      this.#removals.delete(remove)
      if (this.#ofSessions.get(session) !== opening) return
      this.#ofSessions.delete(session)
      this.#ownOffers.delete(session)
    }
    let remove = (): void => {}
    const opening = this.#open(session, { ...this.#eventsOf(session), closed: () => forget() })
    this.#ofSessions.set(session, opening)
    remove = this.#options.whenEnded(session, () => {
      forget()
      opening.then(connection => connection.close()).catch((error: unknown) => this.#options.log(error))
    })
    this.#removals.add(remove)
    opening.catch(forget)
    return opening
  }

  async #open(session: string | null, events: ConnectionEvents): Promise<Connection> {
    const connection = new Connection(await this.#options.source.create(session), events)
    try {
      await connection.open(this.#options.release, this.#startMs)
      return connection
    } catch (error) {
      await connection.close()
      throw error
    }
  }

  /** Opens the common connection and reads what the server offers. Changed lists are announced. */
  async #openCommon(closed: (end: LinkEnd) => void): Promise<Connection> {
    const connection = new Connection(await this.#options.source.create(null), { ...this.#eventsOf(null), closed })
    try {
      const { serverInfo, capabilities, instructions } = await connection.open(this.#options.release, this.#startMs)
      this.info = { name: this.#options.name, version: this.#options.release, ...serverInfo }
      this.capabilities = capabilities
      this.instructions = instructions
      for (const list of LIST_NAMES) {
        const before = this.lists.fingerprint(list)
        await this.#readList(list, this, connection)
        if (this.lists.fingerprint(list) !== before) this.#options.listChanged(list, null)
      }
      return connection
    } catch (error) {
      await connection.close()
      throw error
    }
  }

  async #closeSessions(): Promise<void> {
    for (const remove of this.#removals) remove()
    this.#removals.clear()
    const all = await Promise.allSettled(this.#ofSessions.values())
    this.#ofSessions.clear()
    this.#ownOffers.clear()
    await Promise.allSettled(
      all.map(async one => {
        if (one.status === 'fulfilled') await one.value.close()
      }),
    )
  }

  /** Reads a list that has changed, once at a time and at most once a second, however often the server reports it. */
  #readAgain(list: ListName, session: string | null): void {
    const key = `${list} ${session ?? ''}`
    const known = this.#rereads.get(key)
    if (known !== undefined) {
      known.isDue = true
      return
    }
    const reread = { isDue: false }
    this.#rereads.set(key, reread)
    const read = async (): Promise<void> => {
      do {
        reread.isDue = false
        try {
          await this.#readChanged(list, session)
          this.#options.listChanged(list, session)
        } catch (error) {
          this.#options.log(error)
        }
        await setTimeout(REREAD_MS, undefined, { ref: false })
      } while (reread.isDue)
      this.#rereads.delete(key)
    }
    void read()
  }

  async #readChanged(list: ListName, session: string | null): Promise<void> {
    if (session === null) return this.#readList(list, this, this.#common.connection)
    const opening = this.#ofSessions.get(session)
    const connection = await opening
    const offer = this.#ownOffers.get(session) ?? { lists: this.lists.copy(), tools: new Map(this.tools) }
    await this.#readList(list, offer, connection ?? null)
    // The session may have ended meanwhile.
    if (opening !== undefined && this.#ofSessions.get(session) === opening) this.#ownOffers.set(session, offer)
  }

  async #readList(list: ListName, { lists, tools }: Offer, connection: Connection | null): Promise<void> {
    if (!this.has(list) || !connection) return
    const items: BridgedItems = {}
    for (const { kind, method } of LISTS[list]) items[kind] = await this.#readPages(kind, method, connection)
    lists.replace(items)
    if (list !== 'tools') return
    tools.clear()
    for (const item of items.tools ?? []) {
      const tool = toolOf(item)
      if (tool) tools.set(tool.definition.name, tool)
    }
  }

  async #readPages(kind: ListKind, method: string, connection: Connection): Promise<JsonObject[]> {
    const items: JsonObject[] = []
    let cursor: unknown
    let length = 0
    for (let page = 0; page < MAX_PAGES; page++) {
      const result = await this.#readPage(method, cursor, connection)
      const members = Array.isArray(result[kind]) ? (result[kind] as unknown[]).filter(item => isRecord(item)) : []
      length += JSON.stringify(members).length
      for (const item of members) items.push(item)
      if (items.length > MAX_ITEMS || length > MAX_LIST_LENGTH) throw new Error(`the server lists too many ${kind}`)
      cursor = result.nextCursor
      if (typeof cursor !== 'string') break
    }
    return items
  }

  /** A server may have the capability without the method, such as for templates. */
  async #readPage(method: string, cursor: unknown, connection: Connection): Promise<JsonObject> {
    try {
      return await connection.request(method, cursor === undefined ? {} : { cursor }, null, this.#startMs)
    } catch (error) {
      if (error instanceof RpcError && error.code === CODES.methodNotFound) return {}
      throw error
    }
  }
}

function outcomeOf(error: unknown): CallOutcome {
  if (error instanceof LinkClosed) return 'not_running'
  if (error instanceof TimedOut) return 'timeout'
  return error instanceof Cancelled ? 'canceled' : 'error'
}

/** For checks of headers only: the server itself checks arguments. */
function toolOf(item: JsonObject): Tool | null {
  const { name, inputSchema } = item
  if (typeof name !== 'string') return null
  const schema = isRecord(inputSchema) ? inputSchema : {}
  const definition: ToolDefinition = { name, inputSchema: schema, call: () => ({ content: [] }) }
  try {
    return { definition, validate: () => null, routed: routedArguments(schema) }
  } catch {
    return { definition, validate: () => null, routed: new Map() }
  }
}
