/** The descriptor entry `svc`, with the value that the client of a gateway sent as `X-Svc-Ratelimit`. */
import type { ServiceFault } from '../gateway-services/types.ts'
import type { Code } from './limit.ts'

export const RATE_LIMIT_HEADER = 'X-Svc-Ratelimit'
/** The key of the entry. It is not counted. */
export const FAULT_ENTRY = 'svc'
/** For messages. */
export const RATE_LIMIT_VALUES = 'ok, over, unknown, slow:<ms>, error, hang'

/** The codes, by the words of rules and headers. */
export const CODES: Readonly<Record<string, Code>> = { ok: 'OK', over: 'OVER_LIMIT', unknown: 'UNKNOWN' }

/** Null for any other value. */
export function parseFault(text: string): ServiceFault<Code> | null {
  const word = text.trim()
  if (Object.hasOwn(CODES, word)) return { kind: 'own', fault: CODES[word]! }
  if (word === 'hang') return { kind: 'hang' }
  if (word === 'error') return { kind: 'error', status: null }
  const [, ms] = /^slow:(\d{1,9})$/.exec(word) ?? []
  return ms === undefined ? null : { kind: 'slow', ms: Number(ms) }
}
