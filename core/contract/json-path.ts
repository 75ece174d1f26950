/** JSONPath (RFC 9535) within bounds, for queries and documents that are not trusted. */
import { JSONPathEnvironment } from 'json-p3'
import type { JSONPathNode, JSONPathQuery } from 'json-p3'
import type { Json } from './json.ts'

/** Maximum length of a query. */
export const MAX_JSON_PATH = 512
/** Maximum depth of a document. */
const MAX_DEPTH = 100
/** Maximum number of nodes that an evaluation visits. `$..*..*..*` would visit some of them thousands of times. */
const MAX_VISITS = 200_000

export interface JsonPath {
  /** The selected values; none if the document is nested too deeply or the evaluation takes too many steps. */
  values(document: Json): Json[]
}

/**
 * Compiles a query; throws an error that says what is wrong. The functions `match` and `search` are unknown, because their
 * patterns would run on a backtracking engine.
 */
export function compileJsonPath(text: string): JsonPath {
  if (text.length > MAX_JSON_PATH) throw new Error(`expected a JSONPath of at most ${MAX_JSON_PATH} characters`)
  const environment = new JSONPathEnvironment({ maxRecursionDepth: MAX_DEPTH })
  environment.functionRegister.delete('match')
  environment.functionRegister.delete('search')
  const query = environment.compile(text)
  const budget = new Budget()
  limitVisits(query, budget)
  return {
    values(document) {
      budget.reset()
      try {
        return query.query(document).values() as Json[]
      } catch {
        return []
      }
    },
  }
}

class Budget {
  #left = 0

  reset(): void {
    this.#left = MAX_VISITS
  }

  take(count: number): void {
    this.#left -= count
    if (this.#left < 0) throw new Error('too many steps')
  }
}

/** The parts of a compiled query that visit nodes. */
interface Visitor {
  resolve(input: unknown): JSONPathNode[]
  visit?(node: JSONPathNode, depth?: number): Iterable<JSONPathNode>
}

/** Makes each selector and segment of a query, and of the queries in its filters, count the nodes that it visits. */
function limitVisits(query: JSONPathQuery, budget: Budget): void {
  const seen = new Set<object>()
  const open: object[] = [...query.segments]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (seen.has(next)) continue
    seen.add(next)
    if (isVisitor(next)) limitVisitor(next, budget)
    for (const [key, member] of Object.entries(next))
      if (key !== 'environment' && key !== 'token' && isObject(member)) open.push(member)
  }
}

function limitVisitor(visitor: Visitor, budget: Budget): void {
  const resolve = visitor.resolve.bind(visitor)
  visitor.resolve = input => {
    const nodes = resolve(input)
    budget.take(nodes.length + 1)
    return nodes
  }
  const visit = visitor.visit?.bind(visitor)
  if (visit === undefined) return
  // The library calls it again for each child of a node.
  visitor.visit = (node, depth) => {
    budget.take(1)
    return visit(node, depth)
  }
}

function isVisitor(value: object): value is Visitor {
  return typeof (value as Partial<Visitor>).resolve === 'function'
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
