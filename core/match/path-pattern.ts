/** Templates of paths: `/orders/{id}/items`, `/files/**`. */
import { InputProblem } from '../toolkit/input-problem.ts'

const MAX_LENGTH = 1000
const NAME = /^\{([A-Za-z_][\w-]{0,63})\}$/

type Segment = { kind: 'literal'; text: string } | { kind: 'any'; name: string | null }

export interface PathPattern {
  /** As written. */
  readonly text: string
  /** The segments before the first one that is not literal. */
  readonly prefix: readonly string[]
  /** Returns the captured segments by name; null if the path is another one. `segments` are decoded. */
  match(segments: readonly string[]): ReadonlyMap<string, string> | null
}

const NO_CAPTURES: ReadonlyMap<string, string> = new Map()

/**
 * Reads a template: `{name}` is one segment, which is captured; `*` one segment; `**` the rest, which may be empty. Other
 * segments are compared literally, decoded. Throws an `InputProblem`.
 */
export function readPathPattern(value: unknown, at: string): PathPattern {
  if (typeof value !== 'string' || !value.startsWith('/') || value.length > MAX_LENGTH)
    throw new InputProblem(at, `expected a path that starts with /, of at most ${MAX_LENGTH} characters`)
  const parts = value.slice(1).split('/')
  const hasRest = parts.at(-1) === '**'
  if (hasRest) parts.pop()
  const names = new Set<string>()
  const segments = parts.map(part => readSegment(part, names, at))
  const firstOpen = segments.findIndex(({ kind }) => kind === 'any')
  const prefix = segments
    .slice(0, firstOpen === -1 ? segments.length : firstOpen)
    .map(segment => (segment as { text: string }).text)
  return {
    text: value,
    prefix,
    match(path) {
      if (hasRest ? path.length < segments.length : path.length !== segments.length) return null
      let captures: Map<string, string> | null = null
      for (const [index, segment] of segments.entries()) {
        const got = path[index]!
        if (segment.kind === 'literal') {
          if (segment.text !== got) return null
        } else if (got === '') {
          return null
        } else if (segment.name !== null) {
          captures ??= new Map()
          captures.set(segment.name, got)
        }
      }
      return captures ?? NO_CAPTURES
    },
  }
}

function readSegment(part: string, names: Set<string>, at: string): Segment {
  if (part === '*') return { kind: 'any', name: null }
  const name = NAME.exec(part)?.[1]
  if (name !== undefined) {
    if (names.has(name)) throw new InputProblem(at, `the name {${name}} occurs twice`)
    names.add(name)
    return { kind: 'any', name }
  }
  if (part === '**') throw new InputProblem(at, 'expected ** at the end of the path only')
  if (/[*{}]/.test(part))
    throw new InputProblem(at, 'expected {name} and * as whole segments, and ** at the end (%2A is a literal *)')
  return { kind: 'literal', text: decodeSegment(part) }
}

/** The segments of a path as received, each decoded. `/` has one empty segment. */
export function segmentsOfPath(path: string): string[] {
  const segments = path.slice(1).split('/')
  return path.includes('%') ? segments.map(decodeSegment) : segments
}

function decodeSegment(text: string): string {
  if (!text.includes('%')) return text
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
