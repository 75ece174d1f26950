/** Records that continue others: replies with their predecessors. */
import type { Owner } from './owner.ts'
import type { OwnedRecords, StoredRecord } from './owned-records.ts'

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

/** A record of a chain in a store. Plain data. */
export type StoredLink<T> = StoredRecord<ChainLink & { link: T }>

export type ChainResult<T> =
  | { kind: 'found'; values: T[] }
  /** This predecessor does not exist, or belongs to another provider or session. */
  | { kind: 'missing'; id: string }
  | { kind: 'too_long' }

/** The chains in a store of a plugin. */
export interface Chain<T> {
  /** Stores a record, which continues `previous`. */
  append(owner: Owner, id: string, link: T, previous: string | null): Promise<void>
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

export function createChain<T>(records: OwnedRecords<ChainLink & { link: T }>): Chain<T> {
  return {
    append: (owner, id, link, previous) => records.put(owner, id, { link, previous }),
    async resolve(owner, latest, max) {
      try {
        const links = await followChain(latest, max, async id => {
          const found = await records.get(owner, id)
          if (found === undefined) throw new MissingLink(id)
          return found
        })
        return links === null ? { kind: 'too_long' } : { kind: 'found', values: links.map(({ record }) => record.link) }
      } catch (error) {
        if (error instanceof MissingLink) return { kind: 'missing', id: error.id }
        throw error
      }
    },
  }
}
