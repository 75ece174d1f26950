/** The stored conversations. */
import {
  createTextRecords,
  RecordTooLong,
  type Records,
  type RecordStore,
  type StoredRecord,
  type Svc,
} from 'svc/plugin'
import type { Engine, Owner, RouteInput } from '../../llm/types.ts'
import { storedItem, type Item, idOf, isKept, type Asker } from '../items/items.ts'

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

const BOUNDS = {
  normal: { maxCount: 1000, maxPerGroup: 1000, maxBytes: 64 * 1024 * 1024, ttlMs: 86_400_000, items: 1000 },
  public: { maxCount: 100, maxPerGroup: 10, maxBytes: 8 * 1024 * 1024, ttlMs: 3_600_000, items: 100 },
}

export class ConversationStore {
  readonly #records: RecordStore<Conversation>
  readonly #maxItems: number
  readonly #engine: Engine

  constructor(svc: Svc, engine: Engine) {
    this.#engine = engine
    const { items, ...bounds } = BOUNDS[svc.config.publicMode ? 'public' : 'normal']
    this.#maxItems = items
    const store = svc.state<StoredRecord<string>>('conversations', { ...bounds, ttlFrom: 'use', schema: 2 })
    // A longer one could not be read by a request.
    this.#records = createTextRecords(svc, store, { idOf, maxCharacters: engine.maxHistory(svc.budgets) })
  }

  /** Throws if it would be too large. */
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
    await this.#of(conversation).put(conversation.id, conversation).catch(this.#refuse)
    return conversation
  }

  /** The memory that it takes besides the answer is held before it is read. Throws `OutputUnavailable`. */
  async get(asker: Asker & Pick<RouteInput, 'output'>, id: string): Promise<Conversation | undefined> {
    if (!isKept(asker, id)) return undefined
    const found = await this.#of(asker).get(id, characters => asker.output().hold(characters))
    return found?.id === id ? found : undefined
  }

  /** As a part of a prompt: what it costs is taken before it is read. */
  async predecessor(asker: Asker & Pick<RouteInput, 'output'>, id: string): Promise<Conversation | undefined> {
    if (!isKept(asker, id)) return undefined
    return this.#of(asker).get(id, characters => this.#engine.takeHistory(asker.output(), characters))
  }

  /** Changes a conversation that exists; undefined if it does not. */
  change(
    conversation: Conversation,
    change: (conversation: Conversation) => Conversation,
  ): Promise<Conversation | undefined> {
    return this.#of(conversation).change(conversation.id, change)
  }

  /** Appends new items, and returns the conversation with them. Throws if it would be too large. */
  add(conversation: Conversation, items: Record<string, unknown>[]): Promise<Conversation | undefined> {
    const version = this.#engine.randomId(16)
    return this.change(conversation, found => this.#with(found, items, version)).catch(this.#refuse)
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
    try {
      const changed = await this.change(read, found =>
        found.version === read.version
          ? this.#trimmed({ ...found, items: [...found.items, ...items], version, busyUntil })
          : found,
      )
      return changed?.version === version ? { kind: 'appended', version } : { kind: 'changed' }
    } catch (error) {
      if (error instanceof RecordTooLong) return { kind: 'too_large', limit: error.limit }
      throw error
    }
  }

  /** The response of this version has been sent before its planned end: the next one may begin. */
  async release(conversation: Conversation, version: string): Promise<void> {
    await this.change(conversation, found => (found.version === version ? { ...found, busyUntil: 0 } : found))
  }

  async delete(conversation: Conversation): Promise<void> {
    await this.#of(conversation).delete(conversation.id)
  }

  clear(session: string | null): Promise<number> {
    return this.#records.clear(session)
  }

  bytes(): Promise<number> {
    return this.#records.bytes()
  }

  #of({ provider, session }: Owner): Records<Conversation> {
    return this.#records.of(provider, session)
  }

  readonly #refuse = (error: unknown): never => {
    if (!(error instanceof RecordTooLong)) throw error
    throw this.#engine.badInput(
      `Invalid 'items': a conversation has at most ${error.limit} characters (SVC_BUDGET_OUTPUT_BYTES).`,
      { param: 'items', code: 'invalid_value' },
    )
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
