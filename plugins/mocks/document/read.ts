/** Parses an OpenAPI document in JSON or YAML within limits. Never opens other files or connections. */
import {
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  parseDocument,
  type Document,
  type Pair,
  type Scalar,
} from 'yaml'
import { isRecord } from 'svc/toolkit'
import type { Bounds } from '../bounds.ts'
import { issue, type Issue } from './issue.ts'
import type { Json, JsonObject } from './json.ts'

export type ReadResult =
  | { value: JsonObject; format: 'json' | 'yaml'; lineOf(tokens: readonly (string | number)[]): number | undefined }
  | { error: Issue }

/**
 * Parses a document; returns the value or an error (`parse_error`, `not_openapi`, `too_deep`, `too_many_nodes`,
 * `too_large`).
 */
export function readDocument(text: string, bounds: Bounds): ReadResult {
  if (text.trimStart() === '') return { error: issue('parse_error', null, 'the document is empty') }
  const read = readValue(text, bounds)
  if ('error' in read) return read
  const { value } = read
  return isRecord(value)
    ? { ...read, value }
    : { error: issue('not_openapi', '#', `an OpenAPI document must be an object, but this is ${kindOf(value)}`) }
}

/** Parses JSON or YAML of any kind; returns the value or an error. */
export function readValue(text: string, bounds: Bounds): Parsed {
  const parsed = parseText(text, bounds)
  if ('error' in parsed) return parsed
  // Scalars have no levels.
  const problem = isRecord(parsed.value) || Array.isArray(parsed.value) ? measure(parsed.value, bounds) : undefined
  return problem ? { error: problem } : parsed
}

function parseText(text: string, bounds: Bounds): Parsed {
  if (!text.trimStart().startsWith('{')) return readYaml(text, bounds)
  const read = readJson(text)
  if (!('error' in read)) return read
  // It can also be a YAML flow mapping: `{openapi: 3.1.0}`.
  const yaml = readYaml(text, bounds)
  return 'error' in yaml ? read : yaml
}

/** A value, or why the text can't be parsed. */
export type Parsed =
  | { value: Json; format: 'json' | 'yaml'; lineOf(tokens: readonly (string | number)[]): number | undefined }
  | { error: Issue }

function readJson(text: string): Parsed {
  try {
    return { value: JSON.parse(text) as Json, format: 'json', lineOf: () => undefined }
  } catch (error) {
    const message = (error as Error).message
    const position = /position (\d+)/.exec(message)?.[1]
    const line = position === undefined ? undefined : text.slice(0, Number(position)).split('\n').length
    return { error: issue('parse_error', null, message, line) }
  }
}

/**
 * YAML 1.2 core schema. Aliases can be expanded at most 100 times, including nested ones. Duplicate keys are errors.
 */
function readYaml(text: string, bounds: Bounds): Parsed {
  const lines = new LineCounter()
  let document: Document.Parsed
  try {
    document = parseDocument(text, {
      version: '1.2',
      schema: 'core',
      uniqueKeys: true,
      lineCounter: lines,
      prettyErrors: false,
    })
  } catch {
    // The composer is recursive, so thousands of nested collections overflow its stack.
    return { error: issue('too_deep', null, `the document nests more than ${bounds.levels} levels`) }
  }
  const first = document.errors[0]
  if (first && /call stack/.test(first.message))
    return { error: issue('too_deep', null, `the document nests more than ${bounds.levels} levels`) }
  if (first) return { error: issue('parse_error', null, first.message, lines.linePos(first.pos[0]).line) }
  try {
    const value = document.toJS({ maxAliasCount: 100 }) as Json
    return { value, format: 'yaml', lineOf: tokens => lineIn(document, lines, tokens) }
  } catch (error) {
    return { error: issue('parse_error', null, (error as Error).message) }
  }
}

/** The line of the innermost key or array item on the path of the tokens. */
function lineIn(
  document: Document.Parsed,
  lines: LineCounter,
  tokens: readonly (string | number)[],
): number | undefined {
  let node: unknown = document.contents
  let offset: number | undefined
  for (const token of tokens) {
    if (isAlias(node)) node = node.resolve(document)
    if (isMap(node)) {
      const pair: Pair | undefined = node.items.find(({ key }) => isScalar(key) && String(key.value) === String(token))
      if (!pair) break
      offset = (pair.key as Scalar).range?.[0] ?? offset
      node = pair.value
    } else if (isSeq(node)) {
      node = node.items[Number(token)]
      offset = (isNode(node) ? node.range?.[0] : undefined) ?? offset
    } else break
  }
  return offset === undefined ? undefined : lines.linePos(offset).line
}

function kindOf(value: Json): string {
  if (value === null) return 'empty'
  return Array.isArray(value) ? 'a list' : `a ${typeof value}`
}

/** Counts levels, nodes and characters without recursion. Every use of an alias counts. */
export function measure(root: Json, bounds: Bounds): Issue | undefined {
  const stack: { value: Json; level: number }[] = [{ value: root, level: 1 }]
  let nodes = 0
  let characters = 0
  for (let top = stack.pop(); top; top = stack.pop()) {
    const { value, level } = top
    nodes++
    if (nodes > bounds.nodes) return issue('too_many_nodes', null, `the document has more than ${bounds.nodes} nodes`)
    if (level > bounds.levels) return issue('too_deep', null, `the document nests more than ${bounds.levels} levels`)
    if (typeof value === 'string') characters += value.length
    else if (typeof value === 'object' && value !== null) {
      for (const [key, child] of Object.entries(value)) {
        characters += key.length
        stack.push({ value: child, level: level + 1 })
      }
    }
    if (characters > bounds.documentBytes * 2)
      return issue('too_large', null, 'the document expands to more than twice the permitted size')
  }
  return undefined
}
