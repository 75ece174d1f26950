/** Names of members in camel case: the API takes them in snake case too. */
import { isRecord } from 'svc/toolkit'
import type { Members } from '../values.ts'

/** Values of these members are the client's own. */
const OPAQUE = new Set([
  'args',
  'response',
  'parameters',
  'parametersJsonSchema',
  'responseSchema',
  'responseJsonSchema',
])
const MAX_DEPTH = 32

export function camelMembers(value: unknown, depth = 0): unknown {
  if (depth > MAX_DEPTH) return value
  if (Array.isArray(value)) return value.map(item => camelMembers(item, depth + 1))
  if (!isRecord(value)) return value
  const members: Members = {}
  for (const [name, inner] of Object.entries(value)) {
    const camel = name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
    members[camel] = OPAQUE.has(camel) ? inner : camelMembers(inner, depth + 1)
  }
  return members
}
