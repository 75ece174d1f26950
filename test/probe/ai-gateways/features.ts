/** What gateways of models add to a translation: costs, caches and fallbacks. */
import type { Reply, Request, Usage } from '../../../plugins/probe/wires/types.ts'

export interface Features {
  /** Dollars, in the field `x-cost`. */
  cost?(usage: Usage): number
  /** The same key gets the same answer. */
  cache?: {
    key(request: Request, credential: string): string
    /** What becomes of a reply that is used again. */
    kept?(reply: Reply, isStream: boolean): Reply
  }
  /** Every model has a second deployment. What happens when the first one fails, before or in its reply. */
  fallback?: 'right' | 'joins both' | 'ends as complete' | 'apologizes' | 'says nothing'
  /** Accepts compressed replies. What it passes on of them: only the bytes, without saying so, or only the field. */
  keepsCoding?: 'bytes' | 'field'
  /** Which features in `anthropic-beta` go to Bedrock: those that it takes, or all. Default: none. */
  betas?: 'taken' | 'all'
  /** Answers have `x-call-id`, and `/spend/<id>` has what the call cost: by its text, unless it was cut. */
  ledger?: 'right' | 'cut is free' | 'cut is whole'
  /** Every model has two deployments, used in turn. By which state a second turn reaches the one of the first. */
  replicas?: { sticksBy: 'all' | 'ids' | 'nothing' }
  /** Writes comments of its own, in milliseconds, while a stream is silent. */
  beatsMs?: number
}

/** All texts of a request without the marker of the probe, which is the same in a series. */
export function textsOf({ turns }: Request): string {
  return JSON.stringify(turns.map(({ role, parts }) => [role, parts]))
}

/** Of two attempts, the second of which was made since the first one failed. */
export function afterFallback(first: Reply | null, second: Reply, kind: Features['fallback']): Reply {
  if (kind === 'apologizes') return { ...second, parts: [{ type: 'text', text: 'Sorry.' }] }
  if (kind === 'says nothing') return { ...second, parts: [] }
  const hasBegun = first !== null && first.parts.length > 0
  if (hasBegun && kind === 'joins both') return { ...second, parts: [...first.parts, ...second.parts] }
  return hasBegun && kind === 'ends as complete' ? { ...first, finish: 'stop' } : second
}

/** What calls cost. */
export class ToyLedger {
  readonly #kind: Features['ledger']
  readonly #costs = new Map<string, number>()
  #whole = 0

  constructor(kind: Features['ledger']) {
    this.#kind = kind
  }

  enter(id: string, reply: Reply | null, isWhole: boolean): void {
    const size = JSON.stringify(reply?.parts ?? []).length
    if (isWhole) this.#whole = size
    this.#costs.set(id, isWhole || this.#kind === 'right' ? size : this.#kind === 'cut is free' ? 0 : this.#whole)
  }

  /** The answer to a request for an entry; null if there is none. */
  entry(path: string): object | null {
    const cost = this.#costs.get(decodeURIComponent(path.replace(/^\/spend\//, '')))
    return cost === undefined ? null : { data: [{ spend: cost }] }
  }
}

/** Which deployment gets a request, by its native body on the wire of the upstream. */
export class ToyReplicas {
  readonly #sticksBy: NonNullable<Features['replicas']>['sticksBy']
  /** By what only one deployment can read. */
  readonly #owners = new Map<string, string>()
  #next = 0

  constructor({ sticksBy }: NonNullable<Features['replicas']>) {
    this.#sticksBy = sticksBy
  }

  /** The credential of the deployment. */
  choose(body: string): string {
    const owner = [...this.#owners].find(([state]) => body.includes(state))?.[1]
    return owner ?? `toy-key-${(this.#next += 1) % 2}`
  }

  keep(states: readonly string[], credential: string): void {
    if (this.#sticksBy === 'nothing') return
    for (const state of states)
      if (this.#sticksBy === 'all' || state.startsWith('resp_')) this.#owners.set(state, credential)
  }
}
