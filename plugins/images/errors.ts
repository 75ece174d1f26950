/** What the plugin `images` refuses. */
import { HttpError } from 'svc/plugin'

export function notAcceptable(supported: readonly string[]): HttpError {
  return new HttpError(406, { error: 'not_acceptable', details: 'none of the formats is acceptable to the client', supported })
}
