/** Visits a JSON Schema and all schemas in it. */
import { isRecord } from 'svc/toolkit'

/** Levels below which schemas are not visited. */
const MAX_DEPTH = 64

/** What the value of a keyword has: schemas by name, a list of schemas, one schema, or a list or one. */
type Kind = 'named' | 'list' | 'single' | 'either'

const kindOf = (kind: Kind, words: string): [string, Kind][] => words.split(' ').map(word => [word, kind])
const KINDS: ReadonlyMap<string, Kind> = new Map([
  ...kindOf('named', 'properties $defs definitions patternProperties dependentSchemas'),
  ...kindOf('list', 'anyOf oneOf allOf prefixItems'),
  ...kindOf('either', 'items'),
  ...kindOf('single', 'additionalProperties not if then else contains propertyNames unevaluatedProperties'),
])

type Schema = Readonly<Record<string, unknown>>
/** `path` changes after the call. */
type Visit = (schema: Schema, path: readonly string[]) => void

interface Walk {
  nodes: { left: number }
  visit: Visit
  /** Of the schema that is visited: one list for all, since most visits do not read it. */
  path: string[]
}

/**
 * Calls `visit` for a schema and all schemas in it, with the path of keywords, names and indexes, which is only valid during the call.
 * Stops when `nodes.left` is used up.
 */
export function walkSchema(schema: unknown, nodes: { left: number }, visit: Visit): void {
  enter(schema, { nodes, visit, path: [] })
}

function enter(schema: unknown, walk: Walk): void {
  const { nodes, visit, path } = walk
  if (!isRecord(schema) || path.length > MAX_DEPTH || nodes.left <= 0) return
  nodes.left--
  visit(schema, path)
  // Most schemas have few members, so these are looked up, and not the other way around.
  for (const keyword in schema) {
    const kind = KINDS.get(keyword)
    if (kind !== undefined) enterAll(schema[keyword], keyword, kind, walk)
  }
}

function enterAll(value: unknown, keyword: string, kind: Kind, walk: Walk): void {
  if (Array.isArray(value)) {
    if (kind === 'list' || kind === 'either') value.forEach((item, index) => below(item, keyword, String(index), walk))
  } else if (kind === 'named') {
    if (isRecord(value)) for (const name in value) below(value[name], keyword, name, walk)
  } else if (kind !== 'list') below(value, keyword, null, walk)
}

function below(schema: unknown, keyword: string, name: string | null, walk: Walk): void {
  const { path } = walk
  const { length } = path
  path.push(keyword)
  if (name !== null) path.push(name)
  enter(schema, walk)
  path.length = length
}
