/** What the five routes refuse, each in its vendor's words. */
import { HttpError } from 'svc/plugin'

/** Azure: code also in a header; `target` names the field. */
export function azureError(message: string, target?: string, status = 400, code = 'InvalidRequestBody'): HttpError {
  return new HttpError(
    status,
    { error: { code, message, ...(target === undefined ? {} : { target }) } },
    { 'x-ms-error-code': code },
  )
}

/** Bedrock: the error's name stands in a header. */
export function bedrockError(message: string): HttpError {
  return new HttpError(400, { message }, { 'x-amzn-errortype': 'ValidationException' })
}

const GENERIC = {
  invalid_json: 'the body is no JSON object',
  missing_text: 'the body has no "text"',
  invalid_text: '"text" is no string',
  invalid_utf8: 'the body is no UTF-8 text',
  invalid_mode: '"mode" is neither "label" nor "mask"',
  invalid_types: '"types" is no list of strings',
} as const

export function genericError(code: keyof typeof GENERIC): HttpError {
  return new HttpError(400, { error: code, message: GENERIC[code] })
}

export function unknownPiiType(given: string, known: readonly string[]): HttpError {
  return new HttpError(400, {
    error: 'unknown_pii_type',
    message: `unknown type "${given.slice(0, 50)}" (expected ${known.join(', ')})`,
  })
}
