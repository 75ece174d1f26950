/** The members of an object, each of which is read or found at the end. */
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
    const value = this.take(name)
    return typeof value === 'string' ? value : undefined
  }

  number(name: string): number | undefined {
    const value = this.take(name)
    return typeof value === 'number' ? value : undefined
  }

  list(name: string): readonly Json[] {
    const value = this.take(name)
    return Array.isArray(value) ? value : []
  }

  object(name: string): Members | undefined {
    const value = this.take(name)
    return isRecord(value) ? new Members(value as JsonObject, this.at(name)) : undefined
  }

  /** Members without meaning for svc. */
  ignore(...names: readonly string[]): void {
    for (const name of names) this.#read.add(name)
  }

  /** The names of unread members. */
  others(): string[] {
    return Object.keys(this.#value).filter(name => !this.#read.has(name) && this.#value[name] !== null)
  }
}
