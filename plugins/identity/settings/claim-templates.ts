/** References such as `{{user.email}}` in the claims of an issuer's settings. */
import { isRecord } from 'svc/toolkit'

/** What the references stand for. */
export interface ClaimFacts {
  user: { username: string; email: string; groups: readonly string[]; roles?: readonly string[] } | null
  clientId: string
  scope: string
  issuer: string
}

const VALUES: Record<string, (facts: ClaimFacts) => unknown> = {
  'user.name': ({ user }) => user?.username,
  'user.email': ({ user }) => user?.email,
  'user.groups': ({ user }) => user?.groups,
  'user.roles': ({ user }) => user?.roles,
  client_id: ({ clientId }) => clientId,
  scope: ({ scope }) => scope,
  issuer: ({ issuer }) => issuer,
}

/** The names of all references. */
export const REFERENCES = Object.keys(VALUES)

const REFERENCE = /\{\{([^{}]{0,100})\}\}/g
const ONLY_REFERENCE = /^\{\{([^{}]{0,100})\}\}$/

/** The first reference with an unknown name, or undefined. */
export function unknownReference(value: unknown): string | undefined {
  if (typeof value === 'string')
    return [...value.matchAll(REFERENCE)].map(match => match[1]!.trim()).find(name => !REFERENCES.includes(name))
  if (Array.isArray(value)) return value.map(unknownReference).find(name => name !== undefined)
  return isRecord(value) ? unknownReference(Object.values(value)) : undefined
}

/**
 * The claims with their references replaced. A text that is one reference keeps the type of the value; without a value,
 * such as a user for a client's own token, its claim is left out.
 */
export function fillClaims(claims: Record<string, unknown>, facts: ClaimFacts): Record<string, unknown> {
  const filled = Object.entries(claims).map(([name, value]) => [name, fill(value, facts)])
  return Object.fromEntries(filled.filter(([, value]) => value !== undefined))
}

function fill(value: unknown, facts: ClaimFacts): unknown {
  if (typeof value === 'string') {
    const only = ONLY_REFERENCE.exec(value)?.[1]
    if (only !== undefined) return VALUES[only.trim()]!(facts)
    return value.replace(REFERENCE, (_, name: string) => asText(VALUES[name.trim()]!(facts)))
  }
  if (Array.isArray(value)) return value.map(item => fill(item, facts)).filter(item => item !== undefined)
  return isRecord(value) ? fillClaims(value, facts) : value
}

function asText(value: unknown): string {
  return Array.isArray(value) ? value.join(' ') : typeof value === 'string' ? value : ''
}
