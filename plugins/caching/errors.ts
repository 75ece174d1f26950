/** Errors of the plugin `caching`. */
import { quoteInput, refusal, type HttpError } from 'svc/plugin'

export function invalidTtl(text: string, max: number): HttpError {
  return refusal(400, 'invalid_ttl', `invalid ttl ${quoteInput(text)} (expected seconds from 0 to ${max})`)
}

export function invalidCount(text: string, max: number): HttpError {
  return refusal(
    400,
    'invalid_count',
    `invalid number of bytes ${quoteInput(text)} (expected an integer from 1 to ${max})`,
  )
}
