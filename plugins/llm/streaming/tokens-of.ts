/** Tokens of an event: the number of token gaps before it. */
import type { StreamEvent } from '../contract/stream.ts'

export function tokensOf({ paced }: StreamEvent): number {
  return paced === true ? 1 : paced || 0
}
