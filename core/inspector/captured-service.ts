/** The call of a service in a captured request: what the gateway asked about, and what was decided. */
import type { InspectorEntry, ServiceCall, ServiceDecision } from '../contract/plugin.ts'

/** As stored, without credentials. */
export interface CapturedService extends Omit<ServiceDecision, 'checked'> {
  checked: Omit<ServiceDecision['checked'], 'body'> & {
    /** One character per byte (Latin-1), as much as of other bodies is kept. */
    body: string | null
  }
}

/** Memory of the record without text, and of one string in its header list. */
const RECORD_BYTES = 512
const TEXT_BYTES = 36

/** Memory in bytes. */
export function sizeOfService({ reason, facts, checked: { url, rawHeaders, body } }: CapturedService): number {
  let bytes = RECORD_BYTES + (reason?.length ?? 0) + url.length + (body?.length ?? 0)
  const lists = Object.values(facts).filter(value => Array.isArray(value))
  for (const list of [rawHeaders, ...lists]) for (const text of list) bytes += TEXT_BYTES + text.length
  return bytes
}

/** The public form; what it is joined with is added later. */
export function toServiceCall({
  name,
  policy,
  decision,
  by,
  reason,
  leftOut = [],
  phases = null,
  checked,
}: CapturedService): ServiceCall {
  const { method, url, scheme, clientIp, session, rawHeaders } = checked
  const query = url.indexOf('?')
  const headers = toHeaders(rawHeaders)
  return {
    name,
    policy,
    decision,
    by,
    reason,
    left_out: leftOut,
    phases,
    arrival: null,
    checked: {
      method,
      path: query === -1 ? url : url.slice(0, query),
      query: query === -1 ? null : url.slice(query + 1),
      scheme,
      host: headers.find(header => header.name === 'host')?.value ?? null,
      client_ip: clientIp,
      session,
      headers,
    },
  }
}

export function toHeaders(rawHeaders: readonly string[]): InspectorEntry['headers'] {
  const headers: InspectorEntry['headers'] = []
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!.toLowerCase()
    // HTTP/2 pseudo-headers (RFC 9113, 8.3.1) are the request line, which has its own fields.
    if (!name.startsWith(':')) headers.push({ name, value: rawHeaders[index + 1]! })
  }
  return headers
}
