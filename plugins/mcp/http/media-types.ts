/** Owns reading `Accept` and `Content-Type` on MCP routes. */

export interface Accepted {
  json: boolean
  sse: boolean
}

const BOTH: Accepted = { json: true, sse: true }

/** Reads `Accept` (RFC 9110, 12.5.1), ignoring q-values. A missing header and a wildcard accept both types. */
export function readAccept(header: string | undefined): Accepted {
  // A fast path for a missing header and for the value that official clients send.
  if (header === undefined || header === 'application/json, text/event-stream' || header.trim() === '') return BOTH
  const types = header.split(',').map(mediaType)
  const has = (...names: string[]) => names.some(name => types.includes(name))
  if (has('*/*')) return BOTH
  return { json: has('application/json', 'application/*'), sse: has('text/event-stream', 'text/*') }
}

/** Whether the media type is JSON; parameters such as `charset` are ignored. */
export function isJson(contentType: string | undefined): boolean {
  return contentType !== undefined && mediaType(contentType) === 'application/json'
}

function mediaType(field: string): string {
  return (field.split(';', 1)[0] ?? '').trim().toLowerCase()
}
