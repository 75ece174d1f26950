/** Finds the entries whose method and literal path prefix fit a request, without testing the others. */
import type { Match } from './match.ts'

export interface Indexed {
  readonly match: Match
}

const PERCENT = 0x25
const SLASH = 0x2f
const QUESTION = 0x3f
const HASH = 0x23

interface Node<T> {
  /** Entries whose literal prefix ends here, with their position in the list. */
  readonly anyMethod: Ranked<T>[]
  readonly byMethod: Map<string, Ranked<T>[]>
  readonly children: Map<string, Node<T>>
}
interface Ranked<T> {
  rank: number
  entry: T
}

/** An index of a list; `candidates` keeps its order. */
export class MatchIndex<T extends Indexed> {
  readonly #root: Node<T> = createNode()
  readonly size: number

  constructor(entries: readonly T[]) {
    this.size = entries.length
    for (const [rank, entry] of entries.entries()) this.#add(entry, rank)
  }

  /**
   * Whether any entry can match a request with this target, judged by the first segment of its path: most requests end
   * here. `url` is a path with or without a query.
   */
  mayFit(url: string): boolean {
    if (this.size === 0) return false
    if (this.#root.anyMethod.length > 0 || this.#root.byMethod.size > 0) return true
    let end = 1
    for (; end < url.length; end++) {
      const code = url.charCodeAt(end)
      if (code === PERCENT) return true
      if (code === SLASH || code === QUESTION || code === HASH) break
    }
    return this.#root.children.has(url.slice(1, end))
  }

  /**
   * The entries that can match, in order. `segments` are the decoded segments of the path, `served` those of the path that serves
   * it, if that is another one.
   */
  candidates(method: string, segments: readonly string[], served: readonly string[] | null = null): readonly T[] {
    const found: Ranked<T>[] = []
    this.#collect(method, segments, found)
    if (served !== null) this.#collect(method, served, found)
    if (found.length > 1) found.sort((a, b) => a.rank - b.rank)
    // An entry with several prefixes can be found at two of them.
    return found.flatMap(({ rank, entry }, at) => (found[at - 1]?.rank === rank ? [] : [entry]))
  }

  #collect(method: string, segments: readonly string[], found: Ranked<T>[]): void {
    let node: Node<T> | undefined = this.#root
    for (let depth = 0; node !== undefined; depth++) {
      if (node.anyMethod.length > 0) found.push(...node.anyMethod)
      const own = node.byMethod.get(method)
      if (own !== undefined) found.push(...own)
      const segment = segments[depth]
      node = segment === undefined ? undefined : node.children.get(segment)
    }
  }

  #add(entry: T, rank: number): void {
    for (const prefix of entry.match.prefixes) this.#addAt(prefix, entry, rank)
  }

  #addAt(prefix: readonly string[], entry: T, rank: number): void {
    let node = this.#root
    for (const segment of prefix) {
      let child = node.children.get(segment)
      if (child === undefined) node.children.set(segment, (child = createNode()))
      node = child
    }
    const ranked = { rank, entry }
    if (entry.match.methods === null) node.anyMethod.push(ranked)
    else
      for (const method of new Set(entry.match.methods))
        node.byMethod.set(method, [...(node.byMethod.get(method) ?? []), ranked])
  }
}

function createNode<T>(): Node<T> {
  return { anyMethod: [], byMethod: new Map(), children: new Map() }
}
