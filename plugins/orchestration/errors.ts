/** What the plugin `orchestration` refuses, and how. */
import { refusal } from 'svc/plugin'
import type { HttpError } from 'svc/plugin'

export function invalidJson(): HttpError {
  return refusal(400, 'invalid_json', 'the body is not a JSON object in UTF-8 (expected an empty body or an object)')
}

export function badRequest(what: string): HttpError {
  return refusal(400, 'bad_request', what)
}

export function unauthorized(): HttpError {
  return refusal(401, 'unauthorized', 'no usable API key (expected the header X-Api-Key with 1 to 128 characters)')
}

export function transactionDenied(): HttpError {
  return refusal(
    403,
    'transaction_denied',
    'the transaction was not approved (expected X-Validation-Result: approved, as step 3 answers it)',
  )
}
