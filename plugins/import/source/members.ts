/** The members of an object, each of which is read or found at the end: a member of another type than the read one is found, too. */
import type { Json, JsonObject } from 'svc/plugin'
import { isRecord, own } from 'svc/toolkit'
import type { ItemPath } from '../types.ts'

/** An object whose names come from files: `__proto__` is a name like any other. */
export function named<T>(values: Readonly<Record<string, T>> = {}): Record<string, T> {
  return Object.assign(Object.create(null) as Record<string, T>, values)
}

export class Members {
  readonly path: ItemPath
  readonly #value: JsonObject
  readonly #read = new Set<string>()
  /** The type that was read last, of members that have another one. */
  readonly #expected = new Map<string, string>()

  constructor(value: JsonObject, path: ItemPath) {
    this.#value = value
    this.path = path
  }

  at(name: string): ItemPath {
    return [...this.path, name]
  }

  /** The value; undefined if it is absent or null. */
  take(name: string): Json | undefined {
    this.#read.add(name)
    return own(this.#value, name) ?? undefined
  }

  has(name: string): boolean {
    return (own(this.#value, name) ?? undefined) !== undefined
  }

  text(name: string): string | undefined {
    return this.#typed(name, 'a text', value => typeof value === 'string')
  }

  number(name: string): number | undefined {
    return this.#typed(name, 'a number', value => typeof value === 'number')
  }

  list(name: string): readonly Json[] {
    return this.#typed<Json[]>(name, 'a list', Array.isArray) ?? []
  }

  object(name: string): Members | undefined {
    const value = this.record(name)
    return value === undefined ? undefined : new Members(value, this.at(name))
  }

  /** An object whose names are not known. */
  record(name: string): JsonObject | undefined {
    return this.#typed<JsonObject>(name, 'an object', isRecord)
  }

  #typed<T extends Json>(name: string, expected: string, is: (value: unknown) => boolean): T | undefined {
    const value = own(this.#value, name) ?? undefined
    if (value === undefined || is(value)) return this.take(name) as T | undefined
    this.#expected.set(name, expected)
    return undefined
  }

  /** Members without meaning for svc. */
  ignore(...names: readonly string[]): void {
    for (const name of names) this.#read.add(name)
  }

  /** The names of unread members. */
  others(): string[] {
    return Object.keys(this.#value).filter(name => !this.#read.has(name) && this.#value[name] !== null)
  }

  /** What is wrong with an unread member. */
  problemOf(name: string): string {
    const expected = this.#expected.get(name)
    return expected === undefined ? 'svc import does not know this member' : `expected ${expected}`
  }
}
