/** The stored responses. What changes over time is worked out when somebody asks. */
import { createTextRecords, type Records, type RecordStore, type StoredRecord, type Svc } from 'svc/plugin'
import type { Engine, Owner, Providers, RouteInput, StoredChoice, StreamEnding } from '../../llm/types.ts'
import { idOf, isKept, type Asker, type Item } from '../items/items.ts'
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

const BOUNDS = {
  normal: { maxCount: 2000, maxPerGroup: 2000, maxBytes: 64 * 1024 * 1024, ttlMs: 86_400_000 },
  public: { maxCount: 200, maxPerGroup: 20, maxBytes: 8 * 1024 * 1024, ttlMs: 3_600_000 },
}

export class ResponseStore {
  readonly #records: RecordStore<StoredResponse>
  readonly #engine: Engine

  constructor(svc: Svc, { engine }: Pick<Providers, 'engine'>) {
    this.#engine = engine
    const store = svc.state<StoredRecord<string>>('responses', {
      ...BOUNDS[svc.config.publicMode ? 'public' : 'normal'],
      ttlFrom: 'use',
      watched: true,
      schema: 3,
    })
    this.#records = createTextRecords(svc, store, { idOf, isOver: ({ cancelledAt }) => cancelledAt !== null })
  }

  /** Ends a stream of the response when it is cancelled or deleted. */
  endingOf(owner: Owner, id: string): StreamEnding {
    return this.#of(owner).ending(id)
  }

  put(response: StoredResponse): Promise<void> {
    return this.#of(response).put(response.head.id, response)
  }

  async get(asker: Asker, id: string): Promise<StoredResponse | undefined> {
    const found = await this.owner(asker, id)
    return found?.head.id === id ? found : undefined
  }

  /** The response whose item this is. */
  async owner(asker: Asker, item: string): Promise<StoredResponse | undefined> {
    return isKept(asker, item) ? this.#of(asker).get(item) : undefined
  }

  /**
   * The response with this id, or whose item this is, as a part of a prompt: what it costs is taken before it is read.
   */
  async predecessor(asker: Asker & Pick<RouteInput, 'output'>, id: string): Promise<StoredResponse | undefined> {
    if (!isKept(asker, id)) return undefined
    return this.#of(asker).get(id, characters => this.#engine.takeHistory(asker.output(), characters))
  }

  delete(owner: Owner, id: string): Promise<boolean> {
    return this.#of(owner).delete(id)
  }

  cancel(owner: Owner, id: string, now: number): Promise<StoredResponse | undefined> {
    return this.#of(owner).change(id, found => (found.cancelledAt === null ? { ...found, cancelledAt: now } : found))
  }

  clear(session: string | null): Promise<number> {
    return this.#records.clear(session)
  }

  bytes(): Promise<number> {
    return this.#records.bytes()
  }

  #of({ provider, session }: Owner): Records<StoredResponse> {
    return this.#records.of(provider, session)
  }
}
