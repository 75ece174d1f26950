/** Records that continue others: replies with their predecessors. */

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
