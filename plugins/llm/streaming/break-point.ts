/** Finds out whether a stream reaches the point at which a fault breaks it, before it begins. */
import type { StreamBreak } from '../headers/faults.ts'
import type { StreamEvent } from '../contract/stream.ts'
import type { BreakPoint } from './pump.ts'
import { tokensOf } from './tokens-of.ts'

/** Events that are made before the stream begins. */
const MAX_AHEAD = 1000

export interface BreakingEvents {
  events: Iterable<StreamEvent>
  /** Absent: the stream has fewer tokens, and completes. */
  breaksAfter?: BreakPoint
}

/**
 * The events of a stream, and where it breaks. A point behind many events is compared with the number of tokens that the
 * reply has.
 */
export function breakAt(
  events: Iterable<StreamEvent>,
  wanted: { what: StreamBreak; afterTokens: number },
  plannedTokens: number,
): BreakingEvents {
  const rest = events[Symbol.iterator]()
  const ahead: StreamEvent[] = []
  let tokens = 0
  while (tokens <= wanted.afterTokens && ahead.length < MAX_AHEAD) {
    const { value, done } = rest.next()
    if (done === true)
      return wanted.afterTokens > tokens
        ? { events: ahead }
        : { events: ahead, breaksAfter: { ...wanted, isLast: wanted.afterTokens === tokens } }
    ahead.push(value)
    tokens += tokensOf(value)
  }
  const joined = followedBy(ahead, rest)
  return tokens <= wanted.afterTokens && wanted.afterTokens > plannedTokens
    ? { events: joined }
    : { events: joined, breaksAfter: { ...wanted, isLast: false } }
}

function* followedBy(ahead: StreamEvent[], rest: Iterator<StreamEvent>): Iterable<StreamEvent> {
  try {
    yield* ahead
    ahead.length = 0
    for (let next = rest.next(); next.done !== true; next = rest.next()) yield next.value
  } finally {
    rest.return?.()
  }
}
