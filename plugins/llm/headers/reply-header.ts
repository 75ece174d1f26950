/** Reads the header `X-Svc-Reply-Json`. */
import { isRecord, isTextNestedWithin } from 'svc/toolkit'
import type { JsonObject } from 'svc/plugin'
import { BadInput } from '../contract/errors.ts'
import { header } from './credentials.ts'
import type { RequestHeaders } from '../contract/provider.ts'

export const JSON_TEXT = 'X-Svc-Reply-Json'
const MAX_BYTES = 12_288
const MAX_DEPTH = 100

/** The members of the header; none without it. Throws `BadInput` for a wrong one. */
export function readReplyMembers(headers: RequestHeaders): JsonObject {
  const text = header(headers, JSON_TEXT.toLowerCase())
  return text === undefined ? {} : parseReply(text)
}

/** JSON, or base64url of it. */
export function parseReply(text: string): JsonObject {
  if (text.length > MAX_BYTES * 2) throw wrong(JSON_TEXT, `expected at most ${MAX_BYTES} bytes`)
  const trimmed = text.trim()
  const plain = /^[A-Za-z0-9_-]+={0,2}$/.test(trimmed) ? Buffer.from(trimmed, 'base64url').toString('utf8') : trimmed
  if (Buffer.byteLength(plain) > MAX_BYTES) throw wrong(JSON_TEXT, `expected at most ${MAX_BYTES} bytes`)
  let value: unknown
  try {
    value = isTextNestedWithin(plain, MAX_DEPTH) ? JSON.parse(plain) : undefined
  } catch {
    value = undefined
  }
  if (!isRecord(value)) throw wrong(JSON_TEXT, 'expected a JSON object, or base64url of it')
  return value as JsonObject
}

export function wrong(header: string, details: string): BadInput {
  return new BadInput(`${header}: ${details}`, { param: header })
}
