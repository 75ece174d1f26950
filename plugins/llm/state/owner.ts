/** Whose records: the keys under which providers store what belongs to somebody. */

/** A provider's, and in public mode only those of the session. */
export interface Owner {
  provider: string
  session: string
}

/** The key of a record in a store. */
export type OwnedKeys = (owner: Owner, id: string) => string

const MAX_ID = 200

/**
 * In public mode the session is part of each key: another session with the same id has another record, and neither reads
 * nor replaces this one. Otherwise every session finds the records of a provider.
 */
export function ownedKeys(isPublic: boolean): OwnedKeys {
  return ({ provider, session }, id) => `${isPublic ? `${session}\n` : ''}${provider} ${id.slice(0, MAX_ID)}`
}
