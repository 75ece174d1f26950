/** What the plugin `transfer` refuses. */
import { HttpError, quoteInput, refusal } from 'svc/plugin'

/** `what` is counted: `bytes`, `lines`, `links`. */
export function invalidCount(text: string, what: string): HttpError {
  return refusal(400, 'invalid_count', `invalid number of ${what} ${quoteInput(text)} (expected a whole number)`)
}

export function incorrectBase64(): HttpError {
  return new HttpError(400, { error: 'incorrect base64 data', example: '/base64/SFRUUEJJTiBpcyBhd2Vzb21l' })
}
