/** Overrides of a GraphQL mock, by place: a type, a field of a type, a response path, or `*` (the fields at the top). */
import { isRecord } from 'svc/toolkit'
import type { GraphQLResolveInfo } from 'graphql'
import { own, setOwn, type Json, type JsonObject } from '../document/json.ts'
import { checkSize, type OutcomeLimits, type Problem } from '../rules/outcome.ts'

export interface GraphOverride {
  enabled: boolean
  /** Undefined: the generated value. */
  value: Json | undefined
  merge: JsonObject | null
  /** Items of a list. */
  size: number | null
  error: { message: string; code: string; extensions: JsonObject } | null
  delayMs: number
  /** Share of requests that fail. With an error alone, all do. */
  failPercent: number
  asJson: JsonObject
}

export type GraphPlace =
  | { kind: 'all' }
  | { kind: 'type'; type: string }
  | { kind: 'field'; type: string; field: string }
  | { kind: 'path'; segments: readonly string[] }

const NAME = /^[_A-Za-z]\w{0,199}$/
const KEYS = ['value', 'merge', 'size', 'error', 'delay_ms', 'fail_percent', 'enabled']
const MAX_SIZE = 100
const MAX_PATH = 500

/** Null for a text that is not a place. */
export function readPlace(text: string): GraphPlace | null {
  if (text === '*') return { kind: 'all' }
  if (text.startsWith('/')) {
    const segments = text.slice(1).split('/')
    const isPath = text.length <= MAX_PATH && segments.every(part => part === '*' || /^(?:\w{1,200})$/.test(part))
    return isPath ? { kind: 'path', segments } : null
  }
  const [type = '', field, ...rest] = text.split('.')
  if (rest.length > 0 || !NAME.test(type) || (field !== undefined && !NAME.test(field))) return null
  return field === undefined ? { kind: 'type', type } : { kind: 'field', type, field }
}

/** Validates an override. */
export function readGraphOverride(
  value: Json,
  limits: OutcomeLimits,
): { override: GraphOverride } | { problem: Problem } {
  const wrong = (at: string, message: string): { problem: Problem } => ({ problem: { at, message } })
  if (!isRecord(value)) return wrong('', 'expected an object')
  const unknown = Object.keys(value).find(key => !KEYS.includes(key))
  if (unknown !== undefined) return wrong(unknown.slice(0, 64), `unknown key (known: ${KEYS.join(', ')})`)
  const { merge, size, delay_ms: delayMs = 0, fail_percent: failPercent, enabled = true } = value
  for (const key of ['value', 'merge']) {
    const problem = own(value, key) === undefined ? null : checkSize(own(value, key)!, limits)
    if (problem !== null) return wrong(key, problem)
  }
  if (merge !== undefined && !isRecord(merge)) return wrong('merge', 'expected an object')
  if (size !== undefined && !isWhole(size, MAX_SIZE)) return wrong('size', `expected an integer from 0 to ${MAX_SIZE}`)
  if (!isWhole(delayMs, limits.maxDelayMs))
    return wrong('delay_ms', `expected an integer number of milliseconds from 0 to ${limits.maxDelayMs}`)
  if (failPercent !== undefined && !(typeof failPercent === 'number' && failPercent >= 0 && failPercent <= 100))
    return wrong('fail_percent', 'expected a number from 0 to 100')
  if (typeof enabled !== 'boolean') return wrong('enabled', 'expected true or false')
  const error = readError(own(value, 'error'), limits)
  if (error !== null && 'problem' in error) return error
  return {
    override: {
      enabled,
      value: own(value, 'value'),
      merge: merge ?? null,
      size: (size as number | undefined) ?? null,
      error,
      delayMs: Number(delayMs),
      failPercent: failPercent ?? (error === null ? 0 : 100),
      asJson: value,
    },
  }
}

function isWhole(value: Json, high: number): boolean {
  return Number.isInteger(value) && Number(value) >= 0 && Number(value) <= high
}

function readError(value: Json | undefined, limits: OutcomeLimits): GraphOverride['error'] | { problem: Problem } {
  if (value === undefined) return null
  const wrong = (message: string): { problem: Problem } => ({ problem: { at: 'error', message } })
  if (!isRecord(value)) return wrong('expected an object with message, code and extensions')
  const { message = 'injected failure', code = 'INJECTED_FAILURE', extensions = {}, ...others } = value
  const [unknown] = Object.keys(others)
  if (unknown !== undefined) return wrong(`unknown key ${unknown.slice(0, 64)} (known: message, code, extensions)`)
  if (typeof message !== 'string' || message.length > 500) return wrong('expected a message of at most 500 characters')
  if (typeof code !== 'string' || !/^[\w.:-]{1,100}$/.test(code)) return wrong('expected a code such as DOWN')
  if (!isRecord(extensions)) return wrong('expected an object for extensions')
  const size = checkSize(extensions, limits)
  return size === null ? { message, code, extensions } : wrong(size)
}

/** The overrides of a mock. */
export class GraphOverrides {
  readonly #byPlace: ReadonlyMap<string, GraphOverride>
  readonly #paths: { segments: readonly string[]; override: GraphOverride }[] = []

  constructor(byPlace: ReadonlyMap<string, GraphOverride>) {
    this.#byPlace = byPlace
    for (const [text, override] of byPlace) {
      const place = readPlace(text)
      if (place?.kind === 'path' && override.enabled) this.#paths.push({ segments: place.segments, override })
    }
    // Fewer wildcards first: the more particular place wins.
    const wild = ({ segments }: { segments: readonly string[] }): number => segments.filter(part => part === '*').length
    this.#paths.sort((a, b) => wild(a) - wild(b))
  }

  get count(): number {
    return this.#byPlace.size
  }

  get(place: string): GraphOverride | undefined {
    return this.#byPlace.get(place)
  }

  /** As JSON, by place. */
  asJson(): JsonObject {
    const result: JsonObject = {}
    for (const [place, override] of this.#byPlace) setOwn(result, place, override.asJson)
    return result
  }

  /** The override of a field, from the most particular place: path, field, type, all. Null if there is none. */
  ofField({ path, parentType, fieldName }: GraphQLResolveInfo, typeName: string): GraphOverride | null {
    if (this.#byPlace.size === 0) return null
    return (
      this.#paths.find(({ segments }) => isPath(segments, path))?.override ??
      this.#enabled(`${parentType.name}.${fieldName}`) ??
      this.#ofInterface(parentType, fieldName) ??
      this.#enabled(typeName) ??
      (path.prev === undefined ? this.#enabled('*') : undefined) ??
      null
    )
  }

  /** The override of an item of the list at a path; null if there is none. */
  ofItem(path: GraphQLResolveInfo['path'], index: number): GraphOverride | null {
    if (this.#paths.length === 0) return null
    return (
      this.#paths.find(({ segments }) => isPath(segments, { prev: path, key: index, typename: undefined }))?.override ??
      null
    )
  }

  #ofInterface(type: GraphQLResolveInfo['parentType'], fieldName: string): GraphOverride | undefined {
    for (const { name } of type.getInterfaces()) {
      const found = this.#enabled(`${name}.${fieldName}`)
      if (found !== undefined) return found
    }
    return undefined
  }

  #enabled(place: string): GraphOverride | undefined {
    const override = this.#byPlace.get(place)
    return override?.enabled === true ? override : undefined
  }
}

function isPath(segments: readonly string[], path: GraphQLResolveInfo['path']): boolean {
  let rest: GraphQLResolveInfo['path'] | undefined = path
  for (let index = segments.length - 1; index >= 0; index--, rest = rest.prev)
    if (rest === undefined || (segments[index] !== '*' && segments[index] !== String(rest.key))) return false
  return rest === undefined
}
