/** Azure AI Content Safety: stores the blocklists that users create, within limits. */
import { createHash } from 'node:crypto'
import type { Store, Svc } from 'svc/plugin'
import { codePointLength } from './code-points.ts'

export interface BlocklistItem {
  blocklistItemId: string
  description?: string
  text: string
}
export interface Blocklist {
  blocklistName: string
  description?: string
  items: BlocklistItem[]
}

export interface BlocklistLimits {
  lists: number
  /** Items per list. */
  items: number
  /** Code points of all texts in a list. */
  points: number
}

const LIMITS: BlocklistLimits = { lists: 20, items: 1000, points: 16_384 }
const PUBLIC_LIMITS: BlocklistLimits = { lists: 5, items: 100, points: 4096 }
/** In public mode, over all sessions. */
const PUBLIC_LISTS = 500
const PUBLIC_LIFE_MS = 60 * 60 * 1000
const MAX_BYTES = 32 * 1024 * 1024

/** The result of adding items. */
export type AddItemsResult = { items: BlocklistItem[] } | 'no-list' | 'full'

/**
 * Blocklists in memory. All clients share one set of lists, from which the least recently used one is evicted. In public
 * mode every session (`scope`) has its own set, from which the oldest is evicted; lists expire an hour after their last
 * use.
 */
export class Blocklists {
  readonly limits: BlocklistLimits
  readonly #store: Store<Blocklist>

  constructor(svc: Svc<unknown>) {
    const { publicMode } = svc.config
    this.limits = publicMode ? PUBLIC_LIMITS : LIMITS
    this.#store = svc.state<Blocklist>('blocklists', {
      evict: 'idle',
      maxBytes: MAX_BYTES,
      // A group limit evicts the oldest entry, not the least recently used one, so it applies to public mode only.
      ...(publicMode
        ? { maxCount: PUBLIC_LISTS, maxPerGroup: PUBLIC_LIMITS.lists, ttlMs: PUBLIC_LIFE_MS, ttlFrom: 'use' }
        : { maxCount: LIMITS.lists }),
    })
  }

  /** In order of creation. */
  async list(scope: string): Promise<Blocklist[]> {
    return (await this.#store.within(scope).list()).map(({ value }) => value)
  }

  find(scope: string, name: string): Promise<Blocklist | undefined> {
    return this.#store.within(scope).get(name)
  }

  /** Creates a list, or updates its description: null removes it, undefined keeps it. */
  async put(
    scope: string,
    name: string,
    description: string | null | undefined,
  ): Promise<{ list: Blocklist; isNew: boolean }> {
    let isNew = false
    const list = await this.#store.within(scope).update(name, current => {
      isNew = current === undefined
      const kept = description === undefined ? current?.description : description
      return { blocklistName: name, ...(kept == null ? {} : { description: kept }), items: current?.items ?? [] }
    })
    return { list: list as Blocklist, isNew }
  }

  delete(scope: string, name: string): Promise<boolean> {
    return this.#store.within(scope).delete(name)
  }

  /** An item with a known text gets the new description. Adds all items or, if they exceed a limit, none. */
  async addItems(
    scope: string,
    name: string,
    added: readonly Omit<BlocklistItem, 'blocklistItemId'>[],
  ): Promise<AddItemsResult> {
    let result: AddItemsResult = 'no-list'
    await this.#store.within(scope).update(name, list => {
      if (list === undefined) return undefined
      const items = new Map(list.items.map(item => [item.text, item]))
      const changed = added.map(({ text, description }) => ({
        blocklistItemId: itemId(name, text),
        ...(description === undefined ? {} : { description }),
        text,
      }))
      for (const item of changed) items.set(item.text, item)
      const points = [...items.keys()].reduce((sum, text) => sum + codePointLength(text), 0)
      if (items.size > this.limits.items || points > this.limits.points) {
        result = 'full'
        return list
      }
      result = { items: changed }
      return { ...list, items: [...items.values()] }
    })
    return result
  }

  /** Ignores unknown ids. Returns whether the list exists. */
  async removeItems(scope: string, name: string, ids: readonly string[]): Promise<boolean> {
    const removed = new Set(ids)
    const list = await this.#store
      .within(scope)
      .update(
        name,
        current => current && { ...current, items: current.items.filter(item => !removed.has(item.blocklistItemId)) },
      )
    return list !== undefined
  }
}

/** An id derived from the name of the list and the text: a name-based UUID (RFC 9562, 5.8). */
function itemId(name: string, text: string): string {
  const bytes = createHash('sha256').update(`${name}\n${text}`).digest().subarray(0, 16)
  bytes[6] = (bytes[6]! & 0x0f) | 0x80
  bytes[8] = (bytes[8]! & 0x3f) | 0x80
  const hex = bytes.toString('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}
