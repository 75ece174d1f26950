/** Files in a request: the GraphQL multipart request specification. */
import { createHash } from 'node:crypto'
import { isRecord, readFormParts, type FormPart } from 'svc/toolkit'
import { badRequest } from '../errors.ts'
import type { UploadedFile } from '../types.ts'
import { parseJson } from './json-text.ts'

const MAX_PLACES = 100
const DEFAULT_TYPE = 'application/octet-stream'

/** The operations with their files in place. Throws a GraphQLError. */
export function readUploads(contentType: string, body: ArrayBuffer | Uint8Array, maxFiles: number): unknown {
  const bytes =
    body instanceof Uint8Array ? Buffer.from(body.buffer, body.byteOffset, body.byteLength) : Buffer.from(body)
  const form = readFormParts(bytes, contentType)
  if (form === null || !form.isComplete) throw badRequest('the multipart body has no boundary or no end')
  const operations = parseJson(fieldOf(form.parts, 'operations'), 'operations')
  const map = parseJson(fieldOf(form.parts, 'map'), 'map')
  if (!isRecord(map)) throw badRequest('map must be a JSON object')
  const entries = Object.entries(map)
  if (entries.length > maxFiles) throw badRequest(`expected at most ${maxFiles} files, got ${entries.length}`)
  for (const [name, places] of entries) {
    const part = form.parts.find(candidate => candidate.name === name && name !== 'operations' && name !== 'map')
    if (part === undefined) throw badRequest(`the part ${shown(name)} of map is missing`)
    if (!Array.isArray(places) || places.length > MAX_PLACES)
      throw badRequest(`map.${shown(name)} must be a list of at most ${MAX_PLACES} paths`)
    const file = uploadedFile(part)
    for (const place of places) put(operations, place, file)
  }
  return operations
}

/** As JSON, in data that depend on arguments and in captured requests, a file has its digest in place of its bytes. */
function uploadedFile({ filename: name, type, content }: FormPart): UploadedFile {
  const filename = name ?? ''
  const mimetype = type?.split(';', 1)[0]!.trim() ?? DEFAULT_TYPE
  return {
    filename,
    mimetype,
    content,
    toJSON: () => ({
      filename,
      mimetype,
      bytes: content.length,
      sha256: createHash('sha256').update(content).digest('hex'),
    }),
  }
}

function fieldOf(parts: readonly FormPart[], name: string): string {
  const part = parts.find(candidate => candidate.name === name)
  if (part === undefined) throw badRequest(`the part ${name} is missing`)
  return part.content.toString('utf8')
}

/** Puts the file where a path such as `variables.photo` or `0.variables.photos.1` leads, in place of null. */
function put(operations: unknown, place: unknown, file: UploadedFile): void {
  const problem = (): Error => badRequest(`the path ${shown(place)} of map leads to no null in the operations`)
  if (typeof place !== 'string') throw problem()
  const keys = place.split('.')
  const last = keys.pop()!
  let parent: unknown = operations
  for (const key of keys) parent = memberOf(parent, key)
  if (memberOf(parent, last) !== null) throw problem()
  ;(parent as Record<string, unknown>)[last] = file
}

function memberOf(parent: unknown, key: string): unknown {
  if (typeof parent !== 'object' || parent === null || !Object.hasOwn(parent, key)) return undefined
  return (parent as Record<string, unknown>)[key]
}

function shown(value: unknown): string {
  return JSON.stringify(String(value).slice(0, 100))
}
