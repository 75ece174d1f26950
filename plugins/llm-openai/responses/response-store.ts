/** The stored responses. What changes over time is worked out when somebody asks. */
import type { Store, Svc } from 'svc/plugin'
import type { Engine, OwnedKeys, Owner, Providers, RouteInput, StoredChoice, StreamEnding } from '../../llm/types.ts'
import { ownerOf, type Item } from './items.ts'
import type { Reply, ResponseHead } from './response-object.ts'

/** A response with what is needed to continue it, and to replay its events. Plain data. */
export interface StoredResponse {
  provider: string
  session: string
  head: ResponseHead
  input: Item[]
  previous: string | null
  /** Null: nothing was generated. */
  reply: StoredReply | null
  /** When the tokens of a background response are due; null: it was complete at once. */
  plan: ResponsePlan | null
  /** Milliseconds since 1970. */
  cancelledAt: number | null
}

export interface ResponsePlan {
  /** Milliseconds since 1970. */
  beganAt: number
  ttftMs: number
  gapMs: number
  /** Number of tokens after which it fails; null: it does not. */
  failsAfter: number | null
}

export interface StoredReply extends Omit<Reply, 'choice'> {
  choice: StoredChoice
}

/** As it is kept: JSON of clients as text, whose memory is known whatever it contains. */
interface Packed {
  session: string
  cancelledAt: number | null
  json: string
}

/** Who asks. A provider that stores nothing finds nothing. */
export type Asker = Pick<RouteInput, 'provider' | 'session' | 'storesResponses'>

const BOUNDS = {
  normal: { maxCount: 2000, maxPerGroup: 2000, maxBytes: 64 * 1024 * 1024, ttlMs: 86_400_000 },
  public: { maxCount: 200, maxPerGroup: 20, maxBytes: 8 * 1024 * 1024, ttlMs: 3_600_000 },
}

export class ResponseStore {
  readonly #store: Store<Packed>
  readonly #engine: Engine
  readonly #isPublic: boolean
  readonly #keyOf: (owner: Owner, id: string) => string
  readonly #endingOf: (key: string) => StreamEnding

  constructor(svc: Svc, { engine, endings }: Pick<Providers, 'engine' | 'endings'>) {
    this.#isPublic = svc.config.publicMode
    this.#engine = engine
    this.#keyOf = itemKeys(engine.ownedKeys(this.#isPublic))
    this.#store = svc.state<Packed>('responses', {
      ...BOUNDS[this.#isPublic ? 'public' : 'normal'],
      ttlFrom: 'use',
      watched: true,
      schema: 2,
    })
    this.#endingOf = endings(this.#store, ({ cancelledAt }) => cancelledAt !== null)
  }

  /** Ends a stream of the response when it is cancelled or deleted. */
  endingOf(owner: Owner, id: string): StreamEnding {
    return this.#endingOf(this.#keyOf(owner, id))
  }

  async put(response: StoredResponse): Promise<void> {
    const { session, cancelledAt } = response
    const packed: Packed = { session, cancelledAt, json: JSON.stringify(response) }
    await this.#store.set(this.#keyOf(response, response.head.id), packed, { group: session })
  }

  /** In public mode, a response exists only for the session that made it. */
  async get(asker: Asker, id: string): Promise<StoredResponse | undefined> {
    const found = await this.owner(asker, id)
    return found?.head.id === id ? found : undefined
  }

  /** The response whose item this is. */
  async owner(asker: Asker, item: string): Promise<StoredResponse | undefined> {
    const found = await this.#packed(asker, item)
    return found && unpack(found)
  }

  /**
   * The response with this id, or whose item this is, as a part of a prompt: what it costs is taken before it is read.
   */
  async predecessor(asker: Asker & Pick<RouteInput, 'output'>, id: string): Promise<StoredResponse | undefined> {
    const found = await this.#packed(asker, id)
    if (found === undefined) return undefined
    this.#engine.takeHistory(asker.output(), found.json.length)
    return unpack(found)
  }

  async #packed({ provider, session, storesResponses }: Asker, item: string): Promise<Packed | undefined> {
    if (!storesResponses || ownerOf(item) === null) return undefined
    const found = await this.#store.get(this.#keyOf({ provider, session }, item))
    return found !== undefined && (!this.#isPublic || found.session === session) ? found : undefined
  }

  async delete(owner: Owner, id: string): Promise<boolean> {
    return this.#store.delete(this.#keyOf(owner, id))
  }

  async cancel(owner: Owner, id: string, now: number): Promise<StoredResponse | undefined> {
    const changed = await this.#store.update(this.#keyOf(owner, id), found =>
      found === undefined || found.cancelledAt !== null ? found : { ...found, cancelledAt: now },
    )
    return changed && unpack(changed)
  }

  clear(session: string | null): Promise<number> {
    return this.#store.clear(found => session === null || found.session === session)
  }

  bytes(): Promise<number> {
    return this.#store.bytes()
  }
}

function unpack({ json, cancelledAt }: Packed): StoredResponse {
  return { ...(JSON.parse(json) as StoredResponse), cancelledAt }
}

/** Items have the first digits of their response in their ids, so that they lead to it. */
export function itemKeys(keyOf: OwnedKeys): (owner: Owner, id: string) => string {
  return (owner, id) => keyOf(owner, ownerOf(id) ?? id)
}
