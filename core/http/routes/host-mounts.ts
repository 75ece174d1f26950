/** Hosts that a plugin serves whole: their requests are handled by the routes below a mount, as if these were at the root. */
import { isBelow } from '../../fields/request-target.ts'

export class HostMounts {
  readonly #mounts: { matches: (host: string) => boolean; mount: string }[] = []

  /** Adds a host, `*.` and a domain, or `*`; a host is served by the first entry that matches it. */
  add(pattern: string, mount: string): void {
    this.#mounts.push({ matches: matcherOf(pattern.toLowerCase()), mount })
  }

  get isEmpty(): boolean {
    return this.#mounts.length === 0
  }

  /** The mount of a host in lower case, without its port; null if the host is an ordinary one. */
  mountOf(host: string): string | null {
    return this.#mounts.find(({ matches }) => matches(host))?.mount ?? null
  }

  /** Whether a path belongs to a mount. Only requests to its hosts reach it. */
  contains(path: string): boolean {
    return this.#mounts.some(({ mount }) => isBelow(path, mount))
  }
}

function matcherOf(pattern: string): (host: string) => boolean {
  if (pattern === '*') return () => true
  if (!pattern.startsWith('*.')) return host => host === pattern
  const suffix = pattern.slice(1)
  return host => host.length > suffix.length && host.endsWith(suffix)
}
