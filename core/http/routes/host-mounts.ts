/** Hosts that a plugin serves whole: their requests are handled by the routes below a mount, as if these were at the root. */
import { isBelow } from '../../fields/request-target.ts'
import type { ServedHostOptions } from '../../contract/hosts.ts'

/** A host of a plugin. */
export interface HostEntry extends Required<Omit<ServedHostOptions, 'at'>> {
  plugin: string
  /** A host without port in lower case, with `*` for any characters. */
  pattern: string
  /** Path below which the routes are. */
  mount: string
  /** Where the entry is in the section of the plugin; null: unknown. */
  at: string | null
}

/** What a request to a host is served from. */
export class HostMount {
  readonly entry: HostEntry
  readonly #matches: (host: string) => boolean
  /** From the path at the host to the path of the route, the most specific first. */
  readonly #paths: readonly (readonly [at: string, route: string])[]
  /** The same, with the longest routes first. */
  readonly #routes: readonly (readonly [at: string, route: string])[]

  constructor(entry: HostEntry) {
    this.entry = entry
    this.#matches = matcherOf(entry.pattern)
    const pairs = [...Object.entries(entry.paths), ['', entry.mount] as const].map(
      ([at, route]) => [at === '/' ? '' : at, route] as const,
    )
    // Paths are at the host what was named first, such as `/mcp` before `/`.
    this.#paths = pairs.toSorted(([a], [b]) => b.length - a.length)
    this.#routes = pairs.toSorted(([, a], [, b]) => b.length - a.length)
  }

  matches(host: string): boolean {
    return this.#matches(host)
  }

  /** The target that is routed for one in origin form. */
  routed(target: string): string {
    const end = target.search(/[?#]/)
    const path = end === -1 ? target : target.slice(0, end)
    const rest = end === -1 ? '' : target.slice(end)
    // The root alone may be elsewhere than what is below it.
    const root = path === '/' && this.entry.root !== '' ? this.entry.root : null
    if (root !== null) return root + rest
    const [at, route] = this.#paths.find(([prefix]) => prefix === '' || isBelow(path, prefix))!
    return route + path.slice(at.length) + rest
  }

  /** The path at the host of a path of the service: without the mount. Others stay as they are. May have a query. */
  shown(path: string): string {
    const found = this.#routes.find(([, route]) => startsAt(path, route))
    if (found === undefined) return path
    const [at, route] = found
    const shown = at + path.slice(route.length)
    return shown.startsWith('/') ? shown : `/${shown}`
  }
}

export class HostMounts {
  #mounts: HostMount[] = []

  /** Adds a host. One with a lower rank comes before the others; else the order counts. */
  add(entry: HostEntry): void {
    this.#mounts = [...this.#mounts, new HostMount(entry)].toSorted((a, b) => a.entry.rank - b.entry.rank)
  }

  get isEmpty(): boolean {
    return this.#mounts.length === 0
  }

  /** The entries, in the order in which they match. */
  get entries(): readonly HostEntry[] {
    return this.#mounts.map(({ entry }) => entry)
  }

  /** What serves a host in lower case, without its port; null if the host is an ordinary one. */
  mountOf(host: string): HostMount | null {
    return this.#mounts.find(mount => mount.matches(host)) ?? null
  }

  /** Whether a path belongs to a mount that only its hosts reach. */
  isReserved(path: string): boolean {
    return this.#mounts.some(({ entry }) => !entry.shared && isBelow(path, entry.mount))
  }

  /** Whether a certificate is made for a server name. */
  hasCertificate(serverName: string): boolean {
    const mount = this.#mounts.find(own => own.entry.pattern !== '*' && own.matches(serverName))
    return mount?.entry.tls ?? false
  }

  /**
   * Entries that never match, since an earlier one has all their hosts: with the entry that has. Entries of one plugin with the
   * same pattern are `isRepeated`.
   */
  shadowed(): { entry: HostEntry; by: HostEntry; isRepeated: boolean }[] {
    return this.entries.flatMap((entry, index) => {
      const by = this.entries.slice(0, index).find(earlier => covers(earlier.pattern, entry.pattern))
      return by === undefined
        ? []
        : [{ entry, by, isRepeated: by.plugin === entry.plugin && by.pattern === entry.pattern }]
    })
  }
}

/** `*` stands for one or more characters, once; the whole pattern `*` is every host. */
function matcherOf(pattern: string): (host: string) => boolean {
  if (pattern === '*') return () => true
  const star = pattern.indexOf('*')
  if (star === -1) return host => host === pattern
  const before = pattern.slice(0, star)
  const behind = pattern.slice(star + 1)
  const least = before.length + behind.length
  return host => host.length > least && host.startsWith(before) && host.endsWith(behind)
}

/** Whether every host of the second pattern is one of the first. */
function covers(pattern: string, other: string): boolean {
  return pattern === other || (other !== '*' && matcherOf(pattern)(other))
}

function startsAt(path: string, prefix: string): boolean {
  if (!path.startsWith(prefix)) return false
  const next = path[prefix.length]
  return next === undefined || next === '/' || next === '?' || next === '#'
}
