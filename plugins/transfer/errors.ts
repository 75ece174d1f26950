/** Errors of the plugin `transfer`. */
import { HttpError, quoteInput, refusal } from 'svc/plugin'

/** `what` names the unit: `bytes`, `lines` or `links`. */
export function invalidCount(text: string, what: string): HttpError {
  return refusal(400, 'invalid_count', `invalid number of ${what} ${quoteInput(text)} (expected a whole number)`)
}

export function incorrectBase64(): HttpError {
  return new HttpError(400, { error: 'incorrect base64 data', example: '/base64/SFRUUEJJTiBpcyBhd2Vzb21l' })
}

export function unsupportedAlgorithm(text: string, supported: readonly string[]): HttpError {
  return refusal(
    400,
    'unsupported_algorithm',
    `unsupported digest algorithm ${quoteInput(text)} (expected ${supported.join(' or ')})`,
  )
}

export function invalidTrailer(name: string, why: string): HttpError {
  return refusal(400, 'invalid_trailer', `${quoteInput(name)} cannot be a trailer field: ${why}`)
}

export function tooManyTrailers(count: number, max: number): HttpError {
  return refusal(400, 'too_many_trailers', `too many trailer fields: ${count} (at most ${max})`)
}
