/** `X-Svc-Load`: the number of other generations that a provider is to behave as if it were running. */
import type { RequestHeaders } from '../contract/provider.ts'
import { header } from '../headers/credentials.ts'
import type { Slots } from './slots.ts'

/** What the header states, if it can act, and why it is ignored. */
export interface LoadHeader {
  others: number | null
  /** For `X-Svc-Ignored`. */
  ignored: string | null
}

/** Reads the header for a provider with these slots. Without slots, a valid value has no effect. */
export function readLoadHeader(headers: RequestHeaders, slots: Slots | undefined): LoadHeader {
  const text = header(headers, 'x-svc-load')?.trim()
  if (text === undefined) return { others: null, ignored: null }
  const others = /^\d{1,9}$/.test(text) ? Number(text) : Infinity
  if (slots === undefined) return { others: null, ignored: others === Infinity ? 'expected a whole number' : null }
  const most = slots.settings.slots + slots.settings.queue
  if (most === Infinity) return { others: null, ignored: 'the provider has no capacity limit' }
  if (others <= most) return { others, ignored: null }
  return { others: null, ignored: `expected a whole number from 0 to ${most}` }
}
