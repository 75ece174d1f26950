/** A message in protobuf or JSON, opened one part at a time. */
import type { Json, JsonObject } from 'svc/plugin'
import { isRecord, own } from 'svc/toolkit'
import { Rejected } from '../records/intake.ts'
import { type Layout, type WireField, WireProblem, WireReader } from './wire.ts'

/** The request cannot be decoded. */
export class MessageProblem extends Error {}

export interface MessageNode {
  /** The message in a field; undefined if it is absent. */
  child(name: string): MessageNode | undefined
  /** The messages in a repeated field. */
  children(name: string): Iterable<MessageNode>
  /** The value of a scalar field. */
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

export class WireNode implements MessageNode {
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
      if (reader.type !== 2) throw new MessageProblem(`${name}: expected a message`)
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
    if (reader.type !== 2) throw new MessageProblem(`${name}: expected a message`)
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
  return error instanceof WireProblem ? new MessageProblem(error.message) : error
}

export class JsonNode implements MessageNode {
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
    if (!Array.isArray(list)) throw new MessageProblem(`${this.#path(name)}: expected a list`)
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
    if (!isRecord(value) || Array.isArray(value)) throw new MessageProblem(`${this.#path(name)}: expected an object`)
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
