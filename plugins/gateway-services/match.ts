/** Conditions on the requests that gateways ask about: `match.service`. */
import type { MatchProtocol } from 'svc/toolkit'

/** The key below `match`. */
export const SERVICE = 'service'
/** The step that says what a service decides. */
export const DECIDE = 'decide'
/** The step that says what it changes. */
export const MUTATE = 'mutate'

export const serviceProtocol: MatchProtocol = {
  name: SERVICE,
  headOnly: true,
  messages: { steps: ['fail', 'abort', DECIDE, MUTATE], aborts: ['reset', 'close', 'empty'] },
  fields: {
    name: { description: 'The service that a gateway calls, such as `authz`' },
    policy: { description: 'The policy that would decide' },
    phase: { description: 'The phase of a stream, such as `request_headers`' },
    domain: { description: 'The domain of a rate limit' },
    descriptor: { description: '`key=value` of an entry of a descriptor of a rate limit' },
  },
  // The services give the facts themselves: a request that arrives is not one that a gateway asks about.
  read: () => null,
}
