/** What is not the same on two sides of a gateway, in the neutral form. */
import type { Difference, Wire } from './types.ts'
import type { Scope } from './difference/collector.ts'

export { compareReplies } from './difference/replies.ts'
export { compareRequests } from './difference/requests.ts'
export type { Scope } from './difference/collector.ts'

/** A request goes from the client's wire to the upstream's, a reply the other way. */
export function scopeOf(
  { client, upstream }: { client: Wire; upstream: Wire },
  { side, scene, mode }: Pick<Difference, 'side' | 'scene' | 'mode'>,
): Scope {
  const [from, to] = side === 'request' ? [client, upstream] : [upstream, client]
  return { side, scene, mode, from: from.limits, to: to.limits, isSameWire: client.id === upstream.id }
}
