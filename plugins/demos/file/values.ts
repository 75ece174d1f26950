/** Reads the members of a part of a demo. All functions throw `InputProblem` for what is wrong. */
import type { Json, JsonObject } from 'svc/plugin'
import { asBoolean, asInteger, asObject, asText, below, InputProblem, rejectUnknownKeys } from 'svc/toolkit'

const MAX_TEXT = 8192

export class Part {
  readonly at: string
  readonly given: JsonObject

  /** `known`: all keys that the part may have. */
  constructor(value: Json | undefined, at: string, known: readonly string[]) {
    this.given = asObject(value, at, `expected an object with ${known.slice(0, 8).join(', ')}`)
    this.at = at
    rejectUnknownKeys(this.given, known, at)
  }

  has(key: string): boolean {
    return this.given[key] !== undefined && this.given[key] !== null
  }

  place(key: string): string {
    return below(this.at, key)
  }

  text(key: string, max = MAX_TEXT): string {
    return asText(this.given[key], this.place(key), max, 1)
  }

  /** A text, or a number or truth value that stands for it. */
  scalar(key: string): string {
    const value = this.given[key]
    if (typeof value === 'number' || typeof value === 'boolean') return String(value)
    return asText(value, this.place(key), MAX_TEXT)
  }

  optionalText(key: string): string | null {
    return this.has(key) ? this.text(key) : null
  }

  textOr(key: string, fallback: string): string {
    return this.has(key) ? asText(this.given[key], this.place(key), MAX_TEXT) : fallback
  }

  integer(key: string, min: number, max: number): number {
    return asInteger(this.given[key], this.place(key), min, max)
  }

  integerOr<T>(key: string, min: number, max: number, fallback: T): number | T {
    return this.has(key) ? this.integer(key, min, max) : fallback
  }

  numberOr<T>(key: string, min: number, max: number, fallback: T): number | T {
    return this.has(key) ? asNumber(this.given[key], this.place(key), min, max) : fallback
  }

  flag(key: string): boolean {
    return this.has(key) && asBoolean(this.given[key], this.place(key))
  }

  flagOr(key: string, fallback: boolean): boolean {
    return this.has(key) ? asBoolean(this.given[key], this.place(key)) : fallback
  }

  list(key: string, max: number): Json[] {
    if (!this.has(key)) return []
    const value = this.given[key]
    if (!Array.isArray(value) || value.length > max)
      throw new InputProblem(this.place(key), `expected a list of at most ${max}`)
    return value
  }

  texts(key: string, max: number): string[] {
    return this.list(key, max).map((text, index) => asText(text, below(this.place(key), index), 1000, 1))
  }

  /** An object of any names. */
  object(key: string): JsonObject {
    return this.has(key) ? asObject(this.given[key], this.place(key)) : {}
  }

  /** An object of texts. Numbers and truth values become texts. */
  named(key: string): Record<string, string> {
    const members = Object.entries(this.object(key)).map(([name, value]) => {
      if (typeof value === 'number' || typeof value === 'boolean') return [name, String(value)]
      return [name, asText(value, below(this.place(key), name), MAX_TEXT)]
    })
    return Object.fromEntries(members)
  }

  oneOf<T extends string>(key: string, words: readonly T[]): T {
    const word = words.find(one => one === this.given[key])
    if (word === undefined) throw new InputProblem(this.place(key), `expected one of ${words.join(', ')}`)
    return word
  }

  path(key: string): string {
    const path = this.text(key, 4096)
    return checkedPath(path, this.place(key))
  }

  /** Throws if several of these keys are given. */
  onlyOne(keys: readonly string[]): string | undefined {
    const found = keys.filter(key => this.has(key))
    if (found.length > 1)
      throw new InputProblem(this.place(found[1]!), `${found[0]} and ${found[1]} cannot be combined`)
    return found[0]
  }
}

export function checkedPath(path: string, at: string): string {
  if (!/^\/[\u0021-\u007e]*$/.test(path))
    throw new InputProblem(at, 'expected a path such as /anything, percent-encoded')
  return path
}

export function asNumber(value: Json | undefined, at: string, min: number, max: number): number {
  if (typeof value === 'number' && value >= min && value <= max) return value
  throw new InputProblem(at, `expected a number from ${min} to ${max}`)
}

/** Item of a list or the value itself. */
export function listed(value: Json | undefined): Json[] {
  return value === undefined || value === null ? [] : Array.isArray(value) ? value : [value]
}
