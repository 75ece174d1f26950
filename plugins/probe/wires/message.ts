/** Requests with JSON bodies. */
import type { WireField, WireRequest } from './types.ts'
import { parseJson } from './values.ts'

export function jsonRequest(path: string, body: object, fields: readonly WireField[] = []): WireRequest {
  return {
    method: 'POST',
    path,
    fields: [['content-type', 'application/json'], ...fields],
    body: Buffer.from(JSON.stringify(body)),
  }
}

export function bodyOf({ body }: Pick<WireRequest, 'body'>): unknown {
  return parseJson(body.toString('utf8'))
}

/** A path without its query. */
export function pathOf(target: string): string {
  const end = target.search(/[?#]/)
  return end === -1 ? target : target.slice(0, end)
}

/** A name in a path; as it came if it is not encoded well. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
