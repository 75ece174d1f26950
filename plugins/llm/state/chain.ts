/** Records that continue others: replies with their predecessors. */
import type { Store } from 'svc/plugin'
import type { Owner } from './documents.ts'

/** A record that may continue another one. */
export interface ChainLink {
  previous: string | null
}

/**
 * Follows a chain back from its latest record. Resolves with the ids and records, the oldest first, or with null if there
 * are more than `max`. `find` throws for an unknown id.
 */
export async function followChain<T extends ChainLink>(
  latest: string,
  max: number,
  find: (id: string) => Promise<T>,
): Promise<{ id: string; record: T }[] | null> {
  const links: { id: string; record: T }[] = []
  for (let id: string | null = latest; id !== null; id = links[0]!.record.previous) {
    if (links.length === max) return null
    links.unshift({ id, record: await find(id) })
  }
  return links
}

/** A record in a store. Plain data. */
export interface StoredLink<T> extends ChainLink, Owner {
  value: T
}

export type ChainResult<T> =
  | { kind: 'found'; values: T[] }
  /** This predecessor does not exist, or belongs to another provider or session. */
  | { kind: 'missing'; id: string }
  | { kind: 'too_long' }

/** The chains in a store of a plugin. */
export interface Chain<T> {
  /** Stores a record, which continues `previous`. */
  append(owner: Owner, id: string, value: T, previous: string | null): Promise<void>
  /** The values of a record and all its predecessors, the oldest first. */
  resolve(owner: Owner, id: string, max: number): Promise<ChainResult<T>>
}

class MissingLink extends Error {
  readonly id: string
  constructor(id: string) {
    super(id)
    this.id = id
  }
}

/** In public mode, a record exists only for the session that made it. */
export function createChain<T>(store: Store<StoredLink<T>>, isPublic: boolean): Chain<T> {
  return {
    async append({ provider, session }, id, value, previous) {
      await store.set(keyOf(provider, id), { provider, session, value, previous }, { group: session })
    },
    async resolve({ provider, session }, latest, max) {
      try {
        const links = await followChain(latest, max, async id => {
          const found = await store.get(keyOf(provider, id))
          if (found === undefined || (isPublic && found.session !== session)) throw new MissingLink(id)
          return found
        })
        return links === null
          ? { kind: 'too_long' }
          : { kind: 'found', values: links.map(({ record }) => record.value) }
      } catch (error) {
        if (error instanceof MissingLink) return { kind: 'missing', id: error.id }
        throw error
      }
    },
  }
}

function keyOf(provider: string, id: string): string {
  return `${provider} ${id.slice(0, 200)}`
}
