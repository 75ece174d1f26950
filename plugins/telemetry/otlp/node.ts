/** A message of OTLP in either encoding, opened one part at a time. */
import type { Json, JsonObject } from 'svc/plugin'
import { isRecord, own, setOwn } from 'svc/toolkit'
import { Rejected } from '../records/intake.ts'
import { type Layout, type WireField, WireProblem, WireReader } from './wire.ts'

/** The request is no message of its kind. */
export class OtlpProblem extends Error {}

export interface OtlpNode {
  /** The message in a field; undefined if it is absent. */
  child(name: string): OtlpNode | undefined
  /** The messages in a repeated field. */
  children(name: string): Iterable<OtlpNode>
  /** The value of a field that is no message. */
  value(name: string): Json | undefined
  /** The whole message as JSON. Throws `Rejected` if it is too large. */
  all(): JsonObject
}

/** Values of one record, nested ones included. */
const MAX_VALUES = 1000
/** Levels of messages in a record: two for each level of its attributes. */
const MAX_DEPTH = 32
const TOO_LARGE = `a record has more than ${MAX_VALUES} values`
const TOO_DEEP = 'a record is nested too deeply'

export class WireNode implements OtlpNode {
  readonly #bytes: Buffer
  readonly #layout: Layout

  constructor(bytes: Buffer, layout: Layout) {
    this.#bytes = bytes
    this.#layout = layout
  }

  child(name: string): WireNode | undefined {
    // Of a field that comes several times, the last one counts.
    let last: WireNode | undefined
    for (const node of this.children(name)) last = node
    return last
  }

  *children(name: string): Generator<WireNode> {
    const reader = new WireReader(this.#bytes)
    const fields = this.#layout()
    while (advance(reader)) {
      const field = fields.get(reader.field)
      if (field?.name !== name || typeof field.kind !== 'function') continue
      if (reader.type !== 2) throw new OtlpProblem(`${name}: expected a message`)
      yield new WireNode(reader.content, field.kind)
    }
  }

  value(name: string): Json | undefined {
    const reader = new WireReader(this.#bytes)
    const fields = this.#layout()
    let value: Json | undefined
    while (advance(reader)) {
      const field = fields.get(reader.field)
      if (field?.name === name && typeof field.kind !== 'function') value = reader.scalar(field.kind)
    }
    return value
  }

  all(): JsonObject {
    return decode(this.#bytes, this.#layout, { left: MAX_VALUES }, MAX_DEPTH)
  }
}

function decode(bytes: Buffer, layout: Layout, values: { left: number }, depth: number): JsonObject {
  if (depth === 0) throw new Rejected(TOO_DEEP)
  const message: JsonObject = {}
  const fields = layout()
  const reader = new WireReader(bytes)
  while (advance(reader)) {
    const field = fields.get(reader.field)
    if (field === undefined) continue
    if (--values.left < 0) throw new Rejected(TOO_LARGE)
    const value = valueOf(reader, field, values, depth)
    if (field.isRepeated) {
      const list = (message[field.name] ??= []) as Json[]
      list.push(value)
    } else message[field.name] = value
  }
  return message
}

function valueOf(reader: WireReader, { name, kind }: WireField, values: { left: number }, depth: number): Json {
  if (typeof kind === 'function') {
    if (reader.type !== 2) throw new OtlpProblem(`${name}: expected a message`)
    return decode(reader.content, kind, values, depth - 1)
  }
  try {
    return reader.scalar(kind)
  } catch (error) {
    throw asProblem(error)
  }
}

function advance(reader: WireReader): boolean {
  try {
    return reader.next()
  } catch (error) {
    throw asProblem(error)
  }
}

function asProblem(error: unknown): unknown {
  return error instanceof WireProblem ? new OtlpProblem(error.message) : error
}

export class JsonNode implements OtlpNode {
  readonly #object: JsonObject
  readonly #at: string

  constructor(object: JsonObject, at = '') {
    this.#object = object
    this.#at = at
  }

  child(name: string): JsonNode | undefined {
    const value = own(this.#object, name)
    return value == null ? undefined : this.#node(value, name)
  }

  *children(name: string): Generator<JsonNode> {
    const list = own(this.#object, name) ?? []
    if (!Array.isArray(list)) throw new OtlpProblem(`${this.#path(name)}: expected a list`)
    for (const [index, item] of list.entries()) yield this.#node(item, `${name}[${index}]`)
  }

  value(name: string): Json | undefined {
    return own(this.#object, name)
  }

  all(): JsonObject {
    const values = { left: MAX_VALUES * 2 }
    measure(this.#object, values, MAX_DEPTH)
    return this.#object
  }

  #node(value: Json, name: string): JsonNode {
    if (!isRecord(value) || Array.isArray(value)) throw new OtlpProblem(`${this.#path(name)}: expected an object`)
    return new JsonNode(value as JsonObject, this.#path(name))
  }

  #path(name: string): string {
    return this.#at === '' ? name : `${this.#at}.${name}`
  }
}

function measure(value: Json, values: { left: number }, depth: number): void {
  if (--values.left < 0) throw new Rejected(TOO_LARGE)
  if (typeof value !== 'object' || value === null) return
  if (depth === 0) throw new Rejected(TOO_DEEP)
  for (const member of Object.values(value)) measure(member, values, depth - 1)
}

/** The attributes of a message: a list of keys and values. Throws an `OtlpProblem`. */
export function attributesOf(list: Json | undefined, at = 'attributes'): JsonObject {
  const attributes: JsonObject = {}
  for (const item of listOf(list, at)) {
    if (!isRecord(item)) throw new OtlpProblem(`${at}: expected a list of objects`)
    const { key = '', value } = item as JsonObject
    if (typeof key !== 'string') throw new OtlpProblem(`${at}: expected a text as key`)
    setOwn(attributes, key, anyValueOf(value, `${at}.${key.slice(0, 100)}`))
  }
  return attributes
}

/** An `AnyValue` as JSON; null if it has no value. */
export function anyValueOf(value: Json | undefined, at: string): Json {
  if (value == null) return null
  if (!isRecord(value)) throw new OtlpProblem(`${at}: expected an object such as {"stringValue":"…"}`)
  const { stringValue, boolValue, intValue, doubleValue, arrayValue, kvlistValue, bytesValue } = value as JsonObject
  if (stringValue != null) return scalar(stringValue, 'string', `${at}.stringValue`)
  if (boolValue != null) return scalar(boolValue, 'boolean', `${at}.boolValue`)
  if (intValue != null) return wholeNumber(intValue, `${at}.intValue`)
  if (doubleValue != null) return numberOf(doubleValue, `${at}.doubleValue`)
  if (bytesValue != null) return scalar(bytesValue, 'string', `${at}.bytesValue`)
  if (arrayValue != null) return listOf(memberOf(arrayValue, 'values'), at).map(item => anyValueOf(item, at))
  if (kvlistValue != null) return attributesOf(memberOf(kvlistValue, 'values'), at)
  return null
}

function memberOf(value: Json, name: string): Json | undefined {
  return isRecord(value) ? own(value as JsonObject, name) : undefined
}

function listOf(value: Json | undefined, at: string): Json[] {
  if (value == null) return []
  if (!Array.isArray(value)) throw new OtlpProblem(`${at}: expected a list`)
  return value
}

function scalar(value: Json, type: 'string' | 'boolean', at: string): Json {
  if (typeof value !== type) throw new OtlpProblem(`${at}: expected a ${type}`)
  return value
}

/** A 64-bit number, which JSON has as a text; one that is not exact stays a text. */
function wholeNumber(value: Json, at: string): number | string {
  const number = typeof value === 'string' && /^-?\d{1,20}$/.test(value) ? Number(value) : value
  if (typeof number !== 'number' || !Number.isInteger(number)) throw new OtlpProblem(`${at}: expected a whole number`)
  return Number.isSafeInteger(number) ? number : String(value)
}

/** A number, or null for what JSON has no number for. */
function numberOf(value: Json, at: string): number | null {
  if (typeof value === 'string' && ['NaN', 'Infinity', '-Infinity'].includes(value)) return null
  const number = typeof value === 'string' && value !== '' ? Number(value) : value
  if (typeof number !== 'number' || (typeof value === 'string' && Number.isNaN(number)))
    throw new OtlpProblem(`${at}: expected a number`)
  return Number.isFinite(number) ? number : null
}

/** A text; empty if it is absent. */
export function textOf(message: JsonObject, name: string): string {
  const value = own(message, name) ?? ''
  if (typeof value !== 'string') throw new OtlpProblem(`${name}: expected a string`)
  return value
}

/** A small number, such as that of an enum; 0 if it is absent. */
export function enumOf(message: JsonObject, name: string): number {
  const value = own(message, name) ?? 0
  if (typeof value !== 'number') throw new OtlpProblem(`${name}: expected a number`)
  return value
}

/** A 64-bit number; null if it is absent. */
export function figureOf(message: JsonObject, name: string): number | null {
  const value = own(message, name)
  return value == null ? null : Number(wholeNumber(value, name))
}

/** A double; null if it is absent or no finite number. */
export function doubleOf(message: JsonObject, name: string): number | null {
  const value = own(message, name)
  return value == null ? null : numberOf(value, name)
}

/** Nanoseconds since 1970 as milliseconds; 0 if it is absent. */
export function millisecondsOf(message: JsonObject, name: string): number {
  const value = own(message, name) ?? 0
  const given = wholeNumber(value, name)
  const nanoseconds = BigInt(given)
  if (nanoseconds < 0n) throw new OtlpProblem(`${name}: expected a time after 1970`)
  return Number(nanoseconds / 1000n) / 1000
}
