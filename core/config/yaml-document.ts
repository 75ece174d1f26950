/** Parses YAML text within bounds into plain values, and records the position of each. */
import {
  Composer,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  Parser,
  type CST,
  type Document,
  type Node,
  type Pair,
} from 'yaml'

/** A path: keys and list indexes from the top. */
export type ItemPath = readonly (string | number)[]

/** Deeper nesting is rejected. If the composer ran out of stack, it could crash the process. */
const MAX_DEPTH = 100
const TOO_DEEP = `nested more than ${MAX_DEPTH} levels deep`
/** Maximum number of values in a document after its aliases are expanded. */
const MAX_VALUES = 1_000_000
/** How often one anchor may be expanded, including expansions inside other expansions. */
const MAX_ALIAS_COUNT = 100

/** A position in the text, counted from 1 like editors do. */
export interface Position {
  line: number
  column: number
}

export interface YamlDocument {
  /** Consists of plain objects, lists, strings, numbers, booleans and null. No part is shared. */
  value: unknown
  /** Problems that do not stop parsing, such as an unknown tag. */
  warnings: ({ message: string } & Position)[]
  /** The position of an item, or of the nearest item around it; null if even its first key does not exist. */
  locate(path: ItemPath): Position | null
}

/** The text is not valid YAML or exceeds a bound. */
export class YamlProblem extends Error {
  /** Null if the problem concerns the whole file. */
  readonly position: Position | null
  constructor(message: string, position: Position | null) {
    super(message)
    this.position = position
  }
}

/** Parses one document (YAML 1.2, core schema; `<<` is an ordinary key). Throws `YamlProblem`. */
export function parseYaml(text: string): YamlDocument {
  const lines = new LineCounter()
  const positionOf = (offset: number): Position => {
    const { line, col } = lines.linePos(offset)
    return { line, column: col }
  }
  const tokens = tokensOf(text, lines)
  rejectDeepNesting(tokens, positionOf)
  // Duplicate keys are detected below. The check of the composer takes quadratic time in the size of a mapping.
  const composer = new Composer({
    version: '1.2',
    schema: 'core',
    merge: false,
    uniqueKeys: false,
    resolveKnownTags: false,
    prettyErrors: false,
    logLevel: 'silent',
  })
  const [document, second] = [...composer.compose(tokens, true, text.length)] as Document.Parsed[]
  const error = document!.errors[0]
  if (error !== undefined) throw new YamlProblem(error.message, positionOf(error.pos[0]))
  if (second !== undefined) throw new YamlProblem('expected one YAML document, found more', positionOf(second.range[0]))
  const anchors = new Map<string, Anchor>()
  return {
    value: document!.contents === null ? null : new Converter(anchors, positionOf).convert(document!.contents, 0),
    warnings: document!.warnings.map(warning => ({ message: warning.message, ...positionOf(warning.pos[0]) })),
    locate: path => locate(document!.contents, path, anchors, positionOf),
  }
}

/**
 * The parser closes nested blocks recursively: with thousands of them its stack overflows before depth can be counted.
 */
function tokensOf(text: string, lines: LineCounter): CST.Token[] {
  try {
    return [...new Parser(lines.addNewLine).parse(text)]
  } catch (error) {
    if (error instanceof RangeError) throw new YamlProblem(TOO_DEEP, null)
    throw error
  }
}

/** Walks the tokens without recursion, because their depth is not yet known to be safe. */
function rejectDeepNesting(tokens: CST.Token[], positionOf: PositionOf): void {
  const open = tokens.map(token => ({ token, depth: 0 }))
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { token, depth } = next
    if (depth > MAX_DEPTH) throw new YamlProblem(TOO_DEEP, positionOf(token.offset))
    if (token.type === 'document' && token.value !== undefined) open.push({ token: token.value, depth })
    if (!('items' in token)) continue
    for (const item of token.items) {
      if (item.key) open.push({ token: item.key, depth: depth + 1 })
      if (item.value) open.push({ token: item.value, depth: depth + 1 })
    }
  }
}

type PositionOf = (offset: number) => Position

interface Anchor {
  node: Node
  inserted: number
  isOpen: boolean
}

/** Converts nodes to values in document order, so that an alias finds an anchor that precedes it. */
class Converter {
  readonly #anchors: Map<string, Anchor>
  readonly #positionOf: PositionOf
  #values = 0

  constructor(anchors: Map<string, Anchor>, positionOf: PositionOf) {
    this.#anchors = anchors
    this.#positionOf = positionOf
  }

  convert(node: Node, depth: number): unknown {
    if (++this.#values > MAX_VALUES) throw this.#problem(`more than ${MAX_VALUES} values`, node)
    if (depth > MAX_DEPTH) throw this.#problem(TOO_DEEP, node)
    if (isAlias(node)) return this.#insert(this.#anchors.get(node.source), node, depth)
    const anchor = this.#remember(node)
    const value = isMap<Node, Node | null>(node)
      ? this.#object(node.items, depth)
      : isSeq<Node>(node)
        ? node.items.map(item => this.convert(item, depth + 1))
        : ((node as { value?: unknown }).value ?? null)
    if (anchor !== undefined) anchor.isOpen = false
    return value
  }

  #remember(node: Node): Anchor | undefined {
    const name = isAlias(node) ? undefined : (node as { anchor?: string }).anchor
    if (name === undefined) return undefined
    const anchor: Anchor = {
      node,
      inserted: this.#anchors.get(name)?.node === node ? this.#anchors.get(name)!.inserted : 0,
      isOpen: true,
    }
    this.#anchors.set(name, anchor)
    return anchor
  }

  #insert(anchor: Anchor | undefined, alias: Node, depth: number): unknown {
    if (anchor === undefined) throw this.#problem('alias without an anchor before it', alias)
    if (anchor.isOpen) throw this.#problem('alias inside its own anchor', alias)
    if (++anchor.inserted > MAX_ALIAS_COUNT)
      throw this.#problem(`an anchor is used more than ${MAX_ALIAS_COUNT} times`, alias)
    return this.convert(anchor.node, depth)
  }

  /** `Object.fromEntries` creates own properties for all keys, including `__proto__`. */
  #object(pairs: Pair<Node, Node | null>[], depth: number): object {
    const entries = new Map<string, unknown>()
    for (const { key, value } of pairs) {
      const name = keyText(key)
      if (name === undefined) throw this.#problem('a key must be a text or number', key)
      if (entries.has(name)) throw this.#problem(`key ${JSON.stringify(name)} occurs twice`, key)
      const anchor = this.#remember(key)
      if (anchor !== undefined) anchor.isOpen = false
      entries.set(name, value === null ? null : this.convert(value, depth + 1))
    }
    return Object.fromEntries(entries)
  }

  #problem(message: string, node: Node): YamlProblem {
    return new YamlProblem(message, node.range ? this.#positionOf(node.range[0]) : null)
  }
}

/** A key as written, so that `1.0` and `on` keep their spelling. */
function keyText(key: Node | null): string | undefined {
  if (key === null || !isScalar(key)) return undefined
  return key.source ?? String(key.value)
}

function locate(
  top: Node | null,
  path: ItemPath,
  anchors: Map<string, Anchor>,
  positionOf: PositionOf,
): Position | null {
  let node: Node | null | undefined = top
  let position: Position | null = null
  for (const step of path) {
    while (isAlias(node)) node = anchors.get(node.source)?.node
    if (isMap<Node, Node | null>(node)) {
      const pair: Pair<Node, Node | null> | undefined = node.items.find(item => keyText(item.key) === String(step))
      if (pair?.key.range) position = positionOf(pair.key.range[0])
      node = pair?.value
    } else if (isSeq<Node>(node) && typeof step === 'number') {
      node = node.items[step]
      if (node?.range) position = positionOf(node.range[0])
    } else {
      break
    }
    if (node == null) break
  }
  return position
}
