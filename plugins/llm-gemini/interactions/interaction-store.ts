/** The stored interactions. */
import { createTextRecords, type Records, type RecordStore, type StoredRecord, type Svc } from 'svc/plugin'
import type { Engine, Owner, Providers, RouteInput, StreamEnding } from '../../llm/types.ts'
import type { Interaction } from './interaction.ts'

/** Who asks. A provider that stores nothing finds nothing. */
type Asker = Pick<RouteInput, 'provider' | 'session' | 'storesResponses'>

const MIB = 1024 * 1024
const BOUNDS = {
  normal: { maxCount: 2000, maxPerGroup: 2000, maxBytes: 64 * MIB, ttlMs: 86_400_000 },
  public: { maxCount: 200, maxPerGroup: 20, maxBytes: 8 * MIB, ttlMs: 3_600_000 },
}

export class InteractionStore {
  readonly #records: RecordStore<Interaction>
  readonly #engine: Engine

  constructor(svc: Svc, { engine }: Pick<Providers, 'engine'>) {
    this.#engine = engine
    const store = svc.state<StoredRecord<string>>('interactions', {
      ...BOUNDS[svc.config.publicMode ? 'public' : 'normal'],
      ttlFrom: 'use',
      watched: true,
      schema: 3,
    })
    this.#records = createTextRecords(svc, store, { isOver: ({ cancelledAt }) => cancelledAt !== null })
  }

  /** Ends a stream of the interaction when it is cancelled or deleted. */
  endingOf(owner: Owner, id: string): StreamEnding {
    return this.#of(owner).ending(id)
  }

  put(interaction: Interaction): Promise<void> {
    return this.#of(interaction).put(interaction.head.id, interaction)
  }

  async get(asker: Asker, id: string): Promise<Interaction | undefined> {
    return asker.storesResponses ? this.#of(asker).get(id) : undefined
  }

  /** An interaction that becomes a part of a prompt: what it costs is taken before it is read. */
  async predecessor(asker: Asker & Pick<RouteInput, 'output'>, id: string): Promise<Interaction | undefined> {
    if (!asker.storesResponses) return undefined
    return this.#of(asker).get(id, characters => this.#engine.takeHistory(asker.output(), characters))
  }

  cancel(interaction: Interaction, now: number): Promise<Interaction | undefined> {
    return this.#of(interaction).change(interaction.head.id, found =>
      found.cancelledAt === null ? { ...found, cancelledAt: now } : found,
    )
  }

  async delete(interaction: Interaction): Promise<void> {
    await this.#of(interaction).delete(interaction.head.id)
  }

  clear(session: string | null): Promise<number> {
    return this.#records.clear(session)
  }

  bytes(): Promise<number> {
    return this.#records.bytes()
  }

  #of({ provider, session }: Owner): Records<Interaction> {
    return this.#records.of(provider, session)
  }
}
