/** Finds, masks and checks the credential of a request. */
import { isTruthy } from 'svc/toolkit'
import type { CredentialRule, RequestHeaders } from '../contract/provider.ts'

export interface Credential {
  source: string
  value: string
  /** Why the credential can't be read. */
  malformed?: string
}

/** The first credential that a rule finds, or null. */
export function findCredential(
  rules: readonly CredentialRule[],
  headers: RequestHeaders,
  query: () => URLSearchParams,
): Credential | null {
  for (const rule of rules) {
    const found = readBy(rule, headers, query)
    if (found !== undefined)
      return found.malformed === undefined
        ? { source: rule.source, value: found.value }
        : { source: rule.source, ...found }
  }
  return null
}

function readBy(
  rule: CredentialRule,
  headers: RequestHeaders,
  query: () => URLSearchParams,
): { value: string; malformed?: string } | undefined {
  if (rule.read !== undefined) return rule.read(headers)
  const value =
    rule.query === undefined ? header(headers, rule.header ?? 'authorization') : (query().get(rule.query) ?? undefined)
  if (rule.scheme === undefined) return nonEmpty(value)
  const length = rule.scheme.length
  const isOfScheme =
    value !== undefined && value[length] === ' ' && value.slice(0, length).toLowerCase() === rule.scheme.toLowerCase()
  return isOfScheme ? nonEmpty(value.slice(length + 1)) : undefined
}

function nonEmpty(value: string | null | undefined): { value: string } | undefined {
  const trimmed = value?.trim()
  return trimmed ? { value: trimmed } : undefined
}

/** The first value of a header. */
export function header(headers: RequestHeaders, name: string): string | undefined {
  const value = headers[name]
  return Array.isArray(value) ? value[0] : value
}

/** `****` and the last four characters of a value that is longer; characters other than printable ASCII become `?`. */
export function maskKey(value: string): string {
  return `****${value.length > 4 ? printable(value.slice(-4)) : ''}`
}

/** Replaces everything but printable ASCII with `?`, for header values. */
export function printable(text: string): string {
  return /[^\x20-\x7e]/.test(text) ? text.replace(/[^\x20-\x7e]/g, '?') : text
}

/** Value of `X-Svc-Credential`. */
export function showCredential(credential: Credential | null): string {
  return credential === null ? 'none' : `${credential.source} ${maskKey(credential.value)}`
}

/** The credential that the server or a named provider requires. */
export interface CredentialRequirement {
  requireAuth: boolean
  /** The only accepted value; null: any. */
  apiKey: string | null
}

/** Whether this request needs a credential. */
export function isEnforced(requirement: CredentialRequirement, headers: RequestHeaders): boolean {
  return requirement.requireAuth || requirement.apiKey !== null || isTruthy(header(headers, 'x-svc-require-auth'))
}
