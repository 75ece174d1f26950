/** The choice between JSON and XML by `Accept` (RFC 9110, 12.5.1). */
import { splitList } from './quoted-list.ts'

export type NegotiatedType = 'application/json' | 'application/xml' | 'text/xml'

/** In the server's order: of equal quality the first wins. */
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
 * The media type that a negotiated answer has. JSON when nothing or nothing acceptable is asked for, and for browsers:
 * they name XML only beside a page type that they want at least as much. Never refuses.
 */
export function wantsXml(accept: string | undefined): NegotiatedType {
  if (accept === undefined || accept === '*/*' || accept === 'application/json') return 'application/json'
  const ranges = parseRanges(accept)
  let best: NegotiatedType = 'application/json'
  let bestQuality = 0
  for (const candidate of CANDIDATES) {
    const quality = qualityOf(candidate, ranges)
    if (quality > bestQuality) {
      best = candidate
      bestQuality = quality
    }
  }
  if (best === 'application/json') return best
  const isPageWanted = ranges.some(range => PAGE_TYPES.has(range.name) && range.quality >= bestQuality)
  return isPageWanted ? 'application/json' : best
}

/** Quality that the most specific matching range gives a type; 0 when none matches. */
function qualityOf(candidate: NegotiatedType, ranges: MediaRange[]): number {
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

/** The `q` among a range's parameters: 1 without one, at most 1, null when it is no number. */
function qualityIn(parameters: string[]): number | null {
  const weight = parameters.find(parameter => /^q[ \t]*=/i.test(parameter))
  if (weight === undefined) return 1
  const text = weight.slice(weight.indexOf('=') + 1).trim()
  return /^\d+(?:\.\d*)?$/.test(text) ? Math.min(Number(text), 1) : null
}
