/** Serializes a value for its media type. */
import { isRecord } from 'svc/plugin'
import type { CompiledApi } from '../exchange/compiled-api.ts'
import type { Json } from '../document/json.ts'
import { baseType, isJsonType, isXmlType } from '../request/media-types.ts'
import { SeededRandom } from '../schema/seed.ts'
import { imageFor } from './images.ts'
import { writeXml } from './xml.ts'

/** The bytes of a value. Strings of non-JSON types are sent unchanged. */
export function serializeBody(value: Json, type: string, schema: Json | undefined, api: CompiledApi): Buffer {
  const base = baseType(type)
  if (isJsonType(base)) return Buffer.from(JSON.stringify(value))
  if (typeof value === 'string') return Buffer.from(value)
  if (isXmlType(base)) return Buffer.from(writeXml(value, schema, api.document, api.sampler.flattener))
  if (base === 'application/x-www-form-urlencoded' && isRecord(value)) return Buffer.from(formEncode(value))
  return Buffer.from(JSON.stringify(value))
}

/** Bytes for types without a schema: an image for image types, otherwise sixteen bytes derived from the seed. */
export function generatedBytes(type: string, seed: string): Buffer {
  return imageFor(baseType(type)) ?? Buffer.from(new SeededRandom(seed).hex(32), 'hex')
}

/** Whether a media type is binary. */
export function isBinaryType(type: string): boolean {
  const base = baseType(type)
  return (
    base.startsWith('image/') ||
    (!isJsonType(base) &&
      !isXmlType(base) &&
      !base.startsWith('text/') &&
      !/^application\/(?:x-www-form-urlencoded|graphql|jwt|sql|yaml|x-yaml|javascript|(?:x-)?ndjson|jsonl?|json-seq|xhtml)$/.test(
        base,
      ) &&
      !/\+(?:yaml|jwt|xml)$/.test(base))
  )
}

/** Encodes nested members with brackets, like `deepObject`. */
function formEncode(value: Json): string {
  const pairs: [string, string][] = []
  const add = (name: string, member: Json): void => {
    if (pairs.length >= 5000) return
    if (Array.isArray(member)) for (const item of member) add(typeof item === 'object' ? `${name}[]` : name, item)
    else if (isRecord(member))
      for (const [key, inner] of Object.entries(member)) add(name === '' ? key : `${name}[${key}]`, inner)
    else pairs.push([name, member === null ? '' : String(member)])
  }
  add('', value)
  return new URLSearchParams(pairs).toString()
}
