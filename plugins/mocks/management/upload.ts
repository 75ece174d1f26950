/** Reads uploads: a document, an envelope, or an exported bundle, compressed or not. */
import { contentCodings, decodeContent, isContentCodingError, isRecord } from 'svc/toolkit'
import { tooLargeMessage, type Bounds } from '../bounds.ts'
import { partsOf, type GivenParts } from '../definition/definition.ts'
import { managementError } from '../errors.ts'
import { own, ownText, parseJson, type JsonObject } from '../document/json.ts'

export interface ReadUpload {
  /** Null if the envelope has no name. */
  name: string | null
  /** Null if the envelope has no document. */
  text: string | null
  given: GivenParts
  enabled: boolean | null
  message: string | null
}

/** Decodes the content coding (RFC 9110, 8.4). Throws `invalid_encoding`, `too_large`. */
export async function decodeBody(body: Buffer, encoding: string | undefined, bounds: Bounds): Promise<Buffer> {
  const limit = uploadLimit(bounds)
  if (body.length > limit && contentCodings(encoding).length === 0) throw tooLarge(bounds)
  try {
    return await decodeContent(body, encoding, { limit })
  } catch (error) {
    if (!isContentCodingError(error)) throw error
    throw error.statusCode === 413 ? tooLarge(bounds) : managementError('invalid_encoding', error.message)
  }
}

function tooLarge({ documentBytes: limit }: Bounds): Error {
  return managementError('too_large', tooLargeMessage(limit), { limit })
}

/** Bytes of an upload besides the document: settings, rules, overrides. */
const ENVELOPE_BYTES = 1 << 20

/** The limit of the body of an upload, compressed or not, in bytes. */
export function uploadLimit({ documentBytes }: Bounds): number {
  return documentBytes + ENVELOPE_BYTES
}

/** Parses an upload. An envelope has the key `spec` and no key `openapi`; anything else is the document itself. */
export function readUpload(body: Buffer): ReadUpload {
  const text = body.toString('utf8').replace(/^\uFEFF/, '')
  const value = text.trimStart().startsWith('{') ? parseJson(text) : undefined
  if (
    !isRecord(value) ||
    !(Object.hasOwn(value, 'spec') || isPartsOnly(value)) ||
    Object.hasOwn(value, 'openapi') ||
    Object.hasOwn(value, 'swagger')
  )
    return { name: null, text, given: {}, enabled: null, message: null }
  const spec = own(value, 'spec')
  if (spec !== undefined && typeof spec !== 'string' && !isRecord(spec))
    throw managementError('invalid_body', '"spec" must be an OpenAPI document, as an object or a string')
  const enabled = own(value, 'enabled')
  if (enabled !== undefined && typeof enabled !== 'boolean')
    throw managementError('invalid_body', '"enabled" must be true or false')
  return {
    name: ownText(value, 'name') ?? null,
    text: spec === undefined ? null : typeof spec === 'string' ? spec : JSON.stringify(spec, null, 2),
    given: partsOf(value),
    enabled: enabled ?? null,
    message: ownText(value, 'message')?.slice(0, 500) ?? null,
  }
}

/** An envelope without a document, which drafts can have. */
function isPartsOnly(value: JsonObject): boolean {
  return (
    Object.keys(value).length > 0 &&
    Object.keys(value).every(key => ['name', 'settings', 'rules', 'overrides', 'enabled', 'message'].includes(key))
  )
}
