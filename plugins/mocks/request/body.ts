/** Parses request bodies by media type, for validation and rules. */
import { isRecord, readFormParts } from 'svc/toolkit'
import type { MediaType } from '../document/operations.ts'
import { own, ownObject, ownText, parseJson, setOwn, type Json, type JsonObject } from '../document/json.ts'
import type { Flattener } from '../schema/flat-schema.ts'
import { coerce } from './coerce.ts'
import { baseType, isJsonType } from './media-types.ts'
import { deepObject, parseQuery } from './parameters.ts'

export type ReadBody =
  /** A value that can be validated. */
  | { kind: 'value'; value: Json }
  /** Bytes of a media type that is not parsed. */
  | { kind: 'opaque' }
  | { kind: 'malformed'; keyword: 'json' | 'multipart'; message: string }

/** Parses a body by its media type. `media` is the matching entry of the document. */
export function readBody(
  bytes: Buffer,
  contentType: string,
  media: MediaType | undefined,
  flattener: Flattener,
): ReadBody {
  const type = baseType(contentType)
  if (isJsonType(type)) {
    const value = parseJson(bytes.toString('utf8'))
    return value === undefined
      ? { kind: 'malformed', keyword: 'json', message: 'the body is not valid JSON' }
      : { kind: 'value', value }
  }
  if (type === 'application/x-www-form-urlencoded')
    return { kind: 'value', value: formFields(parseQuery(bytes.toString('utf8')), media, flattener) }
  if (type === 'multipart/form-data') {
    const fields = multipartFields(bytes, contentType)
    return fields
      ? { kind: 'value', value: formFields(fields, media, flattener) }
      : {
          kind: 'malformed',
          keyword: 'multipart',
          message: 'the body is not valid multipart/form-data with the boundary of the Content-Type header',
        }
  }
  return type.startsWith('text/') ? { kind: 'value', value: bytes.toString('utf8') } : { kind: 'opaque' }
}

/**
 * Form fields as an object: repeated names and `a[]` become arrays, `a[b]` objects, and strings are coerced by the
 * schema.
 */
function formFields(fields: [string, string][], media: MediaType | undefined, flattener: Flattener): Json {
  const flat = flattener.flatten(media?.schema)
  const encoding = ownObject(media?.raw, 'encoding')
  const result: JsonObject = {}
  for (const [key] of fields) {
    const name = key.replace(/\[.*$/s, '')
    if (name === '' || Object.hasOwn(result, name)) continue
    const property = flat.properties.get(name)
    const plain = fields.filter(([other]) => other === name).map(([, value]) => value)
    const types = flattener.flatten(property).types ?? []
    if (plain.length === 0) setOwn(result, name, deepObject(name, fields) ?? '')
    else if (plain.length > 1 || types.includes('array')) setOwn(result, name, listOf(plain, ownObject(encoding, name)))
    else setOwn(result, name, objectOf(plain[0] ?? '', types))
  }
  return coerce(result, media?.schema, flattener)
}

function listOf(values: string[], encoding: JsonObject | undefined): Json {
  // Without `explode` a single field contains the whole array (OpenAPI 3.1.1, 4.15.1).
  if (values.length === 1 && own(encoding, 'explode') === false)
    return (values[0] ?? '').split(ownText(encoding, 'style') === 'pipeDelimited' ? '|' : ',')
  return values
}

/** Objects in form fields are JSON by default (OpenAPI 3.1.1, 4.15.1.1). */
function objectOf(text: string, types: readonly string[]): Json {
  const value = types.includes('object') ? parseJson(text) : undefined
  return isRecord(value) ? value : text
}

/** Names and texts of the parts of a multipart body (RFC 7578); undefined if it is malformed. The content of files is ignored. */
export function multipartFields(bytes: Buffer, contentType: string): [string, string][] | undefined {
  const form = readFormParts(bytes, contentType)
  if (!form?.isComplete) return undefined
  return form.parts.map(({ name, filename, content }) => [name, filename === null ? content.toString('utf8') : ''])
}
