/** Finds the operation of a request by method and path, below the servers of the operation. */
import type { Operation } from '../document/operations.ts'
import { PathTrie } from '../document/path-trie.ts'

interface PathItem {
  template: string
  methods: Map<string, Operation>
}

export type RouteMatch =
  | { kind: 'operation'; operation: Operation; path: Map<string, string> }
  | { kind: 'method'; template: string; allow: string[] }
  | { kind: 'none' }

/** Maximum number of segments in the path of a server. */
const MAX_SEGMENTS = 64

export class RouteTable {
  /** The operations below each path of a server. */
  readonly #below = new Map<string, PathTrie<PathItem>>()
  /** All operations: those below the mock itself, or below the setting `base_path`. */
  readonly #all: PathTrie<PathItem>

  /** `serverPaths`: those of the document, for operations without servers of their own. */
  constructor(operations: readonly Operation[], serverPaths: readonly string[]) {
    this.#all = trieOf(operations)
    const shared = operations.filter(({ ownServerPaths }) => ownServerPaths === null)
    const byPath = new Map<string, Operation[]>(serverPaths.map(path => [path, [...shared]]))
    for (const operation of operations) {
      for (const path of operation.ownServerPaths ?? []) {
        const others = byPath.get(path)
        if (others === undefined) byPath.set(path, [operation])
        else others.push(operation)
      }
    }
    for (const [path, below] of byPath)
      this.#below.set(path, below.length === operations.length ? this.#all : trieOf(below))
  }

  /** Finds the operation for a method and a path below the mock. `basePath` is the setting. */
  match(method: string, path: string, basePath: string): RouteMatch {
    let other: RouteMatch = { kind: 'none' }
    for (const { trie, rest } of basePath === 'auto' ? this.#places(path) : this.#placeBelow(path, basePath)) {
      const found = trie.find(rest || '/')
      if (!found) continue
      const { methods, template } = found.value
      const operation = methods.get(method) ?? (method === 'HEAD' ? methods.get('GET') : undefined)
      if (operation)
        return {
          kind: 'operation',
          operation,
          path: new Map(operation.pathNames.map((name, index) => [name, found.values[index] ?? ''])),
        }
      other = { kind: 'method', template, allow: allowed(methods) }
    }
    return other
  }

  /** Where a path can be: below the servers whose path it begins with, the longest first, and below the mock itself. */
  *#places(path: string): Generator<{ trie: PathTrie<PathItem>; rest: string }> {
    const ends: number[] = []
    for (let end = path.indexOf('/', 1); end >= 0 && ends.length < MAX_SEGMENTS; end = path.indexOf('/', end + 1))
      ends.push(end)
    if (this.#below.size > 0)
      for (const end of [path.length, ...ends.reverse()]) {
        const trie = this.#below.get(path.slice(0, end))
        if (trie !== undefined) yield { trie, rest: path.slice(end) }
      }
    yield { trie: this.#all, rest: path }
  }

  #placeBelow(path: string, basePath: string): { trie: PathTrie<PathItem>; rest: string }[] {
    const prefix = basePath.replace(/\/$/, '')
    const isBelow = prefix === '' || path === prefix || path.startsWith(`${prefix}/`)
    return isBelow ? [{ trie: this.#all, rest: path.slice(prefix.length) }] : []
  }
}

/** Templates with the same shape share an entry. For duplicate methods, the first operation is used. */
function trieOf(operations: readonly Operation[]): PathTrie<PathItem> {
  const trie = new PathTrie<PathItem>()
  for (const operation of operations) {
    const item: PathItem = { template: operation.template, methods: new Map([[operation.method, operation]]) }
    const added = trie.add(operation.template, item)
    if (!added.added && !added.unreachable && !added.taken.methods.has(operation.method))
      added.taken.methods.set(operation.method, operation)
  }
  return trie
}

function allowed(methods: ReadonlyMap<string, Operation>): string[] {
  const names = [...methods.keys()]
  return names.includes('GET') && !names.includes('HEAD') ? [...names, 'HEAD'] : names
}
