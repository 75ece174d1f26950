/** What the plugin `sse` refuses beside wrong parameters. */
import { refusal } from 'svc/plugin'
import type { HttpError } from 'svc/plugin'

export function invalidJson(): HttpError {
  return refusal(400, 'invalid_json', 'the body is not a JSON object in UTF-8 (expected an empty body or an object with prompt, max_tokens, delay_ms)')
}
