/** Parses media types, and selects one by `Accept` (RFC 9110, 12.5.1). */

/** The lower-case type without parameters; empty if absent. */
export function baseType(header: string | undefined): string {
  const end = header?.indexOf(';') ?? -1
  return (end < 0 ? (header ?? '') : (header ?? '').slice(0, end)).trim().toLowerCase()
}

/** Whether the type is `application/json` or ends with `+json`. */
export function isJsonType(type: string): boolean {
  const base = baseType(type)
  return base === 'application/json' || base === 'text/json' || base.endsWith('+json')
}

export function isXmlType(type: string): boolean {
  const base = baseType(type)
  return base === 'application/xml' || base === 'text/xml' || base.endsWith('+xml')
}

interface Range {
  type: string
  subtype: string
  quality: number
}

/** The ranges of an `Accept` header; null if it has no valid range. */
function parseAccept(header: string): Range[] | null {
  const ranges: Range[] = []
  for (const part of header.split(',', 100)) {
    const [range = '', ...parameters] = part.split(';')
    const match = /^\s*([\w!#$&^.+*-]+)\/([\w!#$&^.+*-]+)\s*$/.exec(range)
    if (!match) continue
    const weight = parameters
      .map(parameter => /^\s*q\s*=\s*([01](?:\.\d{0,3})?)\s*$/i.exec(parameter)?.[1])
      .find(value => value !== undefined)
    ranges.push({
      type: (match[1] ?? '').toLowerCase(),
      subtype: (match[2] ?? '').toLowerCase(),
      quality: weight === undefined ? 1 : Number(weight),
    })
  }
  return ranges.length > 0 ? ranges : null
}

export type Negotiated = { type: string; fits: boolean }

/** The default type: JSON if declared, else the first JSON-based type, else the first type. */
function defaultType(declared: readonly string[]): string | undefined {
  return (
    declared.find(type => baseType(type) === 'application/json') ??
    declared.find(type => baseType(type).endsWith('+json')) ??
    declared[0]
  )
}

/**
 * Selects one of the declared types (in document order) by `Accept`. Undefined if no type is declared. If no declared
 * type is acceptable, `fits` is false and the type is the default one.
 */
export function negotiate(
  declared: readonly string[],
  accept: string | undefined,
): (Negotiated & { declaredAs: string }) | undefined {
  const usual = defaultType(declared)
  if (usual === undefined) return undefined
  const ranges = accept === undefined ? null : parseAccept(accept)
  let best: { declaredAs: string; quality: number; range: Range } | null = null
  for (const declaredAs of ranges ? [usual, ...declared.filter(type => type !== usual)] : []) {
    const range = mostSpecific(ranges ?? [], declaredAs)
    if (!range || range.quality === 0) continue
    const isAny = range.type === '*'
    const better =
      best === null ||
      range.quality > best.quality ||
      (range.quality === best.quality &&
        !isAny &&
        best.range.type !== '*' &&
        declared.indexOf(declaredAs) < declared.indexOf(best.declaredAs))
    if (better) best = { declaredAs, quality: range.quality, range }
  }
  if (best) return { type: concrete(best.declaredAs, best.range), declaredAs: best.declaredAs, fits: true }
  return { type: concrete(usual, null), declaredAs: usual, fits: ranges === null }
}

function mostSpecific(ranges: Range[], declared: string): Range | undefined {
  let best: { range: Range; rank: number } | undefined
  for (const range of ranges) {
    const rank = specificity(range, declared)
    if (rank > (best?.rank ?? 0)) best = { range, rank }
  }
  return best?.range
}

/** The specificity of a match; 0 if the range does not match. A declared `image/*` matches every image type. */
function specificity(range: Range, declared: string): number {
  const [type = '', subtype = ''] = baseType(declared).split('/')
  if (range.type === '*') return 1
  if (type === '*') return 2
  if (range.type !== type) return 0
  if (range.subtype === '*') return 2
  if (range.subtype === subtype) return 4
  if (subtype === '*') return 3
  // Clients may request a vendor type where the document declares plain JSON or XML.
  return /\+(?:json|xml)$/.exec(range.subtype)?.[0].slice(1) === subtype ? 3 : 0
}

/** The concrete type for a declared range: the requested type, else `application/octet-stream`. */
function concrete(declared: string, range: Range | null): string {
  if (!declared.includes('*')) return declared
  return range && range.type !== '*' && range.subtype !== '*'
    ? `${range.type}/${range.subtype}`
    : 'application/octet-stream'
}

/** The entry of `content` for a request's type: an exact match, else the range, else any. */
export function coveringType<T extends { type: string }>(content: readonly T[], type: string): T | undefined {
  const wanted = baseType(type)
  const family = `${wanted.split('/')[0]}/*`
  return (
    content.find(entry => baseType(entry.type) === wanted) ??
    content.find(entry => entry.type === family) ??
    content.find(entry => entry.type === '*/*') ??
    (isJsonType(wanted) && wanted.endsWith('+json')
      ? content.find(entry => entry.type === 'application/json')
      : undefined)
  )
}
