/** Errors of signed messages: code, status and message. */
import { quoteInput, refusal, type HttpError } from 'svc/plugin'
import { SCHEMES } from './schemes.ts'

export interface Failure {
  status: 400 | 401 | 404
  error: string
  message: string
}

const NAMES = SCHEMES.map(({ name }) => name).join(', ')

export const failures = {
  unknownScheme: (name: string): Failure => ({
    status: 404,
    error: 'unknown_scheme',
    message: `unknown scheme ${quoteInput(name)} (expected ${NAMES})`,
  }),
  missingSecret: (): Failure => ({
    status: 400,
    error: 'missing_secret',
    message: 'missing secret (expected the header X-Webhook-Secret or the parameter secret)',
  }),
  invalidSecret: (): Failure => ({
    status: 400,
    error: 'invalid_secret',
    message: 'the secret must be base64, with or without the prefix whsec_',
  }),
  invalidTolerance: (text: string, max: number): Failure => ({
    status: 400,
    error: 'invalid_tolerance',
    message: `invalid tolerance ${quoteInput(text)} (expected seconds from 0 to ${max})`,
  }),
  missingHeaders: (names: string[]): Failure => ({
    status: 400,
    error: 'missing_headers',
    message: `missing or empty: ${names.join(', ')}`,
  }),
  invalidTimestamp: (text: string | null): Failure => ({
    status: 400,
    error: 'invalid_timestamp',
    message:
      text === null
        ? 'missing timestamp (expected t=<unix seconds>)'
        : `invalid timestamp ${quoteInput(text)} (expected Unix seconds)`,
  }),
  tooOld: (age: number, tolerance: number): Failure => ({
    status: 401,
    error: 'timestamp_too_old',
    message: `the timestamp is ${age} s old (at most ${tolerance} s are accepted)`,
  }),
  tooNew: (age: number, tolerance: number): Failure => ({
    status: 401,
    error: 'timestamp_too_new',
    message: `the timestamp is ${-age} s in the future (at most ${tolerance} s are accepted)`,
  }),
  noSupportedSignature: (form: string): Failure => ({
    status: 401,
    error: 'no_supported_signature',
    message: `no signature in a supported version (expected ${form})`,
  }),
  mismatch: (): Failure => ({
    status: 401,
    error: 'signature_mismatch',
    message: 'no signature matches this body and secret',
  }),
}

/** The failure as an error, for routes that do not verify. */
export function refuse({ error, message }: Failure, status = 400): HttpError {
  return refusal(status, error, message)
}

export function unknownSecretId(id: string): HttpError {
  return refusal(404, 'unknown_secret_id', `unknown secret id ${quoteInput(id)} (see GET /webhooks)`)
}

export function invalidPayload(): HttpError {
  return refusal(400, 'invalid_payload', 'the payload is not valid UTF-8')
}
