/** Evaluates conditional requests: whether the client already has the current representation. */
import { namesTag } from 'svc/toolkit'
import { parseHttpDate } from './http-date.ts'

/** Validators of a representation. */
export interface Validators {
  /** Entity tag with its quotes. */
  etag: string
  /** Whole seconds since the epoch. */
  lastModified?: number
}

export interface Conditions {
  ifNoneMatch?: string | undefined
  ifModifiedSince?: string | undefined
}

/**
 * Whether to respond with 304. `If-None-Match` uses the weak comparison; if it is present, the date is ignored (RFC 9110,
 * 13.1.2, 13.1.3, 13.2.2). An invalid date is ignored.
 */
export function isNotModified(
  { ifNoneMatch, ifModifiedSince }: Conditions,
  { etag, lastModified }: Validators,
): boolean {
  if (ifNoneMatch !== undefined) return namesTag(ifNoneMatch, etag)
  if (ifModifiedSince === undefined || lastModified === undefined) return false
  const since = parseHttpDate(ifModifiedSince)
  return since !== null && since >= lastModified
}
