/** Objects that mutations of a session have written: what look-ups and lists see of them. */
import { GraphQLError } from 'graphql'
import type { SessionMemory, StoredObject } from '../exchange/session-memory.ts'
import type { Json } from '../document/json.ts'

/** Writes an object of the session; resolves with the session, or null if its limits are reached. */
export type WriteObject = (key: string, object: StoredObject) => Promise<SessionMemory | null>

/** The objects of one session, for one operation. */
export class SessionObjects {
  #stored: Readonly<Record<string, StoredObject>>
  readonly #write: WriteObject

  constructor({ objects = {} }: SessionMemory, write: WriteObject) {
    this.#stored = objects
    this.#write = write
  }

  /** Undefined: not written. Null: deleted. */
  find(type: string, identity: readonly string[]): StoredObject | undefined {
    const key = keyOf(type, identity)
    return Object.hasOwn(this.#stored, key) ? this.#stored[key] : undefined
  }

  /** The fields of the objects that were created, oldest first. */
  created(type: string): Readonly<Record<string, Json>>[] {
    return Object.entries(this.#stored).flatMap(([key, object]) =>
      object !== null && object.isNew && key.startsWith(`${type}\n`) ? [object.fields] : [],
    )
  }

  /** The number of the next object of a type. */
  nextNumber(type: string): number {
    return (
      Object.entries(this.#stored).filter(([key, object]) => key.startsWith(`${type}\n`) && object?.isNew !== false)
        .length + 1
    )
  }

  /** Throws a GraphQLError if the session has too many objects, or the object is too large. */
  async put(type: string, identity: readonly string[], object: StoredObject): Promise<void> {
    const memory = await this.#write(keyOf(type, identity), object)
    if (memory === null)
      throw new GraphQLError('the session has too many objects of this mock, or the object is too large', {
        extensions: { code: 'STATE_LIMIT_EXCEEDED' },
      })
    this.#stored = memory.objects ?? {}
  }
}

function keyOf(type: string, identity: readonly string[]): string {
  return [type, ...identity].join('\n')
}
