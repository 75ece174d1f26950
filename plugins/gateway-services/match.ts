/** Conditions on the requests that gateways ask about: `match.service`. */
import type { MatchProtocol } from 'svc/toolkit'
import type { ServiceKind } from './types.ts'

/** The key below `match`. */
export const SERVICE = 'service'
/** The step that says what a service decides. */
export const DECIDE = 'decide'
/** The step that says what it changes. */
export const MUTATE = 'mutate'

export function serviceProtocol(kinds: () => readonly ServiceKind[]): MatchProtocol {
  const wordsOf = (of: (kind: ServiceKind) => readonly string[]) => () => [...new Set(kinds().flatMap(of))]
  return {
    name: SERVICE,
    headOnly: true,
    messages: { steps: ['fail', 'abort', DECIDE, MUTATE], aborts: ['reset', 'close', 'empty'] },
    fields: {
      name: {
        description: 'The service that a gateway calls, such as `authz`',
        words: wordsOf(({ name }) => [name]),
      },
      policy: { description: 'The policy that would decide', words: wordsOf(({ policies }) => policies) },
      phase: {
        description: 'The phase of a stream, such as `request_headers`',
        words: wordsOf(({ phases = [] }) => phases),
      },
      domain: { description: 'The domain of a rate limit' },
      descriptor: { description: '`key=value` of an entry of a descriptor of a rate limit' },
    },
    // The services give the facts themselves: a request that arrives is not one that a gateway asks about.
    read: () => null,
  }
}
