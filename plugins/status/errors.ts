/** Errors of the plugin `status`. */
import { quoteInput, refusal, type HttpError } from 'svc/plugin'

export function unsupportedStatusCode(code: number): HttpError {
  return refusal(
    400,
    'unsupported_status_code',
    `${code} is an interim status and cannot be the final response (expected 200 to 599)`,
  )
}

export function invalidStatusCode(what: string): HttpError {
  return refusal(
    400,
    'invalid_status_code',
    `${what} (expected a code from 200 to 599, or a list of up to 20 codes such as 200,500 or 200:0.9,500:0.1)`,
  )
}

export function forbiddenHeader(name: string): HttpError {
  return refusal(
    400,
    'forbidden_header',
    `the header ${quoteInput(name)} cannot be set: it affects the connection or the whole origin`,
  )
}

export function invalidHeader(what: string): HttpError {
  return refusal(400, 'invalid_header', what)
}

export function tooManyHeaders(count: number, max: number): HttpError {
  return refusal(400, 'too_many_headers', `too many headers: ${count} (at most ${max})`)
}
