/** Owns reading JSON of both versions: both spellings of keys, limits of values, errors that name the field. */
import { copyText, isRecord } from 'svc/toolkit'
import { MAX_PARTS } from '../bounds.ts'
import { invalidParams } from '../protocol/errors.ts'
import type { PushConfigInput } from '../protocol/push-config.ts'
import type { JsonObject, Message, Part, PartContent } from '../types.ts'
import type { Wire } from './wire.ts'

/** The value of a key in camel or snake case (ProtoJSON); null counts as absent. */
export function field(object: JsonObject, name: string): unknown {
  if (Object.hasOwn(object, name)) return object[name] ?? undefined
  const snake = name.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`)
  return Object.hasOwn(object, snake) ? (object[snake] ?? undefined) : undefined
}

export function readObject(object: JsonObject, name: string, path = name): JsonObject | undefined {
  const value = field(object, name)
  if (value === undefined || isRecord(value)) return value
  throw invalidParams(path, 'expected an object')
}

export function readText(object: JsonObject, name: string, path = name): string | undefined {
  const value = field(object, name)
  if (value === undefined || typeof value === 'string') return value
  throw invalidParams(path, 'expected a string')
}

/** An id of 1 to 128 visible ASCII characters; empty is absent. */
export function readId(object: JsonObject, name: string, path = name): string | undefined {
  const value = readText(object, name, path)
  if (value === undefined || value === '') return undefined
  if (!/^[\x21-\x7e]{1,128}$/.test(value)) throw invalidParams(path, 'expected 1 to 128 visible ASCII characters')
  return value
}

export function readRequiredId(object: JsonObject, name: string, path = name): string {
  const value = readId(object, name, path)
  if (value === undefined) throw invalidParams(path, 'this field is required')
  return value
}

/** The id of something to look up: any text. */
export function readLookupId(object: JsonObject, name: string): string {
  const value = readText(object, name)
  if (value === undefined || value === '') throw invalidParams(name, 'this field is required')
  return value
}

export function readBoolean(object: JsonObject, name: string, path = name): boolean | undefined {
  const value = field(object, name)
  if (value === undefined || typeof value === 'boolean') return value
  if (value === 'true' || value === 'false') return value === 'true'
  throw invalidParams(path, 'expected true or false')
}

/** A non-negative integer, also as a decimal string (ProtoJSON). */
export function readCount(object: JsonObject, name: string, path = name): number | undefined {
  const value = field(object, name)
  if (value === undefined || value === '') return undefined
  const number = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value
  if (typeof number === 'number' && Number.isSafeInteger(number) && number >= 0) return number
  throw invalidParams(path, 'expected a non-negative integer')
}

export function readTexts(object: JsonObject, name: string, path = name): string[] {
  const value = field(object, name) ?? []
  if (Array.isArray(value) && value.length <= 100 && value.every(entry => typeof entry === 'string')) return value
  throw invalidParams(path, 'expected a list of at most 100 strings')
}

/** The user's message in a send request. */
export function readMessage(params: JsonObject, wire: Wire): Message {
  const value = readObject(params, 'message') ?? readObject(params, 'request', 'message')
  if (!value) throw invalidParams('message', 'this field is required')
  checkKind(value, ['message'], 'message')
  const messageId = readRequiredId(value, 'messageId', 'message.messageId')
  const role = field(value, 'role')
  if (role !== 'user' && role !== 'ROLE_USER') throw invalidParams('message.role', 'expected user or ROLE_USER')
  const metadata = readObject(value, 'metadata', 'message.metadata')
  const contextId = readId(value, 'contextId', 'message.contextId')
  const taskId = readId(value, 'taskId', 'message.taskId')
  return {
    messageId,
    ...(contextId === undefined ? {} : { contextId }),
    ...(taskId === undefined ? {} : { taskId }),
    role: 'user',
    parts: readParts(field(value, 'parts') ?? field(value, 'content'), wire),
    ...(metadata ? { metadata } : {}),
  }
}

function readParts(parts: unknown, wire: Wire): Part[] {
  if (!Array.isArray(parts) || parts.length === 0 || parts.length > MAX_PARTS)
    throw invalidParams('message.parts', `expected a list of 1 to ${MAX_PARTS} parts`)
  return parts.map((part: unknown, place) => {
    const path = `message.parts[${place}]`
    if (!isRecord(part)) throw invalidParams(path, 'expected an object')
    const read = wire.readPart(part, path)
    const metadata = read.metadata ?? readObject(part, 'metadata', `${path}.metadata`)
    return metadata ? { ...read, metadata } : read
  })
}

/** The key of the only content of a part. Throws if it has none or several. */
export function onlyContent<T extends string>(part: JsonObject, keys: readonly T[], path: string): T {
  // For data, null is a JSON value like any other.
  const present = keys.filter(key => (key === 'data' ? Object.hasOwn(part, key) : field(part, key) !== undefined))
  if (present.length !== 1) throw invalidParams(path, `expected exactly one of ${keys.join(', ')}`)
  return present[0] as T
}

/** `kind` is optional, but must be one of `kinds` if present. */
export function checkKind(object: JsonObject, kinds: readonly string[], path: string): void {
  const kind = field(object, 'kind')
  if (kind !== undefined && !kinds.includes(kind as string))
    throw invalidParams(`${path}.kind`, `expected ${kinds.join(' or ')}`)
}

export function readContentText(part: JsonObject, path: string): PartContent {
  return { text: readText(part, 'text', `${path}.text`) as string }
}

/** Reads standard or URL-safe base64 (RFC 4648, 4 and 5), padded or not; returns it in standard form with padding. */
export function readBase64(object: JsonObject, name: string, path: string): string {
  const text = readText(object, name, path) ?? ''
  const match = /^([A-Za-z0-9+/_-]*)(={0,2})$/.exec(text)
  const digits = match?.[1] ?? ''
  const isPaddedRight = match?.[2] === '' || text.length % 4 === 0
  if (!match || digits.length % 4 === 1 || !isPaddedRight) throw invalidParams(path, 'expected base64')
  return digits
    .replaceAll('-', '+')
    .replaceAll('_', '/')
    .padEnd(Math.ceil(digits.length / 4) * 4, '=')
}

/** File name and media type; `names` are the keys that the wire format uses. */
export function readFileFields(
  object: JsonObject,
  names: { filename: string; mediaType: string },
  path: string,
): { filename?: string; mediaType?: string } {
  const filename = readText(object, names.filename, `${path}.${names.filename}`)
  const mediaType = readText(object, names.mediaType, `${path}.${names.mediaType}`)
  return { ...(filename ? { filename } : {}), ...(mediaType ? { mediaType } : {}) }
}

const VISIBLE = /^[\x20-\x7e]{0,4096}$/

/** A push config of either version; `path` is its position in the request. */
export function readPushConfig(value: JsonObject, path: string): PushConfigInput {
  const at = (name: string) => (path === '' ? name : `${path}.${name}`)
  const url = readText(value, 'url', at('url'))?.trim()
  if (!url) throw invalidParams('url', 'this field is required')
  if (url.length > 2048) throw invalidParams('url', 'expected at most 2048 characters')
  const id = readId(value, 'id', at('id'))
  const token = readText(value, 'token', at('token'))
  if (token !== undefined && !VISIBLE.test(token))
    throw invalidParams(at('token'), 'expected at most 4096 visible ASCII characters or spaces')
  const authentication = readAuthentication(
    readObject(value, 'authentication', at('authentication')),
    at('authentication'),
  )
  // A copy: the trimmed text would keep the original in memory, which may be a megabyte.
  return {
    url: copyText(url),
    ...(id === undefined ? {} : { id }),
    ...(token ? { token } : {}),
    ...(authentication ? { authentication } : {}),
  }
}

function readAuthentication(value: JsonObject | undefined, path: string): PushConfigInput['authentication'] {
  if (!value) return undefined
  const scheme = readText(value, 'scheme', `${path}.scheme`) ?? readTexts(value, 'schemes', `${path}.schemes`)[0]
  if (scheme === undefined || !/^[A-Za-z0-9-]{1,64}$/.test(scheme))
    throw invalidParams(`${path}.scheme`, 'expected letters, digits and -')
  const credentials = readText(value, 'credentials', `${path}.credentials`)
  if (credentials !== undefined && !VISIBLE.test(credentials))
    throw invalidParams(`${path}.credentials`, 'expected at most 4096 visible ASCII characters or spaces')
  return { scheme, ...(credentials ? { credentials } : {}) }
}
