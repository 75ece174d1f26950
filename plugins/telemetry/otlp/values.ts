/** Values and attributes of OTLP, from its JSON mapping. */
import type { Json, JsonObject } from 'svc/plugin'
import { isRecord, own, setOwn } from 'svc/toolkit'
import { MessageProblem } from '../wire/node.ts'

/** The attributes of a message: a list of keys and values. Throws an `MessageProblem`. */
export function attributesOf(list: Json | undefined, at = 'attributes'): JsonObject {
  const attributes: JsonObject = {}
  for (const item of listOf(list, at)) {
    if (!isRecord(item)) throw new MessageProblem(`${at}: expected a list of objects`)
    const { key = '', value } = item as JsonObject
    if (typeof key !== 'string') throw new MessageProblem(`${at}: expected a text as key`)
    setOwn(attributes, key, anyValueOf(value, `${at}.${key.slice(0, 100)}`))
  }
  return attributes
}

/** An `AnyValue` as JSON; null if it has no value. */
export function anyValueOf(value: Json | undefined, at: string): Json {
  if (value == null) return null
  if (!isRecord(value)) throw new MessageProblem(`${at}: expected an object such as {"stringValue":"…"}`)
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
  if (!Array.isArray(value)) throw new MessageProblem(`${at}: expected a list`)
  return value
}

function scalar(value: Json, type: 'string' | 'boolean', at: string): Json {
  if (typeof value !== type) throw new MessageProblem(`${at}: expected a ${type}`)
  return value
}

const TOO_LARGE = 2 ** 64

/** A 64-bit number, which JSON has as a text; one that is not exact stays a text. */
function wholeNumber(value: Json, at: string): number | string {
  const number = typeof value === 'string' && /^-?\d{1,20}$/.test(value) ? Number(value) : value
  if (typeof number !== 'number' || !Number.isInteger(number) || Math.abs(number) >= TOO_LARGE)
    throw new MessageProblem(`${at}: expected a whole number of at most 64 bits`)
  return Number.isSafeInteger(number) ? number : String(value)
}

/** A number, or null for what JSON has no number for. */
function numberOf(value: Json, at: string): number | null {
  if (typeof value === 'string' && ['NaN', 'Infinity', '-Infinity'].includes(value)) return null
  const number = typeof value === 'string' && value !== '' ? Number(value) : value
  if (typeof number !== 'number' || (typeof value === 'string' && Number.isNaN(number)))
    throw new MessageProblem(`${at}: expected a number`)
  return Number.isFinite(number) ? number : null
}

/** A text; empty if it is absent. */
export function textOf(message: JsonObject, name: string): string {
  const value = own(message, name) ?? ''
  if (typeof value !== 'string') throw new MessageProblem(`${name}: expected a string`)
  return value
}

/** A small number, such as that of an enum; 0 if it is absent. */
export function enumOf(message: JsonObject, name: string): number {
  const value = own(message, name) ?? 0
  if (typeof value !== 'number') throw new MessageProblem(`${name}: expected a number`)
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
  if (nanoseconds < 0n) throw new MessageProblem(`${name}: expected a time after 1970`)
  return Number(nanoseconds / 1000n) / 1000
}
