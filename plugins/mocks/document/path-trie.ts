/**
 * Matches paths to templates. Literal segments take precedence over mixed ones, and those over parameters, with
 * backtracking.
 */

export interface PathMatch<T> {
  value: T
  /** The percent-decoded values of the template parameters, in order. */
  values: string[]
}

interface Node<T> {
  literals: Map<string, Node<T>>
  mixed: { shape: string; parts: string[]; node: Node<T> }[]
  parameter: Node<T> | null
  end: { value: T } | null
}

const MAX_SEGMENTS = 64
/** OpenAPI path templating: a name can be empty, and `*` has no special meaning. */
const PLACEHOLDER = /\{([^{}]*)\}/g

/** Why a template was not added: no request can match it, or another one has the same shape (`taken` is its value). */
export type AddResult<T> =
  | { added: true }
  | { added: false; unreachable: true }
  | { added: false; unreachable: false; taken: T }

export class PathTrie<T> {
  readonly #root: Node<T> = emptyNode()

  /** Adds a template such as `/pets/{id}.json`. */
  add(template: string, value: T): AddResult<T> {
    const segments = template.split('/').slice(1)
    if (!template.startsWith('/') || /[?#]/.test(template) || segments.length > MAX_SEGMENTS)
      return { added: false, unreachable: true }
    let node = this.#root
    for (const segment of segments) node = descend(node, segment)
    if (node.end) return { added: false, unreachable: false, taken: node.end.value }
    node.end = { value }
    return { added: true }
  }

  /** The best match for a path as sent; undefined if nothing matches. */
  find(path: string): PathMatch<T> | undefined {
    if (!path.startsWith('/')) return undefined
    const segments = path.split('/').slice(1)
    if (segments.length > MAX_SEGMENTS) return undefined
    const decoded: string[] = []
    for (const segment of segments) {
      const text = decodeSegment(segment)
      if (text === undefined) return undefined
      decoded.push(text)
    }
    const values: string[] = []
    // Backtracking over 64 levels with three options each could take too long for hostile templates.
    const budget = { steps: 10_000 }
    const end = search(this.#root, decoded, 0, values, budget)
    return end ? { value: end.value, values } : undefined
  }
}

function emptyNode<T>(): Node<T> {
  return { literals: new Map(), mixed: [], parameter: null, end: null }
}

function decodeSegment(segment: string): string | undefined {
  if (!segment.includes('%')) return segment
  try {
    return decodeURIComponent(segment)
  } catch {
    return undefined
  }
}

/** The shape of a template; templates with the same shape match the same paths. */
export function templateShape(template: string): string {
  return template.replaceAll(PLACEHOLDER, '{}')
}

/** The names of a template's parameters, in order. */
export function templateNames(template: string): string[] {
  return [...template.matchAll(PLACEHOLDER)].map(match => match[1] ?? '')
}

function descend<T>(node: Node<T>, segment: string): Node<T> {
  const found = templateNames(segment)
  if (found.length === 0) {
    const literal = decodeSegment(segment) ?? segment
    const next = node.literals.get(literal) ?? emptyNode<T>()
    node.literals.set(literal, next)
    return next
  }
  const parts = segment.split(PLACEHOLDER).filter((_, index) => index % 2 === 0)
  if (found.length === 1 && parts.every(part => part === '')) {
    node.parameter ??= emptyNode()
    return node.parameter
  }
  const shape = parts.join('{}')
  let mixed = node.mixed.find(other => other.shape === shape)
  if (!mixed) {
    mixed = { shape, parts, node: emptyNode() }
    node.mixed.push(mixed)
    // More literal text is a better match.
    node.mixed.sort((a, b) => b.shape.length - a.shape.length)
  }
  return mixed.node
}

function search<T>(
  node: Node<T>,
  segments: string[],
  index: number,
  values: string[],
  budget: { steps: number },
): Node<T>['end'] {
  if (budget.steps-- <= 0) return null
  if (index === segments.length) return node.end
  const segment = segments[index] ?? ''
  const literal = node.literals.get(segment)
  if (literal) {
    const end = search(literal, segments, index + 1, values, budget)
    if (end) return end
  }
  const depth = values.length
  for (const mixed of node.mixed) {
    const parts = splitMixed(segment, mixed.parts)
    if (!parts) continue
    values.push(...parts)
    const end = search(mixed.node, segments, index + 1, values, budget)
    if (end) return end
    values.length = depth
  }
  if (node.parameter && segment !== '') {
    values.push(segment)
    const end = search(node.parameter, segments, index + 1, values, budget)
    if (end) return end
    values.length = depth
  }
  return null
}

/** The non-empty texts between the literal parts of a segment, each as short as possible. */
function splitMixed(segment: string, parts: string[]): string[] | undefined {
  const first = parts[0] ?? ''
  const last = parts[parts.length - 1] ?? ''
  if (!segment.startsWith(first)) return undefined
  const values: string[] = []
  let position = first.length
  for (let index = 1; index < parts.length; index++) {
    const part = parts[index] ?? ''
    // The last part is anchored at the end; the others match at the first position that leaves one character.
    const isLast = index === parts.length - 1
    const next = isLast ? segment.length - last.length : segment.indexOf(part, position + 1)
    if (next <= position || (isLast && !segment.endsWith(last))) return undefined
    values.push(segment.slice(position, next))
    position = next + part.length
  }
  return values
}
