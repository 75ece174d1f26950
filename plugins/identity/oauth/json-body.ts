/** Parses JSON bodies. */
import { OAuthError, type OAuthErrorCode } from './errors.ts'

/** Parses a body of type `application/json`; throws `error` for other types and for invalid JSON. */
export function readJson(contentType: string | undefined, body: Buffer, error: OAuthErrorCode): unknown {
  if (contentType?.split(';', 1)[0]!.trim().toLowerCase() !== 'application/json')
    throw new OAuthError(error, 'the body must have the content type application/json')
  try {
    return JSON.parse(body.toString())
  } catch {
    throw new OAuthError(error, 'the body is not valid JSON')
  }
}
