/** The stored interactions. */
import type { Store, Svc } from 'svc/plugin'
import type { Engine, OwnedKeys, Owner, Providers, RouteInput, StreamEnding } from '../../llm/types.ts'
import type { Interaction } from './interaction.ts'

/** As it is kept: JSON of clients as text, whose memory is known whatever it contains. */
interface Packed {
  session: string
  cancelledAt: number | null
  json: string
}

/** Who asks. A provider that stores nothing finds nothing. */
type Asker = Pick<RouteInput, 'provider' | 'session' | 'storesResponses'>

const MIB = 1024 * 1024
const BOUNDS = {
  normal: { maxCount: 2000, maxPerGroup: 2000, maxBytes: 64 * MIB, ttlMs: 86_400_000 },
  public: { maxCount: 200, maxPerGroup: 20, maxBytes: 8 * MIB, ttlMs: 3_600_000 },
}

export class InteractionStore {
  readonly #store: Store<Packed>
  readonly #engine: Engine
  readonly #isPublic: boolean
  readonly #keyOf: OwnedKeys
  readonly #endingOf: (key: string) => StreamEnding

  constructor(svc: Svc, { engine, endings }: Pick<Providers, 'engine' | 'endings'>) {
    this.#isPublic = svc.config.publicMode
    this.#engine = engine
    this.#keyOf = engine.ownedKeys(this.#isPublic)
    this.#store = svc.state<Packed>('interactions', {
      ...BOUNDS[this.#isPublic ? 'public' : 'normal'],
      ttlFrom: 'use',
      watched: true,
      schema: 2,
    })
    this.#endingOf = endings(this.#store, ({ cancelledAt }) => cancelledAt !== null)
  }

  /** Ends a stream of the interaction when it is cancelled or deleted. */
  endingOf(owner: Owner, id: string): StreamEnding {
    return this.#endingOf(this.#keyOf(owner, id))
  }

  async put(interaction: Interaction): Promise<void> {
    const { session, head, cancelledAt } = interaction
    const packed: Packed = { session, cancelledAt, json: JSON.stringify(interaction) }
    await this.#store.set(this.#keyOf(interaction, head.id), packed, { group: session })
  }

  async get(asker: Asker, id: string): Promise<Interaction | undefined> {
    const found = await this.#packed(asker, id)
    return found && unpack(found)
  }

  /** An interaction that becomes a part of a prompt: what it costs is taken before it is read. */
  async predecessor(asker: Asker & Pick<RouteInput, 'output'>, id: string): Promise<Interaction | undefined> {
    const found = await this.#packed(asker, id)
    if (found === undefined) return undefined
    this.#engine.takeHistory(asker.output(), found.json.length)
    return unpack(found)
  }

  /** In public mode, an interaction exists only for the session that made it. */
  async #packed({ provider, session, storesResponses }: Asker, id: string): Promise<Packed | undefined> {
    if (!storesResponses) return undefined
    const found = await this.#store.get(this.#keyOf({ provider, session }, id))
    return found !== undefined && (!this.#isPublic || found.session === session) ? found : undefined
  }

  async cancel(interaction: Interaction, now: number): Promise<Interaction | undefined> {
    const changed = await this.#store.update(this.#keyOf(interaction, interaction.head.id), found =>
      found === undefined || found.cancelledAt !== null ? found : { ...found, cancelledAt: now },
    )
    return changed && unpack(changed)
  }

  async delete(interaction: Interaction): Promise<void> {
    await this.#store.delete(this.#keyOf(interaction, interaction.head.id))
  }

  clear(session: string | null): Promise<number> {
    return this.#store.clear(found => session === null || found.session === session)
  }

  bytes(): Promise<number> {
    return this.#store.bytes()
  }
}

function unpack({ json, cancelledAt }: Packed): Interaction {
  return { ...(JSON.parse(json) as Interaction), cancelledAt }
}
