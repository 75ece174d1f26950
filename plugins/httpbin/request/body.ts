/** Reads request bodies: forms, uploads, JSON, and everything else as text or a data URL. */
import { isUtf8 } from 'node:buffer'
import { parse } from 'lossless-json'
import { isTextNestedWithin } from 'svc/toolkit'
import { Failure } from '../failure.ts'
import { readForm, readLenient, type Values } from './query.ts'

export interface ReadBody {
  data: string
  form: Values
  files: Values
  json: unknown
}

const MAX_DEPTH = 500
/** Python refuses longer integers. */
const MAX_DIGITS = 4300
const BINARY = 'application/octet-stream'

/** A body as httpbin shows it. What cannot be read as its type is an empty form, or null as JSON. */
export async function readAsHttpbin(body: Buffer, contentType: string): Promise<ReadBody> {
  const type = mediaType(contentType)
  const none: ReadBody = { data: '', form: new Map(), files: new Map(), json: null }
  if (type === 'application/x-www-form-urlencoded') return { ...none, form: readLenient(body.toString('latin1')) }
  if (type === 'multipart/form-data') {
    const parts = await readParts(body, contentType)
    if (parts === null) return none
    const files = new Map([...parts.files].map(([name, list]) => [name, list.map(textOrUrl)]))
    return { ...none, form: parts.form, files }
  }
  return { ...none, data: textOrUrl({ bytes: body, type: BINARY }), json: exactJson(body) }
}

/** A body as go-httpbin shows it. Throws a `Failure` if it cannot be read as its type. */
export async function readAsGoHttpbin(body: Buffer, contentType: string): Promise<ReadBody> {
  const read: ReadBody = { data: body.toString(), form: new Map(), files: new Map(), json: null }
  if (body.length === 0) return read
  const type = contentType.split(';', 1)[0]!
  if (type === 'text/plain' || type === 'text/html') return read
  if (type === 'application/x-www-form-urlencoded') {
    const form = readForm(body.toString('latin1'))
    if (form === null) throw unreadable('invalid URL escape')
    return { ...read, form }
  }
  if (type === 'multipart/form-data') {
    const parts = await readParts(body, contentType)
    if (parts === null) throw unreadable('malformed multipart body')
    const files = new Map([...parts.files].map(([name, list]) => [name, list.map(({ bytes }) => bytes.toString())]))
    return { ...read, form: parts.form, files }
  }
  if (type === 'application/json') {
    const text = body.toString()
    if (!isTextNestedWithin(text, MAX_DEPTH)) throw unreadable('exceeded max depth')
    try {
      return { ...read, json: JSON.parse(text) as unknown }
    } catch (error) {
      throw unreadable((error as Error).message)
    }
  }
  const encoded = body.toString('base64').replaceAll('+', '-').replaceAll('/', '_')
  return { ...read, data: `data:${type === '' ? BINARY : type};base64,${encoded}` }
}

function unreadable(reason: string): Failure {
  return new Failure(400, `error parsing request body: ${reason.replace(/\s+/g, ' ')}`)
}

function mediaType(contentType: string): string {
  return contentType.split(';', 1)[0]!.trim().toLowerCase()
}

interface File {
  bytes: Buffer
  type: string
}

function textOrUrl({ bytes, type }: File): string {
  return isUtf8(bytes) ? bytes.toString() : `data:${type};base64,${bytes.toString('base64')}`
}

/** The parts of a multipart body (RFC 7578); null if it is malformed. */
async function readParts(
  body: Buffer,
  contentType: string,
): Promise<{ form: Values; files: Map<string, File[]> } | null> {
  let parts: FormData
  try {
    parts = await new Response(new Uint8Array(body), { headers: { 'Content-Type': contentType } }).formData()
  } catch {
    return null
  }
  const form: Values = new Map()
  const files = new Map<string, File[]>()
  for (const [name, part] of parts) {
    if (typeof part === 'string') add(form, name, part)
    else add(files, name, { bytes: Buffer.from(await part.arrayBuffer()), type: part.type || BINARY })
  }
  return { form, files }
}

function add<T>(map: Map<string, T[]>, name: string, value: T): void {
  const values = map.get(name)
  if (values === undefined) map.set(name, [value])
  else values.push(value)
}

/** JSON with exact numbers; null if the body is not JSON, as for a body `null`. */
function exactJson(body: Buffer): unknown {
  if (body.length === 0 || !isUtf8(body)) return null
  const text = body.toString()
  if (!isTextNestedWithin(text, MAX_DEPTH)) return null
  try {
    JSON.parse(text)
    if (hasLongInteger(text)) return null
    return parse(text, undefined, { onDuplicateKey: ({ newValue }) => newValue })
  } catch {
    return null
  }
}

function hasLongInteger(text: string): boolean {
  let digits = 0
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    digits = code >= 0x30 && code <= 0x39 ? digits + 1 : 0
    if (digits > MAX_DIGITS) return true
  }
  return false
}
