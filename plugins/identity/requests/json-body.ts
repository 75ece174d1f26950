/** Reading a JSON body. */
import { OAuthError } from '../errors.ts'
import type { OAuthErrorCode } from '../errors.ts'

/** The value of a body of the type `application/json`; throws `error` for any other type, and for what is no JSON. */
export function readJson(contentType: string | undefined, body: Buffer, error: OAuthErrorCode): unknown {
  if (contentType?.split(';', 1)[0]!.trim().toLowerCase() !== 'application/json')
    throw new OAuthError(error, 'the body must be application/json')
  try {
    return JSON.parse(body.toString())
  } catch {
    throw new OAuthError(error, 'the body is not JSON')
  }
}
