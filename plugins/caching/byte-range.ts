/** Owns the `Range` header (RFC 9110, 14.2). */

/** First and last byte, both included. */
export interface ByteRange {
  first: number
  last: number
}

/**
 * What a `Range` value means for a body of `size` bytes, 1 or more: a part of it, `unsatisfiable`, or `whole` when the
 * header is to be ignored: another unit, or several ranges, which nobody has to serve.
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

/** Whether `Range` counts: without `If-Range`, or when it is exactly the strong tag of the body (RFC 9110, 13.1.5). */
export function isRangeCurrent(ifRange: string | undefined, etag: string): boolean {
  return ifRange === undefined || ifRange.trim() === etag
}
