/** Errors of the plugin `reliability`. */
import { quoteInput, refusal, type HttpError } from 'svc/plugin'

export function invalidFailRate(text: string): HttpError {
  return refusal(
    400,
    'invalid_fail_rate',
    `invalid fail rate ${quoteInput(text)} (expected a percentage from 0 to 100)`,
  )
}

export function invalidPattern(text: string, maxLength: number): HttpError {
  return refusal(
    400,
    'invalid_pattern',
    `invalid pattern ${quoteInput(text)} (expected 1 to ${maxLength} letters, each S or F)`,
  )
}

export function invalidCount(text: string, max: number): HttpError {
  return refusal(
    400,
    'invalid_count',
    `invalid number of requests ${quoteInput(text)} (expected an integer from 0 to ${max})`,
  )
}
