/** A compiled document: routes, operations by key, and values that are computed once per operation. */
import { isRecord, trimEndCharacters } from 'svc/toolkit'
import type { Bounds } from '../bounds.ts'
import { ApiDocument } from '../document/api-document.ts'
import { listOperations, type Operation } from '../document/operations.ts'
import { PathTrie } from '../document/path-trie.ts'
import { own, ownObject, ownText, type JsonObject } from '../document/json.ts'
import { defaultChoice, listPairings, type Choice, type Pairing } from './response-choice.ts'
import { Sampler } from '../schema/sample.ts'
import { SchemaSet } from '../schema/schema-set.ts'

interface PathItem {
  template: string
  methods: Map<string, Operation>
}

export type RouteMatch =
  | { kind: 'operation'; operation: Operation; path: Map<string, string> }
  | { kind: 'method'; template: string; allow: string[] }
  | { kind: 'none' }

export class CompiledApi {
  readonly document: ApiDocument
  readonly schemas: SchemaSet
  readonly sampler: Sampler
  readonly operations: Operation[]
  readonly #byKey = new Map<string, Operation>()
  readonly #byRoute = new Map<string, Operation>()
  readonly #trie = new PathTrie<PathItem>()
  readonly #pairings = new WeakMap<Operation, Pairing[]>()
  readonly #defaults = new WeakMap<Operation, { choice: Choice | undefined }>()
  /** The non-empty paths of the server URLs, longest first, without a trailing slash. */
  readonly serverPaths: string[]

  constructor(root: JsonObject, bounds: Bounds) {
    this.document = new ApiDocument(root, bounds)
    this.schemas = new SchemaSet(this.document)
    this.sampler = new Sampler(this.schemas)
    this.operations = listOperations(this.document)
    this.serverPaths = serverPaths(root)
    for (const operation of this.operations) {
      this.#byKey.set(operation.key, operation)
      this.#byRoute.set(`${operation.method} ${operation.template}`, operation)
      this.#addRoute(operation)
    }
  }

  /** Finds an operation by key, id or `METHOD /template`. */
  operation(name: string): Operation | undefined {
    return this.#byKey.get(name) ?? this.#byRoute.get(name)
  }

  /** Templates with the same shape share an entry. For duplicate methods, the first operation is used. */
  #addRoute(operation: Operation): void {
    const item: PathItem = { template: operation.template, methods: new Map([[operation.method, operation]]) }
    const added = this.#trie.add(operation.template, item)
    if (!added.added && !added.unreachable && !added.taken.methods.has(operation.method))
      added.taken.methods.set(operation.method, operation)
  }

  /** Finds the operation for a method and a path below the mock. `basePath` is the setting. */
  match(method: string, path: string, basePath: string): RouteMatch {
    let other: RouteMatch = { kind: 'none' }
    for (const prefix of basePath === 'auto' ? [...this.serverPaths, ''] : [basePath.replace(/\/$/, '')]) {
      if (prefix !== '' && path !== prefix && !path.startsWith(`${prefix}/`)) continue
      const found = this.#trie.find(path.slice(prefix.length) || '/')
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

  /** Examples that have the same name in the request and a response. */
  pairings(operation: Operation): Pairing[] {
    let pairings = this.#pairings.get(operation)
    if (!pairings) {
      pairings = listPairings(this.document, operation)
      this.#pairings.set(operation, pairings)
    }
    return pairings
  }

  /** The default response; undefined if the operation has no response. */
  defaultChoice(operation: Operation): Choice | undefined {
    let found = this.#defaults.get(operation)
    if (!found) {
      found = { choice: defaultChoice(operation) }
      this.#defaults.set(operation, found)
    }
    return found.choice
  }

  /**
   * The template that shares most segments with a path, and where they differ; null if the document has no templates.
   */
  nearest(path: string): { template: string; reason: string } | null {
    const wanted = path.split('/').slice(1, 65)
    let best: { template: string; score: number; reason: string } | null = null
    for (const template of new Set(this.operations.map(operation => operation.template))) {
      for (const prefix of ['', ...this.serverPaths]) {
        const near = compare(wanted, `${prefix}${template}`.split('/').slice(1))
        if (best === null || near.score > best.score) best = { template: `${prefix}${template}`, ...near }
      }
    }
    return best && { template: best.template, reason: best.reason }
  }
}

function allowed(methods: ReadonlyMap<string, Operation>): string[] {
  const names = [...methods.keys()]
  return names.includes('GET') && !names.includes('HEAD') ? [...names, 'HEAD'] : names
}

/** The similarity of two paths, and their first difference. */
function compare(wanted: readonly string[], segments: readonly string[]): { score: number; reason: string } {
  let same = 0
  let reason = ''
  for (const [index, segment] of segments.entries()) {
    const sent = wanted[index]
    if (sent === segment || (segment.includes('{') && sent !== undefined && sent !== '')) same++
    else if (reason === '')
      reason =
        sent === undefined
          ? `segment ${index + 1} ("${segment}") is missing`
          : `segment ${index + 1} is "${sent.slice(0, 60)}", expected "${segment}"`
  }
  if (reason === '' && wanted.length > segments.length)
    reason = `"${(wanted[segments.length] ?? '').slice(0, 60)}" is after the end of the template`
  return { score: same * 2 - Math.abs(wanted.length - segments.length), reason }
}

function serverPaths(root: JsonObject): string[] {
  const servers = own(root, 'servers')
  const paths = new Set<string>()
  for (const server of Array.isArray(servers) ? servers : []) {
    const path = isRecord(server) ? serverPath(server) : ''
    if (path !== '') paths.add(path)
  }
  return [...paths].sort((a, b) => b.length - a.length)
}

/** The path of a server URL, with variables replaced by their defaults. */
function serverPath(server: JsonObject): string {
  const variables = ownObject(server, 'variables')
  const url = (ownText(server, 'url') ?? '').replaceAll(
    /\{([^{}]*)\}/g,
    (_, name: string) => ownText(ownObject(variables, name), 'default') ?? '',
  )
  const path = trimEndCharacters(
    url.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*|^\/\/[^/?#]*/i, '').replace(/[?#].*$/s, ''),
    '/',
  )
  return path === '' || path.startsWith('/') ? path : `/${path}`
}
