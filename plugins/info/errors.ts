/** Errors of the plugin `info`. */
import { quoteInput, refusal, type HttpError } from 'svc/plugin'

export function unknownTimezone(name: string): HttpError {
  return refusal(
    404,
    'unknown_timezone',
    `unknown time zone ${quoteInput(name)} (expected a name such as Europe/Berlin)`,
  )
}

export function invalidRange(what: string): HttpError {
  return refusal(400, 'invalid_range', `${what} (expected two signed 64-bit integers, the lower one first)`)
}

export function invalidCount(text: string, max: number): HttpError {
  return refusal(
    400,
    'invalid_count',
    `invalid number of paragraphs ${quoteInput(text)} (expected an integer from 1 to ${max})`,
  )
}
