/** The stored conversations. */
import type { Store, Svc } from 'svc/plugin'
import type { Engine, Owner, RouteInput } from '../../llm/types.ts'
import { ownerOf, storedItem, type Item } from '../responses/items.ts'
import { itemKeys, type Asker } from '../responses/response-store.ts'

export interface Conversation {
  provider: string
  session: string
  id: string
  /** Seconds since 1970. */
  created: number
  metadata: Record<string, unknown>
  items: Item[]
  /** Number of items that were ever added; new ids follow from it. */
  added: number
  /** Another one after each change of the items. */
  version: string
  /** A response writes to it until then; milliseconds since 1970. */
  busyUntil: number
}

/** As it is kept: JSON of clients as text, whose memory is known whatever it contains. */
interface Packed {
  session: string
  json: string
}

const BOUNDS = {
  normal: { maxCount: 1000, maxPerGroup: 1000, maxBytes: 64 * 1024 * 1024, ttlMs: 86_400_000, items: 1000 },
  public: { maxCount: 100, maxPerGroup: 10, maxBytes: 8 * 1024 * 1024, ttlMs: 3_600_000, items: 100 },
}

export class ConversationStore {
  readonly #store: Store<Packed>
  readonly #isPublic: boolean
  readonly #keyOf: (owner: Owner, id: string) => string
  readonly #maxItems: number
  readonly #maxCharacters: number
  readonly #engine: Engine

  constructor(svc: Svc, engine: Engine) {
    this.#isPublic = svc.config.publicMode
    this.#engine = engine
    this.#keyOf = itemKeys(engine.ownedKeys(this.#isPublic))
    const { items, ...bounds } = BOUNDS[this.#isPublic ? 'public' : 'normal']
    this.#maxItems = items
    this.#maxCharacters = engine.maxHistory(svc.budgets)
    this.#store = svc.state<Packed>('conversations', { ...bounds, ttlFrom: 'use' })
  }

  async create(
    provider: string,
    session: string,
    { items, metadata }: { items: Record<string, unknown>[]; metadata: Record<string, unknown> },
  ): Promise<Conversation> {
    const empty: Conversation = {
      provider,
      session,
      id: `conv_${this.#engine.randomId(48)}`,
      created: Math.floor(Date.now() / 1000),
      metadata,
      items: [],
      added: 0,
      version: '',
      busyUntil: 0,
    }
    const conversation = this.#with(empty, items, this.#engine.randomId(16))
    const packed = pack(conversation)
    if (packed.json.length > this.#maxCharacters) throw this.#tooLarge()
    await this.#store.set(this.#keyOf(conversation, conversation.id), packed, { group: session })
    return conversation
  }

  /** In public mode, a conversation exists only for the session that made it. */
  async get(asker: Asker, id: string): Promise<Conversation | undefined> {
    const found = await this.owner(asker, id)
    return found?.id === id ? found : undefined
  }

  /** The conversation with this id, or to which this item was added directly. */
  async owner(asker: Asker, id: string): Promise<Conversation | undefined> {
    const found = await this.#packed(asker, id)
    return found && unpack(found)
  }

  /** The same as a part of a prompt: what it costs is taken before it is read. */
  async predecessor(asker: Asker & Pick<RouteInput, 'output'>, id: string): Promise<Conversation | undefined> {
    const found = await this.#packed(asker, id)
    if (found === undefined) return undefined
    this.#engine.takeHistory(asker.output(), found.json.length)
    return unpack(found)
  }

  async #packed({ provider, session, storesResponses }: Asker, id: string): Promise<Packed | undefined> {
    if (!storesResponses || ownerOf(id) === null) return undefined
    const found = await this.#store.get(this.#keyOf({ provider, session }, id))
    return found !== undefined && (!this.#isPublic || found.session === session) ? found : undefined
  }

  /** Changes a conversation that exists; undefined if it does not. */
  async change(
    { provider, session, id }: Conversation,
    change: (conversation: Conversation) => Conversation,
  ): Promise<Conversation | undefined> {
    const changed = await this.#store.update(this.#keyOf({ provider, session }, id), found =>
      found === undefined ? undefined : pack(change(unpack(found))),
    )
    return changed && unpack(changed)
  }

  /** Appends new items, and returns the conversation with them. Throws if it would be too large. */
  async add(conversation: Conversation, items: Record<string, unknown>[]): Promise<Conversation | undefined> {
    const version = this.#engine.randomId(16)
    const changed = await this.#extend(conversation, found => this.#with(found, items, version))
    if (changed !== undefined && changed.version !== version) throw this.#tooLarge()
    return changed
  }

  /**
   * Appends the items of a response, unless the conversation has changed since it was read. The version is for `release`.
   */
  async append(
    read: Conversation,
    items: Item[],
    busyUntil: number,
  ): Promise<{ kind: 'appended'; version: string } | { kind: 'changed' } | { kind: 'too_large'; limit: number }> {
    const version = this.#engine.randomId(16)
    const changed = await this.#extend(read, found =>
      found.version === read.version
        ? this.#trimmed({ ...found, items: [...found.items, ...items], version, busyUntil })
        : found,
    )
    if (changed?.version === version) return { kind: 'appended', version }
    return changed?.version === read.version ? { kind: 'too_large', limit: this.#maxCharacters } : { kind: 'changed' }
  }

  /** A change that would make the conversation longer than a request can read is not kept. */
  async #extend(
    conversation: Conversation,
    change: (conversation: Conversation) => Conversation,
  ): Promise<Conversation | undefined> {
    const changed = await this.#store.update(this.#keyOf(conversation, conversation.id), found => {
      if (found === undefined) return undefined
      const longer = pack(change(unpack(found)))
      return longer.json.length > this.#maxCharacters ? found : longer
    })
    return changed && unpack(changed)
  }

  #tooLarge(): Error {
    return this.#engine.badInput(
      `Invalid 'items': a conversation has at most ${this.#maxCharacters} characters (SVC_BUDGET_OUTPUT_BYTES).`,
      { param: 'items', code: 'invalid_value' },
    )
  }

  /** The response of this version has been sent before its planned end: the next one may begin. */
  async release(conversation: Conversation, version: string): Promise<void> {
    await this.change(conversation, found => (found.version === version ? { ...found, busyUntil: 0 } : found))
  }

  async delete(conversation: Conversation): Promise<void> {
    await this.#store.delete(this.#keyOf(conversation, conversation.id))
  }

  clear(session: string | null): Promise<number> {
    return this.#store.clear(found => session === null || found.session === session)
  }

  bytes(): Promise<number> {
    return this.#store.bytes()
  }

  #with(conversation: Conversation, items: Record<string, unknown>[], version: string): Conversation {
    const { id, added } = conversation
    const stored = items.map((item, index) => storedItem(this.#engine, item, id, `item ${added + index}`))
    return this.#trimmed({
      ...conversation,
      items: [...conversation.items, ...stored],
      added: added + items.length,
      version,
    })
  }

  /** The oldest items go. */
  #trimmed(conversation: Conversation): Conversation {
    return { ...conversation, items: conversation.items.slice(-this.#maxItems) }
  }
}

function pack(conversation: Conversation): Packed {
  return { session: conversation.session, json: JSON.stringify(conversation) }
}

function unpack({ json }: Packed): Conversation {
  return JSON.parse(json) as Conversation
}
