/** Errors of the plugin `orchestration`. */
import { refusal, type HttpError } from 'svc/plugin'

export function invalidJson(): HttpError {
  return refusal(400, 'invalid_json', 'the body must be empty or a JSON object in UTF-8')
}

export function badRequest(what: string): HttpError {
  return refusal(400, 'bad_request', what)
}

export function unauthorized(): HttpError {
  return refusal(
    401,
    'unauthorized',
    'missing or invalid API key (expected the header X-Api-Key with 1 to 128 characters)',
  )
}

export function transactionDenied(): HttpError {
  return refusal(
    403,
    'transaction_denied',
    'the transaction was not approved (expected the header X-Validation-Result: approved from step 3)',
  )
}
