/** What the checks of models in all wires have in common. */
import { emptyRequest } from '../../wires/neutral.ts'
import type { Request } from '../../wires/types.ts'

/** A short question. */
export function question(text: string, more: Partial<Request> = {}): Request {
  return {
    ...emptyRequest(),
    turns: [{ role: 'user', parts: [{ type: 'text', text }] }],
    params: { max_tokens: 4_096 },
    ...more,
  }
}
