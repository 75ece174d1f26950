/** Errors for invalid requests, in the format of each vendor. */
import { HttpError } from 'svc/plugin'

/** Azure: the code is also in a header; `target` names the field. */
export function azureError(message: string, target?: string, status = 400, code = 'InvalidRequestBody'): HttpError {
  return new HttpError(
    status,
    { error: { code, message, ...(target === undefined ? {} : { target }) } },
    { 'x-ms-error-code': code },
  )
}

/** Bedrock: the error name is in a header. */
export function bedrockError(message: string): HttpError {
  return new HttpError(400, { message }, { 'x-amzn-errortype': 'ValidationException' })
}

const GENERIC = {
  invalid_json: 'the body must be a JSON object',
  missing_text: 'the field "text" is required',
  invalid_text: '"text" must be a string',
  invalid_utf8: 'the body must be valid UTF-8 text',
  invalid_mode: '"mode" must be "label" or "mask"',
  invalid_types: '"types" must be a list of strings',
} as const

export function genericError(code: keyof typeof GENERIC): HttpError {
  return new HttpError(400, { error: code, message: GENERIC[code] })
}

export function unknownPiiType(given: string, known: readonly string[]): HttpError {
  return new HttpError(400, {
    error: 'unknown_pii_type',
    message: `unknown type "${given.slice(0, 50)}" (expected one of ${known.join(', ')})`,
  })
}
