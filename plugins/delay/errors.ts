/** What the plugin `delay` refuses. */
import { quoteInput, refusal } from 'svc/plugin'
import type { HttpError } from 'svc/plugin'

export function invalidDelay(text: string, maxMs: number): HttpError {
  return refusal(400, 'invalid_delay', `invalid delay ${quoteInput(text)} (expected 250, 250ms or 1.5s, at most ${maxMs} ms)`)
}
