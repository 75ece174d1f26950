/** Protection of browsers from content whose type or text a client chose. */
import { SANDBOX_POLICY } from 'svc/toolkit'
import type { Call } from '../call.ts'

/** Types whose bodies go-httpbin does not escape. */
const SAFE = new Set(['text/plain', 'application/json', 'application/octet-string'])

export function isSafeType(type: string): boolean {
  return SAFE.has(type.split(';', 1)[0]!.trim().toLowerCase())
}

/** The console has the same origin: the document gets an origin of its own, and its type is not guessed. */
export function sandbox(call: Call): void {
  call.reply.headers({ 'Content-Security-Policy': SANDBOX_POLICY, 'X-Content-Type-Options': 'nosniff' })
}
