/** Composes each selection of subgraphs once, and keeps the last ones. */
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { BoundedMap, ThreadPool } from 'svc/toolkit'
import { composeSubgraphs, type ComposedSubgraph, type Composition } from './compose.ts'

const MAX_KEPT = 16
const MAX_KEPT_CHARACTERS = 512 * 1024
/** Heap limit of a thread in MiB. */
const THREAD_HEAP_MIB = 512
/** Time limit of a composition in a thread, in milliseconds. */
const LIMIT_MS = 5000

export class Composer {
  readonly #kept = new BoundedMap<Composition>(MAX_KEPT)
  readonly #threads = new ThreadPool({ threads: 1, heapMib: THREAD_HEAP_MIB })
  readonly #file: string
  /** One at a time. */
  #last: Promise<unknown> = Promise.resolve()

  /** `folder` is the folder of the plugin. */
  constructor(folder: string) {
    this.#file = join(folder, 'supergraph', 'thread.mjs')
  }

  /**
   * The same subgraphs in the same order are composed once. `isTrusted`: all of them belong to svc. Others are composed in a
   * thread with limits, because nobody knows how long they take.
   */
  compose(subgraphs: readonly ComposedSubgraph[], isTrusted: boolean): Promise<Composition> {
    const key = createHash('sha256').update(JSON.stringify(subgraphs)).digest('base64url')
    const composing = this.#last.then(() => this.#kept.get(key) ?? this.#composeNew(key, subgraphs, isTrusted))
    this.#last = composing.catch(() => {})
    return composing
  }

  async #composeNew(key: string, subgraphs: readonly ComposedSubgraph[], isTrusted: boolean): Promise<Composition> {
    if (isTrusted) return this.#keep(key, await composeSubgraphs(subgraphs))
    const { output, failure } = await this.#threads.run<Composition>(this.#file, subgraphs, LIMIT_MS)
    if (failure === null) return this.#keep(key, output)
    return { supergraph: null, errors: [{ code: 'TOO_EXPENSIVE', message: `the composition: ${failure.message}` }] }
  }

  #keep(key: string, composition: Composition): Composition {
    if ((composition.supergraph?.length ?? 0) <= MAX_KEPT_CHARACTERS) this.#kept.set(key, composition)
    return composition
  }
}
