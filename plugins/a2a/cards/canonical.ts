/** Owns the form of a card that is signed (A2A 1.0, 8.4): JSON in canonical form (RFC 8785), without what is unset. */
import { isRecord } from 'svc/toolkit'
import type { JsonObject } from '../types.ts'

/** The text to sign. Verifiers read cards into protobuf messages, where default values are the same as absent ones. */
export function canonicalCard(card: JsonObject): string {
  const { signatures: _signatures, ...unsigned } = card
  return canonicalJson(withoutUnset(unsigned) ?? {})
}

/** Undefined if nothing is left. The flags of `capabilities` are optional fields, so that false is a value. */
function withoutUnset(value: unknown, name = ''): unknown {
  if (value === '' || value === null || (value === false && name === 'required')) return undefined
  if (Array.isArray(value)) {
    const items = value.map(item => withoutUnset(item)).filter(item => item !== undefined)
    return items.length > 0 ? items : undefined
  }
  if (!isRecord(value)) return value
  const members = Object.entries(value)
    .map(([key, member]) => [key, withoutUnset(member, key)] as const)
    .filter(([, member]) => member !== undefined)
  return members.length > 0 ? Object.fromEntries(members) : undefined
}

/** RFC 8785: keys in the order of their UTF-16 code units, no white space. */
function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  if (!isRecord(value)) return JSON.stringify(value)
  const members = Object.keys(value)
    .toSorted()
    .map(key => `${JSON.stringify(key)}:${canonicalJson(value[key])}`)
  return `{${members.join(',')}}`
}
