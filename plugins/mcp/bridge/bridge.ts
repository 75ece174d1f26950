/** Owns a server of an SDK behind a server of svc: its connections, its lists, and forwarding calls to it. */
import { isRecord } from 'svc/plugin'
import type { Call, MethodResult } from '../calls/call.ts'
import { HandlerContext } from '../calls/call-context.ts'
import { CODES, invalidParams, methodNotFound, RpcError, shorten } from '../errors.ts'
import type { ListKind } from '../registry/lists.ts'
import type { Tool } from '../registry/registry.ts'
import { routedArguments } from '../registry/schema.ts'
import type { JsonObject, ListName, SdkDefinition, SdkServer, ToolDefinition } from '../types.ts'
import { type BridgedItems, BridgedLists } from './bridged-lists.ts'
import { Connection, type ConnectionEvents } from './connection.ts'

export interface BridgeOptions {
  definition: SdkDefinition
  /** Version of svc. */
  release: string
  timeoutMs: number
  maxConnections: number
  listChanged(list: ListName): void
  resourceUpdated(uri: string): void
  /** Calls `ended` when the session ends. Returns a function that removes it. */
  whenEnded(session: string, ended: () => void): () => void
  /** Gets errors that no call reports. */
  log(error: unknown): void
}

const MAX_PAGES = 50
const MAX_ITEMS = 5000
const MAX_LIST_LENGTH = 8 * 1024 * 1024
const START_MS = 10_000

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

export class Bridge {
  readonly lists = new BridgedLists()
  readonly tools = new Map<string, Tool>()
  info: JsonObject = {}
  capabilities: JsonObject = {}
  instructions: string | undefined
  readonly #options: BridgeOptions
  /** One connection for all, or for all stateless calls. */
  #common: Connection | null = null
  readonly #ofSessions = new Map<string, Promise<Connection>>()
  /** Removes the callbacks of sessions, which outlive this object. */
  readonly #removals = new Set<() => void>()

  constructor(options: BridgeOptions) {
    this.#options = options
  }

  /** Connects to the server and reads its lists. */
  async start(): Promise<void> {
    const { definition, release } = this.#options
    const connection = new Connection(await makeServer(definition, null), this.#events)
    const { serverInfo, capabilities, instructions } = await connection.open(release)
    this.#common = connection
    this.info = serverInfo
    this.capabilities = capabilities
    this.instructions = instructions
    for (const list of ['tools', 'resources', 'prompts'] as const) await this.#readList(list)
  }

  has(capability: string): boolean {
    return isRecord(this.capabilities[capability])
  }

  /** Whether calls of this method go to the server. Others than the usual ones only if it declares an extension. */
  forwards(method: string): boolean {
    return FORWARDED.includes(method)
  }

  get hasExtensions(): boolean {
    return isRecord(this.capabilities.extensions) && Object.keys(this.capabilities.extensions).length > 0
  }

  async forward(call: Call): Promise<MethodResult> {
    const params = this.#paramsOf(call)
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

  /** Subscribes to changes of a resource, if the server supports it. */
  async subscribe(uri: string): Promise<void> {
    const { resources } = this.capabilities
    if (isRecord(resources) && resources.subscribe === true)
      await this.#common?.request('resources/subscribe', { uri }, null, this.#options.timeoutMs)
  }

  async close(): Promise<void> {
    for (const remove of this.#removals) remove()
    this.#removals.clear()
    const all = await Promise.allSettled([...this.#ofSessions.values(), this.#common])
    this.#ofSessions.clear()
    await Promise.allSettled(
      all.map(async one => {
        if (one.status === 'fulfilled') await one.value?.close()
      }),
    )
  }

  get #events(): ConnectionEvents {
    return {
      listChanged: list => {
        this.#readList(list).then(
          () => this.#options.listChanged(list),
          error => this.#options.log(error),
        )
      },
      resourceUpdated: uri => this.#options.resourceUpdated(uri),
    }
  }

  /** The params for the server: without what only svc reads. */
  #paramsOf({ method, params }: Call): JsonObject {
    const { _meta: _, inputResponses: _responses, requestState: _state, ...own } = params
    if (method !== 'tools/call') return own
    if (typeof own.name !== 'string') throw invalidParams('Missing tool name')
    if (!this.tools.has(own.name)) throw invalidParams(`Unknown tool: ${shorten(own.name)}`)
    const { arguments: args, ...others } = own
    if (args !== undefined && args !== null && !isRecord(args)) throw invalidParams('"arguments" must be an object')
    return { ...others, arguments: args ?? {} }
  }

  async #connectionFor(session: string | null): Promise<Connection> {
    if (!this.#common) throw methodNotFound('the server has not started')
    if (session === null || this.#options.definition.create === undefined) return this.#common
    const known = this.#ofSessions.get(session)
    if (known) return known
    if (this.#ofSessions.size >= this.#options.maxConnections)
      throw new RpcError(CODES.internal, `too many connections (at most ${this.#options.maxConnections})`)
    const opening = this.#openFor(session)
    this.#ofSessions.set(session, opening)
    let remove = (): void => {}
    const forget = (): void => {
      remove()
      this.#removals.delete(remove)
      if (this.#ofSessions.get(session) === opening) this.#ofSessions.delete(session)
    }
    remove = this.#options.whenEnded(session, () => {
      forget()
      opening.then(connection => connection.close()).catch((error: unknown) => this.#options.log(error))
    })
    this.#removals.add(remove)
    opening.catch(forget)
    return opening
  }

  async #openFor(session: string): Promise<Connection> {
    const connection = new Connection(await makeServer(this.#options.definition, session), this.#events)
    await connection.open(this.#options.release)
    return connection
  }

  async #readList(list: ListName): Promise<void> {
    if (!this.has(list) || !this.#common) return
    const items: BridgedItems = {}
    for (const { kind, method } of LISTS[list]) items[kind] = await this.#readPages(kind, method, this.#common)
    this.lists.replace(items)
    if (list !== 'tools') return
    this.tools.clear()
    for (const item of items.tools ?? []) {
      const tool = toolOf(item)
      if (tool) this.tools.set(tool.definition.name, tool)
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
      items.push(...members)
      if (items.length > MAX_ITEMS || length > MAX_LIST_LENGTH) throw new Error(`the server lists too many ${kind}`)
      cursor = result.nextCursor
      if (typeof cursor !== 'string') break
    }
    return items
  }

  /** A server may have the capability without the method, such as for templates. */
  async #readPage(method: string, cursor: unknown, connection: Connection): Promise<JsonObject> {
    try {
      return await connection.request(method, cursor === undefined ? {} : { cursor }, null, START_MS)
    } catch (error) {
      if (error instanceof RpcError && error.code === CODES.methodNotFound) return {}
      throw error
    }
  }
}

async function makeServer({ server, create }: SdkDefinition, session: string | null): Promise<SdkServer> {
  const made = server ?? (await create?.(session))
  if (!made) throw new Error('the definition has no server')
  return made
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
