/**
 * Converts messages between JSON and the objects of the protobuf library, whose names are those of the protocol definition
 * (`context_id` for `contextId`).
 */
import { isRecord } from 'svc/toolkit'
import type { Field, Shape } from './shapes.ts'
import {
  mapFromJson,
  mapToJson,
  type MapEntry,
  structFromJson,
  structToJson,
  timestampFromJson,
  timestampToJson,
  valueFromJson,
  valueToJson,
} from './well-known.ts'

type JsonObject = Record<string, unknown>

/** A message as the library has read it, as JSON. */
export function toJson(message: JsonObject, { fields }: Shape): JsonObject {
  const json: JsonObject = {}
  for (const [protoName, value] of Object.entries(message)) {
    const name = camelCase(protoName)
    json[name] = fieldToJson(value, Object.hasOwn(fields, name) ? fields[name] : undefined)
  }
  return json
}

/** JSON as an object that the library can write. */
export function fromJson(json: JsonObject, { fields }: Shape): JsonObject {
  const message: JsonObject = {}
  for (const [name, value] of Object.entries(json)) {
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined
    if (value !== undefined) message[snakeCase(name)] = fieldFromJson(value, field)
  }
  return message
}

function camelCase(name: string): string {
  return name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`)
}

function fieldToJson(value: unknown, field: Field | undefined): unknown {
  if (field === undefined) return value
  if (field === 'struct') return structToJson(value as JsonObject)
  if (field === 'value') return valueToJson(value as JsonObject)
  if (field === 'timestamp') return timestampToJson(value as JsonObject)
  if (field === 'map') return mapToJson(value as MapEntry[])
  if ('mapOf' in field) return mapToJson(value as MapEntry[], item => toJson((item ?? {}) as JsonObject, field.mapOf))
  return Array.isArray(value)
    ? value.map(item => toJson(item as JsonObject, field))
    : toJson(value as JsonObject, field)
}

function fieldFromJson(value: unknown, field: Field | undefined): unknown {
  if (field === undefined) return value
  if (field === 'struct') return structFromJson(value)
  if (field === 'value') return valueFromJson(value)
  if (field === 'timestamp') return timestampFromJson(value)
  if (field === 'map') return mapFromJson(value)
  if ('mapOf' in field) return mapFromJson(value, item => fromJson(item as JsonObject, field.mapOf))
  if (Array.isArray(value)) return value.map(item => fromJson(item as JsonObject, field))
  return isRecord(value) ? fromJson(value, field) : value
}
