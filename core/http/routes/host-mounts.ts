/** Hosts that a plugin serves whole: their requests are handled by the routes below a mount, as if these were at the root. */
import { isBelow } from '../../fields/request-target.ts'
import { hostMatcher } from '../../toolkit/served-host.ts'
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

/** A path at a host, and that of the route. */
interface Pair {
  at: string
  route: string
}

/** Maps paths at a host, or at a listener, to those of routes. */
export class HostMount {
  /** Paths at the host, with those of the routes. */
  readonly #exact: ReadonlyMap<string, string>
  /** The same for all that is below them, the longest first. The last one is the mount. */
  readonly #below: readonly Pair[]
  /** From routes to the host: the longest first, of equal ones the first that was named. */
  readonly #routes: readonly (Pair & { isExact: boolean })[]

  constructor({ mount: path, paths }: Pick<HostEntry, 'mount' | 'paths'>) {
    const pairs = Object.entries(paths).map(([at, route]) => {
      const isExact = !at.endsWith('/*')
      return { at: isExact ? at : at.slice(0, -2), route, isExact }
    })
    const mount = { at: '', route: path, isExact: false }
    this.#exact = new Map(pairs.filter(({ isExact }) => isExact).map(({ at, route }) => [at, route]))
    this.#below = [...pairs.filter(({ isExact }) => !isExact), mount].toSorted((a, b) => b.at.length - a.at.length)
    this.#routes = [...pairs, mount].toSorted((a, b) => b.route.length - a.route.length)
  }

  /** The target that is routed for one in origin form. */
  routed(target: string): string {
    const end = target.search(/[?#]/)
    const path = end === -1 ? target : target.slice(0, end)
    const rest = end === -1 ? '' : target.slice(end)
    const exact = this.#exact.get(path)
    if (exact !== undefined) return exact + rest
    const { at, route } = this.#below.find(prefix => prefix.at === '' || isBelow(path, prefix.at))!
    return route + path.slice(at.length) + rest
  }

  /** The path at the host of a path of the service: without the mount. Others stay as they are. May have a query. */
  shown(path: string): string {
    const end = path.search(/[?#]/)
    const plain = end === -1 ? path : path.slice(0, end)
    const found = this.#routes.find(({ route, isExact }) => (isExact ? plain === route : isBelow(plain, route)))
    if (found === undefined) return path
    const shown = found.at + path.slice(found.route.length)
    return shown.startsWith('/') ? shown : `/${shown}`
  }
}

interface ServedEntry {
  entry: HostEntry
  matches: (host: string) => boolean
  mount: HostMount
}

/** Paths at which a plugin serves a mount, on all hosts. */
export interface PrefixEntry {
  plugin: string
  path: string
  mount: HostMount
  /** Where the entry is in the section of the plugin; null: unknown. */
  at: string | null
}

export class HostMounts {
  #served: ServedEntry[] = []
  /** The longest first. */
  #prefixes: PrefixEntry[] = []
  #reserved: string[] = []

  /** Adds a host. One with a lower rank comes before the others; else the order counts. */
  add(entry: HostEntry): void {
    const served = { entry, matches: hostMatcher(entry.pattern), mount: new HostMount(entry) }
    this.#served = [...this.#served, served].toSorted((a, b) => a.entry.rank - b.entry.rank)
  }

  /** Serves the routes below `mount` at a path too. */
  addPrefix(plugin: string, path: string, mount: string, at: string | null): void {
    const entry = { plugin, path, mount: new HostMount({ mount: '', paths: { [`${path}/*`]: mount } }), at }
    this.#prefixes = [...this.#prefixes, entry].toSorted((a, b) => b.path.length - a.path.length)
  }

  get prefixes(): readonly PrefixEntry[] {
    return this.#prefixes
  }

  keepPrefixes(kept: PrefixEntry[]): void {
    this.#prefixes = kept
  }

  /** What serves a decoded path because of its prefix; null if nothing does. */
  prefixOf(path: string): HostMount | null {
    return this.#prefixes.find(entry => isBelow(path, entry.path))?.mount ?? null
  }

  /** Only hosts, listeners and prefixes that serve the routes below `mount` reach them. */
  reserve(mount: string): void {
    this.#reserved.push(mount)
  }

  /** Whether no host is served. */
  get isEmpty(): boolean {
    return this.#served.length === 0
  }

  /** The entries, in the order in which they match. */
  get entries(): readonly HostEntry[] {
    return this.#served.map(({ entry }) => entry)
  }

  /** What serves a host in lower case, without its port; null if the host is an ordinary one. */
  mountOf(host: string): HostMount | null {
    return this.#served.find(({ matches }) => matches(host))?.mount ?? null
  }

  /** Whether a path belongs to a mount that only its hosts, listeners and prefixes reach. */
  isReserved(path: string): boolean {
    return (
      this.#reserved.some(mount => isBelow(path, mount)) ||
      this.#served.some(({ entry }) => !entry.shared && isBelow(path, entry.mount))
    )
  }

  /** Whether a certificate is made for a server name. */
  hasCertificate(serverName: string): boolean {
    const served = this.#served.find(({ entry, matches }) => entry.pattern !== '*' && matches(serverName))
    return served?.entry.tls ?? false
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

/** Whether every host of the second pattern is one of the first. */
function covers(pattern: string, other: string): boolean {
  return pattern === other || (other !== '*' && hostMatcher(pattern)(other))
}
