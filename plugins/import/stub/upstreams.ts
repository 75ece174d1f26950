/** The upstreams to which imported rules forward. */
import type { JsonObject } from 'svc/plugin'
import type { Importing } from '../types.ts'

/** As `proxy[].target`. */
const MAX_TARGET_LENGTH = 2000

export class UpstreamList {
  readonly #importing: Importing
  readonly #items = new Map<string, JsonObject>()

  constructor(importing: Importing) {
    this.#importing = importing
  }

  /** The name of the upstream with a base URL; undefined if it cannot be one. */
  nameOf(url: string): string | undefined {
    if (!/^https?:\/\/[^/{]/i.test(url) || !URL.canParse(url)) return undefined
    const { origin, pathname, host, search, username } = new URL(url)
    if (search !== '' || username !== '') return undefined
    const target = `${origin}${pathname.replace(/\/$/, '')}`
    if (target.length > MAX_TARGET_LENGTH) return undefined
    const known = this.#items.get(target)
    if (known !== undefined) return known.name as string
    const name = this.#importing.upstreamName(host)
    if (name !== undefined) this.#items.set(target, { name, target, mode: 'passthrough' })
    return name
  }

  get items(): readonly JsonObject[] {
    return [...this.#items.values()]
  }
}
