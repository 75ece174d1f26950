/** Ranges of a body (RFC 9110, 14.2). */

/** First and last byte, both included. */
export interface ByteRange {
  first: number
  last: number
}

/**
 * Resolves a `Range` value for a body of `size` bytes, at least 1: a range, `unsatisfiable`, or `whole` if the header is
 * ignored because it has another unit or several ranges, which a server need not support.
 */
export function readRange(field: string, size: number): ByteRange | 'unsatisfiable' | 'whole' {
  const [, unit, set] = /^([^=]*)=(.*)$/s.exec(field.trim()) ?? []
  if (unit?.toLowerCase() !== 'bytes' || set === undefined || set.includes(',')) return 'whole'
  const [, firstText, lastText] = /^(\d*)-(\d*)$/.exec(set.trim()) ?? []
  if (firstText === undefined || lastText === undefined || firstText + lastText === '') return 'unsatisfiable'
  if (firstText === '') return lastBytes(Number(lastText), size)
  const first = Number(firstText)
  const last = lastText === '' ? size - 1 : Math.min(Number(lastText), size - 1)
  return first < size && first <= last ? { first, last } : 'unsatisfiable'
}

function lastBytes(count: number, size: number): ByteRange | 'unsatisfiable' {
  return count === 0 ? 'unsatisfiable' : { first: Math.max(size - count, 0), last: size - 1 }
}

/**
 * Whether `Range` applies: `If-Range` is absent, or equals the strong entity tag of the body or its `Last-Modified` (RFC
 * 9110, 13.1.5).
 */
export function isRangeCurrent(ifRange: string | undefined, etag: string | undefined, lastModified?: string): boolean {
  if (ifRange === undefined) return true
  const validator = ifRange.trim()
  return validator.startsWith('"') ? validator === etag : validator === lastModified
}
