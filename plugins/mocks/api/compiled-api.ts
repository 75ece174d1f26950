/** A compiled document: routes, operations by key, and values that are computed once per operation. */
import type { Bounds } from '../bounds.ts'
import { ApiDocument } from '../document/api-document.ts'
import { listOperations, type Operation } from '../document/operations.ts'
import { own, type JsonObject } from '../document/json.ts'
import { serverPathsOf } from '../document/servers.ts'
import { defaultChoice, listPairings, type Choice, type Pairing } from './response-choice.ts'
import { Sampler } from '../schema/sample.ts'
import { SchemaSet } from '../schema/schema-set.ts'
import { RouteTable, type RouteMatch } from './route-table.ts'

export class CompiledApi {
  readonly document: ApiDocument
  readonly schemas: SchemaSet
  readonly sampler: Sampler
  readonly operations: Operation[]
  readonly #byKey = new Map<string, Operation>()
  readonly #byRoute = new Map<string, Operation>()
  readonly #routes: RouteTable
  readonly #pairings = new WeakMap<Operation, Pairing[]>()
  readonly #defaults = new WeakMap<Operation, { choice: Choice | undefined }>()
  /** The non-empty paths of the document's server URLs, longest first, without a trailing slash. */
  readonly serverPaths: string[]

  constructor(root: JsonObject, bounds: Bounds) {
    this.document = new ApiDocument(root, bounds)
    this.schemas = new SchemaSet(this.document)
    this.sampler = new Sampler(this.schemas)
    this.operations = listOperations(this.document)
    this.serverPaths = (serverPathsOf(own(root, 'servers')) ?? []).filter(path => path !== '')
    this.#routes = new RouteTable(this.operations, this.serverPaths)
    for (const operation of this.operations) {
      this.#byKey.set(operation.key, operation)
      this.#byRoute.set(`${operation.method} ${operation.template}`, operation)
    }
  }

  /** Finds an operation by key, id or `METHOD /template`. */
  operation(name: string): Operation | undefined {
    return this.#byKey.get(name) ?? this.#byRoute.get(name)
  }

  /** Finds the operation for a method and a path below the mock. `basePath` is the setting. */
  match(method: string, path: string, basePath: string): RouteMatch {
    return this.#routes.match(method, path, basePath)
  }

  /** The path of the first server of an operation, below which it is found if the setting `base_path` is `auto`. */
  pathOf({ ownServerPaths }: Operation): string {
    return (ownServerPaths ?? this.serverPaths)[0] ?? ''
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
    const paths = this.operations.flatMap(({ template, ownServerPaths }) =>
      ['', ...(ownServerPaths ?? this.serverPaths)].map(prefix => `${prefix}${template}`),
    )
    for (const template of new Set(paths)) {
      const near = compare(wanted, template.split('/').slice(1))
      if (best === null || near.score > best.score) best = { template, ...near }
    }
    return best && { template: best.template, reason: best.reason }
  }
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
