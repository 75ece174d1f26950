/** Chooses a media type by `Accept` (RFC 9110, 12.5.1), in particular between JSON and XML. */
import { splitList } from './list-syntax.ts'

export type NegotiatedType = 'application/json' | 'application/xml' | 'text/xml'

/** In the order of preference of the server: on a tie the first wins. */
const CANDIDATES: readonly NegotiatedType[] = ['application/json', 'application/xml', 'text/xml']
const PAGE_TYPES = new Set(['text/html', 'application/xhtml+xml'])
const MAX_RANGES = 64
const MAX_PARAMETERS = 16

interface MediaRange {
  /** Lower case, without parameters. */
  name: string
  /** 0 to 1. */
  quality: number
}

/**
 * The media type of a negotiated response. JSON if nothing acceptable is requested, and for browsers: they list XML
 * only together with a page type of at least the same quality. Never fails.
 */
export function negotiateType(accept: string | undefined): NegotiatedType {
  if (accept === undefined || accept === '*/*' || accept === 'application/json') return 'application/json'
  const ranges = parseRanges(accept)
  const { type, quality } = bestOf(CANDIDATES, ranges)
  if (type === null || type === 'application/json') return 'application/json'
  const isPageWanted = ranges.some(range => PAGE_TYPES.has(range.name) && range.quality >= quality)
  return isPageWanted ? 'application/json' : type
}

/**
 * The type that an `Accept` value prefers among those that can be served. The most specific matching range determines
 * the quality of a type; the highest quality wins, on a tie the first. Null if none is acceptable.
 */
export function preferredType<Type extends string>(accept: string, types: readonly Type[]): Type | null {
  return bestOf(types, parseRanges(accept)).type
}

function bestOf<Type extends string>(
  types: readonly Type[],
  ranges: MediaRange[],
): { type: Type | null; quality: number } {
  let best: { type: Type | null; quality: number } = { type: null, quality: 0 }
  for (const type of types) {
    const quality = qualityOf(type, ranges)
    if (quality > best.quality) best = { type, quality }
  }
  return best
}

/** The quality of a type by the most specific matching range; 0 if none matches. */
function qualityOf(candidate: string, ranges: MediaRange[]): number {
  const subtypeRange = `${candidate.slice(0, candidate.indexOf('/'))}/*`
  for (const name of [candidate, subtypeRange, '*/*']) {
    const matching = ranges.filter(range => range.name === name)
    if (matching.length > 0) return Math.max(...matching.map(range => range.quality))
  }
  return 0
}

function parseRanges(accept: string): MediaRange[] {
  const ranges: MediaRange[] = []
  for (const text of splitList(accept, ',', MAX_RANGES)) {
    const [name, ...parameters] = splitList(text, ';', MAX_PARAMETERS)
    const quality = qualityIn(parameters)
    if (quality !== null) ranges.push({ name: name!.toLowerCase(), quality })
  }
  return ranges
}

/** The `q` parameter of a range: 1 if absent, at most 1, null if it is not a number. */
function qualityIn(parameters: string[]): number | null {
  const weight = parameters.find(parameter => /^q[ \t]*=/i.test(parameter))
  if (weight === undefined) return 1
  const text = weight.slice(weight.indexOf('=') + 1).trim()
  return /^\d+(?:\.\d*)?$/.test(text) ? Math.min(Number(text), 1) : null
}
