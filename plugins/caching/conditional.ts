/** Owns conditional requests: whether a client already has what it would get. */
import { namesTag } from 'svc/plugin'
import { parseHttpDate } from './http-date.ts'

/** What a representation is recognized by. */
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
 * Whether the answer is 304. `If-None-Match` is compared weakly and, when it is there, the date is not looked at
 * (RFC 9110, 13.1.2, 13.1.3, 13.2.2). A date that is none does not count.
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
