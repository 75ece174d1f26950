/** Selects one of the media types that a response declares, by `Accept` (RFC 9110, 12.5.1). */
import { splitField } from 'svc/toolkit'
import { agreement, baseType, isJsonType, isXmlType, parametersOf } from '../request/media-types.ts'

/**
 * What a body is made of: objects and arrays, a text, a text without a schema, or bytes. It decides the types that a declared
 * range stands for.
 */
export type BodyKind = 'structured' | 'text' | 'opaque' | 'binary'

/** A media type of `content`, in document order. */
export interface DeclaredType {
  /** As declared; a range if it contains `*`. */
  type: string
  kind: BodyKind
}

export interface Negotiated {
  /** Without `*`. */
  type: string
  declaredAs: string
  /** False if no declared type is acceptable; the type is the default one. */
  fits: boolean
}

/** The declared types of one `content`, prepared once for all requests. */
export interface Offer {
  /** The declared types, in document order. */
  readonly types: readonly string[]
  readonly entries: readonly OfferedType[]
  readonly usual: OfferedType
  /** The answer to a request that accepts everything. */
  readonly standard: Negotiated
  /** The answer to a request that accepts nothing of it. */
  readonly unacceptable: Negotiated
}

interface OfferedType extends DeclaredType {
  family: string
  subtype: string
  parameters: ReadonlyMap<string, string>
}

interface Range {
  type: string
  subtype: string
  parameters: ReadonlyMap<string, string>
  quality: number
}

const MAX_RANGES = 100

/** The ranges of an `Accept` header; null if it has no valid range. */
function parseAccept(header: string): Range[] | null {
  const ranges: Range[] = []
  for (const part of splitField(header, ',', MAX_RANGES)) {
    const match = /^([\w!#$&^.+*-]+)\/([\w!#$&^.+*-]+)$/.exec(baseType(part))
    if (!match) continue
    const weight = /;\s*q\s*=\s*([01](?:\.\d{0,3})?)\s*(?:;|$)/i.exec(part)?.[1]
    ranges.push({
      type: match[1] ?? '',
      subtype: match[2] ?? '',
      parameters: parametersOf(part),
      quality: weight === undefined ? 1 : Number(weight),
    })
  }
  return ranges.length > 0 ? ranges : null
}

/** The default type: JSON if declared, else the first JSON-based type, else the first type. */
function defaultType<T extends DeclaredType>(declared: readonly T[]): T | undefined {
  return (
    declared.find(({ type }) => baseType(type) === 'application/json') ??
    declared.find(({ type }) => baseType(type).endsWith('+json')) ??
    declared[0]
  )
}

/** Prepares declared types; undefined if there are none. */
export function offerOf(declared: readonly DeclaredType[]): Offer | undefined {
  const entries = declared.map((entry): OfferedType => {
    const [family = '', subtype = ''] = baseType(entry.type).split('/')
    return { ...entry, family, subtype, parameters: parametersOf(entry.type) }
  })
  const usual = defaultType(entries)
  if (usual === undefined) return undefined
  const standard = { type: concrete(usual, null) ?? usual.type, declaredAs: usual.type, fits: true }
  return {
    types: entries.map(({ type }) => type),
    entries,
    usual,
    standard,
    unacceptable: { ...standard, fits: false },
  }
}

interface Candidate {
  declaredAs: string
  type: string
  quality: number
  rank: number
  /** Place in the order of the document; the default type comes first for ranges that accept everything. */
  place: number
}

/** Selects a declared type: the best quality, then the most specific range, then document order. */
export function negotiate({ entries, usual, standard, unacceptable }: Offer, accept: string | undefined): Negotiated {
  const ranges = accept === undefined ? null : parseAccept(accept)
  if (ranges === null) return standard
  let best: Candidate | undefined
  for (const [index, entry] of entries.entries()) {
    const candidate = bestRange(ranges, entry)
    if (candidate === undefined) continue
    const found: Candidate = {
      ...candidate,
      declaredAs: entry.type,
      place: entry === usual && candidate.rank === ANY ? -1 : index,
    }
    if (best === undefined || compare(found, best) < 0) best = found
  }
  return best === undefined ? unacceptable : { type: best.type, declaredAs: best.declaredAs, fits: true }
}

function compare(a: Candidate, b: Candidate): number {
  return b.quality - a.quality || b.rank - a.rank || a.place - b.place
}

/** Ranks of a match, by how specific it is. */
const ANY = 1
const FAMILY = 2
/** Clients may request a vendor type where the document declares plain JSON or XML. */
const SUFFIX = 3
/** The document declares a range that contains the requested type. */
const WITHIN = 4
/** The type, but the document does not declare all requested parameters. */
const WITHOUT_PARAMETERS = 5
const EXACT = 6

/** The quality of a declared type by the most specific matching range; undefined if it is not acceptable. */
function bestRange(
  ranges: readonly Range[],
  declared: OfferedType,
): { type: string; quality: number; rank: number } | undefined {
  let best: { type: string; quality: number; rank: number; agreed: number } | undefined
  for (const range of ranges) {
    const { rank, agreed } = specificity(range, declared)
    const type = rank === 0 ? undefined : concrete(declared, range)
    if (type === undefined) continue
    const isBetter =
      best === undefined ||
      rank > best.rank ||
      (rank === best.rank && (agreed > best.agreed || (agreed === best.agreed && range.quality > best.quality)))
    if (isBetter) best = { type, quality: range.quality, rank, agreed }
  }
  return best === undefined || best.quality === 0 ? undefined : best
}

/** The rank of a match, and the number of parameters that agree; rank 0 if the range does not match. */
function specificity(range: Range, declared: OfferedType): { rank: number; agreed: number } {
  const agreed = agreement(range.parameters, declared.parameters)
  const rank = agreed < 0 ? 0 : rankOf(range, declared.family, declared.subtype, agreed === range.parameters.size)
  return { rank, agreed }
}

function rankOf(range: Range, type: string, subtype: string, hasParameters: boolean): number {
  if (range.type === '*') return ANY
  if (type === '*') return range.subtype === '*' ? FAMILY : WITHIN
  if (range.type !== type) return 0
  if (range.subtype === '*') return FAMILY
  if (range.subtype === subtype) return hasParameters ? EXACT : WITHOUT_PARAMETERS
  if (subtype === '*') return WITHIN
  return /\+(?:json|xml)$/.exec(range.subtype)?.[0].slice(1) === subtype ? SUFFIX : 0
}

/**
 * The concrete type for a declared range: the requested type if the body can be written as one, else a default of the kind.
 * Undefined if neither is acceptable.
 */
function concrete({ type: declared, kind }: DeclaredType, range: Range | null): string | undefined {
  if (!declared.includes('*')) return declared
  if (range !== null && range.type !== '*' && range.subtype !== '*') {
    const wanted = `${range.type}/${range.subtype}`
    return canBeWritten(kind, wanted) ? wanted : undefined
  }
  const usual = usualType(baseType(declared), kind)
  if (range === null || range.type === '*' || usual.startsWith(`${range.type}/`)) return usual
  return usualType(`${range.type}/*`, kind)
}

function canBeWritten(kind: BodyKind, type: string): boolean {
  if (kind !== 'structured') return true
  return (
    isJsonType(type) ||
    (isXmlType(type) && type !== 'application/xhtml+xml' && type !== 'image/svg+xml') ||
    /^(?:application\/(?:x-www-form-urlencoded|(?:x-)?yaml|(?:x-)?ndjson|jsonl|json-seq)|text\/(?:yaml|event-stream)|multipart\/.*)$/.test(
      type,
    )
  )
}

/** The type of a body for which the document declares a range only. */
function usualType(range: string, kind: BodyKind): string {
  if (range.startsWith('text/')) return 'text/plain'
  if (range.startsWith('image/')) return 'image/png'
  if (range.startsWith('multipart/')) return 'multipart/mixed'
  if (kind === 'structured' || (kind === 'text' && range === 'application/*')) return 'application/json'
  return kind === 'text' && range === '*/*' ? 'text/plain' : 'application/octet-stream'
}
