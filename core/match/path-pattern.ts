/** Templates of paths: `/orders/{id}/items`, `/files/**`, `/reports/{name}.json`. */
import { InputProblem } from '../toolkit/input-problem.ts'
import { isSessionName } from '../fields/session-prefix.ts'

const MAX_LENGTH = 1000
const NAME = /^\{([A-Za-z_][\w-]{0,63})\}$/

type Segment =
  | { kind: 'literal'; text: string }
  /** One segment, with literal text before and after what it captures. */
  | { kind: 'open'; name: string | null; before: string; after: string }
  /** Any number of segments. */
  | { kind: 'rest' }

export interface PathPattern {
  /** As written. */
  readonly text: string
  /** The segments before the first one that is not literal. */
  readonly prefix: readonly string[]
  /** Names of the captured segments. */
  readonly names: readonly string[]
  /** Whether all segments are literal. */
  readonly isLiteral: boolean
  /** The most comparisons of segments that a path with this number of segments takes. */
  comparisons(segments: number): number
  /** Returns the captured segments by name; null if the path is another one. `segments` are decoded. */
  match(segments: readonly string[]): ReadonlyMap<string, string> | null
}

const NO_CAPTURES: ReadonlyMap<string, string> = new Map()

/**
 * Reads a template: `{name}` is one segment, which is captured; `*` one segment; `**` any number of segments, also none. Within
 * a segment, text before and after one `{name}` or `*` is literal, and what it stands for is not empty. Other segments are
 * compared literally, decoded. Throws an `InputProblem`.
 */
export function readPathPattern(value: unknown, at: string): PathPattern {
  if (typeof value !== 'string' || !value.startsWith('/') || value.length > MAX_LENGTH)
    throw new InputProblem(at, `expected a path that starts with /, of at most ${MAX_LENGTH} characters`)
  const mark = /[?#]/.exec(value)?.[0]
  if (mark !== undefined)
    throw new InputProblem(
      at,
      `the path of a request has no ${mark}, so this path never matches`,
      mark === '?' ? 'test parameters with query, or write %3F for the character' : 'write %23 for the character',
    )
  const names = new Set<string>()
  const segments = value
    .slice(1)
    .split('/')
    .map(part => readSegment(part, names, at))
  const firstOpen = segments.findIndex(({ kind }) => kind !== 'literal')
  const prefix = segments
    .slice(0, firstOpen === -1 ? segments.length : firstOpen)
    .map(segment => (segment as { text: string }).text)
  const rests = segments.filter(({ kind }) => kind === 'rest').length
  const hasInnerRest = rests > 1 || (rests === 1 && segments.at(-1)!.kind !== 'rest')
  return {
    text: value,
    prefix,
    names: [...names],
    isLiteral: firstOpen === -1,
    comparisons: count => (hasInnerRest ? count * segments.length : Math.min(count, segments.length)),
    match: path => match(segments, path),
  }
}

/**
 * The usual matching of wildcards: after a mismatch, the last `**` takes one segment more. What comes before it needs no second
 * look, because any later place for it leaves fewer segments for the rest.
 */
function match(segments: readonly Segment[], path: readonly string[]): ReadonlyMap<string, string> | null {
  /** The segment of the path that each segment of the template stands for. */
  const places: number[] = []
  let next = 0
  let place = 0
  let rest = -1
  let restEnd = 0
  while (place < path.length || next < segments.length) {
    const segment = segments[next]
    if (segment?.kind === 'rest') {
      rest = next++
      restEnd = place
    } else if (segment !== undefined && place < path.length && fits(segment, path[place]!)) {
      places[next++] = place++
    } else if (rest !== -1 && restEnd < path.length) {
      place = ++restEnd
      next = rest + 1
    } else return null
  }
  let captures: Map<string, string> | null = null
  for (const [index, segment] of segments.entries()) {
    if (segment.kind !== 'open' || segment.name === null) continue
    const text = path[places[index]!]!
    captures ??= new Map()
    captures.set(segment.name, text.slice(segment.before.length, text.length - segment.after.length))
  }
  return captures ?? NO_CAPTURES
}

function fits(segment: Exclude<Segment, { kind: 'rest' }>, text: string): boolean {
  if (segment.kind === 'literal') return segment.text === text
  const { before, after } = segment
  return text.length > before.length + after.length && text.startsWith(before) && text.endsWith(after)
}

function readSegment(part: string, names: Set<string>, at: string): Segment {
  if (part === '**') return { kind: 'rest' }
  const open = /\{[^{}]*\}|\*/.exec(part)
  if (open === null) {
    if (/[{}]/.test(part)) throw wrongSegment(at)
    return { kind: 'literal', text: decodeSegment(part) }
  }
  const before = part.slice(0, open.index)
  const after = part.slice(open.index + open[0].length)
  if (/[*{}]/.test(before + after)) throw wrongSegment(at)
  const literals = { before: decodeSegment(before), after: decodeSegment(after) }
  if (open[0] === '*') return { kind: 'open', name: null, ...literals }
  const name = NAME.exec(open[0])?.[1]
  if (name === undefined) throw wrongSegment(at)
  if (names.has(name)) throw new InputProblem(at, `the name {${name}} occurs twice`)
  names.add(name)
  return { kind: 'open', name, ...literals }
}

function wrongSegment(at: string): InputProblem {
  return new InputProblem(
    at,
    'expected at most one {name} or * in a segment, and ** as a whole segment (%2A is a literal *, %7B a literal {)',
  )
}

/**
 * Throws for a path that no rule can see: those of the control plane, those whose prefix names a session, and those that
 * `isSeen` excludes.
 */
export function rejectUnseenPath(pattern: PathPattern, at: string, isSeen?: (path: string) => boolean): void {
  const [first, second] = pattern.prefix
  if (first === '_svc')
    throw new InputProblem(at, 'rules never act below /_svc, so this path never matches', 'write another path')
  if (first === 's' && second !== undefined && isSessionName(second))
    throw new InputProblem(
      at,
      `the prefix /s/${second} names a session and is removed before rules see the path, so this path never matches`,
      `write the path without it, and session: ${second}`,
    )
  if (pattern.isLiteral && isSeen !== undefined && !isSeen(`/${pattern.prefix.join('/')}`))
    throw new InputProblem(at, 'rules never act on this path, so it never matches', 'write another path')
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
