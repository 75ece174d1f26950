/** Converts the well-known types of protobuf between JSON and the objects of the library (ProtoJSON). */
import { isRecord } from 'svc/toolkit'

/** An entry of a map field. From a descriptor set, the loader creates the wire format of maps: a list of entries. */
export interface MapEntry {
  key?: string
  value?: unknown
}
interface ProtoStruct {
  fields?: MapEntry[]
}
/** Exactly one member is set. */
interface ProtoValue {
  null_value?: string
  number_value?: number | string
  string_value?: string
  bool_value?: boolean
  struct_value?: ProtoStruct
  list_value?: { values?: ProtoValue[] }
}
interface ProtoTimestamp {
  seconds?: number
  nanos?: number
}

export function structToJson({ fields = [] }: ProtoStruct): Record<string, unknown> {
  return mapToJson(fields, value => valueToJson((value ?? {}) as ProtoValue))
}

/** Own properties, whatever their names. */
export function mapToJson(
  entries: readonly MapEntry[],
  convert: (value: unknown) => unknown = value => value ?? '',
): Record<string, unknown> {
  const object: Record<string, unknown> = {}
  for (const { key = '', value } of entries)
    Object.defineProperty(object, key, {
      value: convert(value),
      enumerable: true,
      writable: true,
      configurable: true,
    })
  return object
}

export function valueToJson(value: ProtoValue): unknown {
  if (value.struct_value !== undefined) return structToJson(value.struct_value)
  if (value.list_value !== undefined) return (value.list_value.values ?? []).map(valueToJson)
  if (value.string_value !== undefined) return value.string_value
  if (value.bool_value !== undefined) return value.bool_value
  // NaN and infinities, which JSON does not have, are texts.
  return value.number_value === undefined ? null : finite(value.number_value)
}

function finite(number: number | string): number | string {
  return typeof number === 'string' || Number.isFinite(number) ? number : String(number)
}

/** The library writes messages of up to 100 levels, and a level of JSON is three of them. */
const MAX_DEPTH = 30

/** JSON that is nested too deeply to be sent. */
export class TooDeep extends Error {
  override readonly name = 'TooDeep'

  constructor() {
    super(`data nested deeper than ${MAX_DEPTH} levels cannot be sent over gRPC`)
  }
}

export function structFromJson(object: unknown, depth = 1): ProtoStruct {
  if (depth > MAX_DEPTH) throw new TooDeep()
  return { fields: mapFromJson(object, value => valueFromJson(value, depth + 1)) }
}

export function mapFromJson(object: unknown, convert: (value: unknown) => unknown = value => value): MapEntry[] {
  return isRecord(object) ? Object.entries(object).map(([key, value]) => ({ key, value: convert(value) })) : []
}

export function valueFromJson(value: unknown, depth = 1): ProtoValue {
  if (typeof value === 'string') return { string_value: value }
  if (typeof value === 'number') return { number_value: value }
  if (typeof value === 'boolean') return { bool_value: value }
  if (value === null || value === undefined) return { null_value: 'NULL_VALUE' }
  if (!Array.isArray(value)) return { struct_value: structFromJson(value, depth) }
  if (depth > MAX_DEPTH) throw new TooDeep()
  return { list_value: { values: value.map(item => valueFromJson(item, depth + 1)) } }
}

/** RFC 3339 with milliseconds. A time that dates can't represent is an invalid text, which the operations reject. */
export function timestampToJson({ seconds = 0, nanos = 0 }: ProtoTimestamp): string {
  const time = new Date(seconds * 1000 + Math.floor(nanos / 1_000_000))
  return Number.isNaN(time.getTime()) ? `${seconds} s` : time.toISOString()
}

export function timestampFromJson(text: unknown): ProtoTimestamp {
  const time = Date.parse(String(text))
  return { seconds: Math.floor(time / 1000), nanos: (((time % 1000) + 1000) % 1000) * 1_000_000 }
}
