/** Owns what `Accept` and `Content-Type` mean on MCP routes. */

export interface Accepted {
  json: boolean
  sse: boolean
}

const BOTH: Accepted = { json: true, sse: true }

/** Reads `Accept` (RFC 9110, 12.5.1) without its q-values: missing or `*` takes both kinds of reply. */
export function readAccept(header: string | undefined): Accepted {
  // What official clients send, and what every client may leave out.
  if (header === undefined || header === 'application/json, text/event-stream' || header.trim() === '') return BOTH
  const types = header.split(',').map(mediaType)
  const has = (...names: string[]) => names.some(name => types.includes(name))
  if (has('*/*')) return BOTH
  return { json: has('application/json', 'application/*'), sse: has('text/event-stream', 'text/*') }
}

/** Whether a body is declared as JSON; parameters such as `charset` do not matter. */
export function isJson(contentType: string | undefined): boolean {
  return contentType !== undefined && mediaType(contentType) === 'application/json'
}

function mediaType(field: string): string {
  return (field.split(';', 1)[0] ?? '').trim().toLowerCase()
}
