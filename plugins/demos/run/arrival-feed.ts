/** What arrives at svc while a step runs, as it is recorded: of the session of the run, and of its lanes what belongs to the run. */
import { isRecord, sleep } from 'svc/toolkit'
import { markIn, sessionsOf, type RunContext } from './context.ts'
import { UpstreamError } from './control.ts'

const EVERY_MS = 250
/** Records of a session that are read at once; of more only the newest are shown. */
const READ = 40

export interface SeenArrival {
  /** Null: the demo has no lane for it. */
  lane: string | null
  /** Of the record in the inspector. */
  id: string
  method: string
  uri: string
  status: number
}

interface ListedEntry {
  id: string
  method: string
  uri: string
  status: number
  headers: { name: string; value: string }[]
}

export class ArrivalFeed {
  readonly #context: RunContext
  readonly #onArrival: (arrival: SeenArrival) => void
  /** The newest record of each session that was seen; null: none. */
  readonly #seen: Map<string, string | null>
  readonly #stopping = new AbortController()
  readonly #loop: Promise<void>

  /** `marks`: the newest record of each session before the step. */
  constructor(
    context: RunContext,
    marks: ReadonlyMap<string, string | null>,
    onArrival: (arrival: SeenArrival) => void,
  ) {
    this.#context = context
    this.#onArrival = onArrival
    this.#seen = new Map(marks)
    this.#loop = this.#follow()
  }

  /** Resolves when all that has been recorded until now was shown. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#loop
    await this.#read()
  }

  async #follow(): Promise<void> {
    while (await sleep(EVERY_MS, { signal: this.#stopping.signal })) await this.#read()
  }

  /** An upstream that does not answer is reported by the step itself. */
  async #read(): Promise<void> {
    try {
      for (const lane of [null, ...this.#context.lanes]) await this.#readOne(lane)
    } catch (error) {
      if (!(error instanceof UpstreamError)) throw error
    }
  }

  async #readOne(lane: string | null): Promise<void> {
    const { control, session } = sessionsOf(this.#context, lane)
    const { body } = await control.ask('GET', `/_svc/requests?session=${session}&limit=${READ}`)
    const entries = isRecord(body) && Array.isArray(body.requests) ? (body.requests as ListedEntry[]) : []
    const before = this.#seen.get(session) ?? null
    const known = entries.findIndex(({ id }) => id === before)
    const fresh = (known === -1 ? entries : entries.slice(0, known)).toReversed()
    if (entries[0] !== undefined) this.#seen.set(session, entries[0].id)
    // Other runs, and other clients, may use the lane at the same time.
    const { id, tapPath } = this.#context
    for (const entry of fresh)
      if (lane === null ? tapPath === undefined || !entry.uri.startsWith(`${tapPath}/`) : markIn(entry, id) !== null)
        this.#onArrival({ lane, id: entry.id, method: entry.method, uri: entry.uri, status: entry.status })
  }
}
