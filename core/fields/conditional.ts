/** Evaluates conditional requests: whether the client already has the current representation (RFC 9110, 13). */
import { namesTag } from './etag.ts'
import { parseHttpDate } from './http-date.ts'

/** Validators of a representation. */
export interface Validators {
  /** Entity tag with its quotes. */
  etag?: string | undefined
  /** Whole seconds since the epoch. */
  lastModified?: number | undefined
}

export interface Conditions {
  ifNoneMatch?: string | undefined
  ifModifiedSince?: string | undefined
}

/** Conditions that must hold for the request to have an effect. */
export interface Preconditions {
  ifMatch?: string | undefined
  ifUnmodifiedSince?: string | undefined
}

/**
 * Whether to respond with 304. `If-None-Match` uses the weak comparison; if it is present, the date is ignored (RFC 9110,
 * 13.1.2, 13.1.3, 13.2.2). An invalid date is ignored.
 */
export function isNotModified(
  { ifNoneMatch, ifModifiedSince }: Conditions,
  { etag, lastModified }: Validators,
): boolean {
  if (ifNoneMatch !== undefined) return etag === undefined ? ifNoneMatch.trim() === '*' : namesTag(ifNoneMatch, etag)
  if (ifModifiedSince === undefined || lastModified === undefined) return false
  const since = parseHttpDate(ifModifiedSince)
  return since !== null && since >= lastModified
}

/**
 * Whether to respond with 412. `If-Match` uses the strong comparison; if it is present, the date is ignored (RFC 9110,
 * 13.1.1, 13.1.4, 13.2.2). An invalid date is ignored.
 */
export function isPreconditionFailed(
  { ifMatch, ifUnmodifiedSince }: Preconditions,
  { etag, lastModified }: Validators,
): boolean {
  if (ifMatch !== undefined) {
    if (ifMatch.trim() === '*') return false
    if (etag === undefined || etag.startsWith('W/')) return true
    return !strongTags(ifMatch).includes(etag)
  }
  if (ifUnmodifiedSince === undefined || lastModified === undefined) return false
  const since = parseHttpDate(ifUnmodifiedSince)
  return since !== null && since < lastModified
}

function strongTags(field: string): string[] {
  return [...field.matchAll(/(W\/)?("[^"]*")/g)].flatMap(([, weak, tag]) => (weak === undefined ? [tag!] : []))
}
