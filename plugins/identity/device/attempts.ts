/** Limits how often a client may enter a wrong user code (RFC 8628, 5.1). */
import type { Store } from 'svc/plugin'

/** Wrong codes of one client in a minute. */
const MAX_WRONG_CODES = 5

/** The attempts of clients. */
export interface Attempts {
  /** Counts an attempt before it is known whether it is wrong, so that attempts at the same time count too. False: too many. */
  begin(address: string): Promise<boolean>
  /** The attempt was not wrong. */
  forgive(address: string): Promise<void>
}

/** `counts` forgets a client a minute after its first attempt. */
export function limitAttempts(counts: Store<number>): Attempts {
  return {
    begin: async address => (await counts.increment(clientOf(address))) <= MAX_WRONG_CODES,
    async forgive(address) {
      await counts.update(clientOf(address), count => (count === undefined || count <= 1 ? undefined : count - 1))
    },
  }
}

/** What one client has: an IPv4 address, or a network of IPv6 addresses (the first 64 bits). */
export function clientOf(address: string): string {
  if (!address.includes(':')) return address
  const [start = '', end] = address.split('::', 2)
  const groups = start === '' ? [] : start.split(':')
  const after = end === undefined || end === '' ? [] : end.split(':')
  while (end !== undefined && groups.length + after.length < 8) groups.push('0')
  return [...groups, ...after].slice(0, 4).join(':')
}
