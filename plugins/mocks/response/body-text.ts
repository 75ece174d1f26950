/** Serializes a value for its media type. */
import { OutputBudget, type StepBudget } from 'svc/plugin'
import { exactAsText, isRecord, writeJson } from 'svc/toolkit'
import type { CompiledApi } from '../api/compiled-api.ts'
import type { Json, JsonObject } from '../document/json.ts'
import { baseType, isJsonType, isXmlType } from '../request/media-types.ts'
import { SeededRandom } from '../schema/seed.ts'
import { writeMultipart } from './multipart.ts'
import { writeSequence } from './sequences.ts'
import { writeXml } from './xml.ts'

/** One gray pixel (PNG, 3rd edition). */
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNoAAAAggCBd81ytgAAAABJRU5ErkJggg==',
  'base64',
)
const SVG = Buffer.from(
  '<svg xmlns="http://www.w3.org/2000/svg" width="16" height="16"><rect width="16" height="16" fill="#888"/></svg>',
)

/** How to serialize a value. */
export interface Serialization {
  type: string
  schema: Json | undefined
  /** The `encoding` of the media type, for the parts of multipart bodies. */
  encoding: JsonObject | undefined
  api: CompiledApi
  output: OutputBudget
  /** Steps for escaping. */
  steps: StepBudget
}

export interface Serialized {
  bytes: Buffer
  /** The media type; of multipart bodies with the boundary. */
  type: string
}

/**
 * The bytes of a value. Strings of non-JSON types are sent unchanged. Throws `OutputTooLarge` or `OutputUnavailable`.
 */
export function serializeBody(value: Json, serialization: Serialization): Serialized {
  const { output, encoding } = serialization
  const { text, type } = isMultipart(serialization.type)
    ? writeMultipart(value, { type: serialization.type, encoding, output: new OutputBudget(output.limit) })
    : { text: bodyText(value, serialization), type: serialization.type }
  // What templates inserted was taken when they were filled.
  const missing = Buffer.byteLength(text) - output.used
  if (missing > 0) output.take(missing)
  return { bytes: Buffer.from(text), type }
}

/**
 * JSON has the size of the value, which generator, templates and document bound. What other formats repeat, such as the names
 * of elements, is counted while they are written.
 */
function bodyText(given: Json, { type, schema, api, output, steps }: Serialization): string {
  const base = baseType(type)
  if (isJsonType(base)) return writeJson(given)
  const value = exactAsText(given)
  const sequence = writeSequence(value, base, new OutputBudget(output.limit))
  if (sequence !== undefined) return sequence
  if (typeof value === 'string') return value
  if (isXmlType(base))
    return writeXml(value, schema, {
      document: api.document,
      flattener: api.sampler.flattener,
      output: new OutputBudget(output.limit),
      steps,
    })
  if (base === 'application/x-www-form-urlencoded' && isRecord(value))
    return formEncode(value, new OutputBudget(output.limit))
  return writeJson(given)
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
      !isMultipart(base) &&
      !isXmlType(base) &&
      !base.startsWith('text/') &&
      !/^application\/(?:x-www-form-urlencoded|graphql|jwt|sql|yaml|x-yaml|javascript|(?:x-)?ndjson|jsonl?|(?:.+\+)?json-seq|xhtml)$/.test(
        base,
      ) &&
      !/\+(?:yaml|jwt|xml)$/.test(base))
  )
}

function isMultipart(type: string): boolean {
  return baseType(type).startsWith('multipart/')
}

const MAX_PAIRS = 5000

/** Encodes nested members with brackets, like `deepObject`. */
function formEncode(value: Json, output: OutputBudget): string {
  const pairs: string[] = []
  const add = (name: string, member: Json): void => {
    if (pairs.length >= MAX_PAIRS) return
    if (Array.isArray(member)) for (const item of member) add(typeof item === 'object' ? `${name}[]` : name, item)
    else if (isRecord(member))
      for (const [key, inner] of Object.entries(member)) add(name === '' ? key : `${name}[${key}]`, inner)
    else {
      const pair = new URLSearchParams([[name, member === null ? '' : String(member)]]).toString()
      output.take(pair.length + 1)
      pairs.push(pair)
    }
  }
  add('', value)
  return pairs.join('&')
}

/** An image of a media type; undefined for other types. */
function imageFor(type: string): Buffer | undefined {
  if (type === 'image/png') return PNG
  return type === 'image/svg+xml' ? SVG : undefined
}
