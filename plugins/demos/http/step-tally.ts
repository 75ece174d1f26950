/**
 * What was sent, answered and arrived in a step, for those who follow a run: the first ones one by one, the others as counts,
 * since a step may have thousands.
 */
const SINGLE = 100
const EVERY_MS = 250

export interface Counted {
  status: number | null
  error?: string | null
  lane?: string | null
}

type Emit = (event: 'sent' | 'arrival' | 'response', data: object) => void

interface Kind {
  singles: number
  counts: Map<string, Counted & { count: number }>
}

export class StepTally {
  readonly #emit: Emit
  readonly #kinds: Record<'arrival' | 'response', Kind> = {
    arrival: { singles: 0, counts: new Map() },
    response: { singles: 0, counts: new Map() },
  }
  #sent = 0
  #shownSent = 0
  #timer: NodeJS.Timeout | undefined

  constructor(emit: Emit) {
    this.#emit = emit
  }

  sent(): void {
    this.#sent++
    if (this.#sent === 1) this.#flush()
    else this.#later()
  }

  add(event: 'arrival' | 'response', { status, error = null, lane = null }: Counted, data: object): void {
    const kind = this.#kinds[event]
    if (kind.singles < SINGLE) {
      kind.singles++
      this.#flush()
      this.#emit(event, data)
      return
    }
    const key = `${status} ${error} ${lane}`
    const known = kind.counts.get(key)
    if (known === undefined) kind.counts.set(key, { status, error, lane, count: 1 })
    else known.count++
    this.#later()
  }

  /** Shows what is left. */
  end(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#flush()
  }

  #later(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      this.#flush()
    }, EVERY_MS).unref()
  }

  #flush(): void {
    if (this.#sent > this.#shownSent) this.#emit('sent', { count: this.#sent - this.#shownSent })
    this.#shownSent = this.#sent
    for (const event of ['response', 'arrival'] as const) {
      const { counts } = this.#kinds[event]
      if (counts.size > 0) this.#emit(event, { more: [...counts.values()] })
      counts.clear()
    }
  }
}
