/**
 * Reads values of JSON and YAML with a path for errors, and describes them as JSON Schema. One definition serves the
 * control plane, `svc.yaml` and its schema.
 */
import { type JsonSchema } from 'svc/plugin'
import { isRecord, nearest } from 'svc/toolkit'

/** Maximum edit distance of suggestions. */
const MAX_EDITS = 3

/** A value that does not have the expected shape. `at` is its path, such as `access_token.ttl`. */
export class ShapeError extends Error {
  readonly at: string
  readonly unknown: string | undefined
  readonly didYouMean: string | undefined
  constructor(at: string, message: string, { unknown, didYouMean }: { unknown?: string; didYouMean?: string } = {}) {
    super(message)
    this.at = at
    this.unknown = unknown
    this.didYouMean = didYouMean
  }
}

/** Reads a value: returns it with defaults, or throws a `ShapeError`. */
export interface Shape<T> {
  read(value: unknown, at: string): T
  schema: JsonSchema
}

/** A member of an object. Without a default it is required. */
export interface Member<T> {
  shape: Shape<T>
  /** Creates the default; undefined for a required member. */
  fallback: (() => T) | undefined
}

/** The type of the value that a shape reads. */
export type ValueOf<S> = S extends Shape<infer T> ? T : never

/** Text of at most `max` characters. `pattern` must be linear; `what` describes it. */
export function text({
  max = 200,
  pattern,
  what = 'text',
}: {
  max?: number
  pattern?: RegExp
  what?: string
} = {}): Shape<string> {
  return {
    schema: { type: 'string', minLength: 1, maxLength: max, ...(pattern && { pattern: pattern.source }) },
    read(value, at) {
      if (typeof value !== 'string' || value === '' || value.length > max || pattern?.test(value) === false)
        throw new ShapeError(at, `expected ${what} of at most ${max} characters`)
      return value
    },
  }
}

/** A whole number from `min` to `max`. */
export function integer(min: number, max: number): Shape<number> {
  return {
    schema: { type: 'integer', minimum: min, maximum: max },
    read(value, at) {
      if (typeof value !== 'number' || !Number.isInteger(value) || value < min || value > max)
        throw new ShapeError(at, `expected a whole number from ${min} to ${max}`)
      return value
    },
  }
}

/** True or false. */
export const flag: Shape<boolean> = {
  schema: { type: 'boolean' },
  read(value, at) {
    if (typeof value !== 'boolean') throw new ShapeError(at, 'expected true or false')
    return value
  },
}

/** One of some words. */
export function oneOf<W extends string>(words: readonly W[]): Shape<W> {
  return {
    schema: { enum: [...words] },
    read(value, at) {
      const found = words.find(word => word === value)
      if (found !== undefined) return found
      throw new ShapeError(at, `expected one of ${words.join(', ')}`, suggestion(value, words))
    },
  }
}

/** The closest known name to a mistyped one. */
export function suggestion(value: unknown, known: readonly string[]): { didYouMean?: string } {
  const guess = typeof value === 'string' ? nearest(value, known, MAX_EDITS) : undefined
  return guess === undefined ? {} : { didYouMean: guess }
}

/** A list. With `unique`, an item must not occur twice. */
export function list<T>(
  item: Shape<T>,
  { min = 0, max, unique = false }: { min?: number; max: number; unique?: boolean },
): Shape<T[]> {
  return {
    schema: { type: 'array', items: item.schema, minItems: min, maxItems: max, ...(unique && { uniqueItems: true }) },
    read(value, at) {
      if (!Array.isArray(value) || value.length < min || value.length > max)
        throw new ShapeError(at, `expected a list of ${min} to ${max} items`)
      const items = value.map((one, index) => item.read(one, `${at}[${index}]`))
      if (unique && new Set(items).size < items.length) throw new ShapeError(at, 'an item occurs twice')
      return items
    },
  }
}

/** A value that is never shown. */
export function secret<T>({ schema, read }: Shape<T>): Shape<T> {
  return { schema: { ...schema, 'x-svc-secret': true }, read }
}

/** A value with a further rule, which throws a `ShapeError`. */
export function refined<T>({ schema, read }: Shape<T>, check: (value: T, at: string) => void): Shape<T> {
  return {
    schema,
    read(value, at) {
      const known = read(value, at)
      check(known, at)
      return known
    },
  }
}

/** A list of objects in which the values of a member differ. */
export function uniqueBy<K extends string, T extends Record<K, string>>(items: Shape<T[]>, member: K): Shape<T[]> {
  return refined(items, (values, at) => {
    const names = values.map(value => value[member])
    const repeated = names.findIndex((name, index) => names.indexOf(name) < index)
    if (repeated !== -1) throw new ShapeError(below(`${at}[${repeated}]`, member), 'occurs twice')
  })
}

/** A member that can be absent. */
export function optional<T>(shape: Shape<T>): Member<T | undefined> {
  return { shape: shape as Shape<T | undefined>, fallback: () => undefined }
}

/** A member with a default. */
export function defaulted<T>(shape: Shape<T>, fallback: () => NoInfer<T>): Member<T> {
  return { shape, fallback }
}

/** A member that must be there. */
export function required<T>(shape: Shape<T>): Member<T> {
  return { shape, fallback: undefined }
}

type Members = Record<string, Member<unknown>>
type ObjectOf<M extends Members> = { [K in keyof M]: M[K] extends Member<infer T> ? T : never }

/** An object with these members and no others. Absent members get their defaults. */
export function object<M extends Members>(members: M): Shape<ObjectOf<M>> {
  const names = Object.keys(members)
  const needed = names.filter(name => members[name]!.fallback === undefined)
  return {
    schema: {
      type: 'object',
      additionalProperties: false,
      properties: Object.fromEntries(names.map(name => [name, schemaOf(members[name]!)])),
      ...(needed.length > 0 && { required: needed }),
    },
    read(value, at) {
      if (!isRecord(value)) throw new ShapeError(at, 'expected an object')
      for (const name of Object.keys(value)) if (!Object.hasOwn(members, name)) throw unknownMember(name, names, at)
      const result = names.map(name => {
        const { shape, fallback } = members[name]!
        const own = Object.hasOwn(value, name) ? value[name] : undefined
        if (own !== undefined) return [name, shape.read(own, below(at, name))]
        if (fallback === undefined) throw new ShapeError(below(at, name), 'is missing')
        return [name, fallback()]
      })
      return Object.fromEntries(result.filter(([, read]) => read !== undefined)) as ObjectOf<M>
    },
  }
}

function schemaOf({ shape, fallback }: Member<unknown>): JsonSchema {
  const value = fallback?.()
  return value === undefined ? shape.schema : { ...shape.schema, default: value }
}

/** The path of a member. */
export function below(at: string, name: string): string {
  return at === '' ? name : `${at}.${name}`
}

function unknownMember(name: string, known: readonly string[], at: string): ShapeError {
  const shown = name.slice(0, 200)
  return new ShapeError(below(at, shown), 'unknown member', { unknown: shown, ...suggestion(name, known) })
}
