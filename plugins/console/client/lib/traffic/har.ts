/** Captured requests as an HTTP archive (HAR 1.2). */
import { sentOf } from '../instance/gateway.ts'
import { headerOf, reasonPhrase, type Entry, type NameValue } from '../protocol/http.ts'
import { instanceBase, page } from '../instance/page.ts'

/** The archive of these entries in the order of their arrival, with the known parts of the responses. */
export function toHar(entries: readonly Entry[]): object {
  const inOrder = [...entries].sort((a, b) => a.timestamp.localeCompare(b.timestamp))
  return {
    log: { version: '1.2', creator: { name: 'svc console', version: page.version }, entries: inOrder.map(toEntry) },
  }
}

function toEntry(entry: Entry): object {
  const headers = entry.response_headers ?? sentOf(entry)?.response?.headers ?? []
  return {
    startedDateTime: entry.timestamp,
    time: entry.latency_ms,
    request: {
      method: entry.method,
      url: urlOf(entry),
      httpVersion: entry.version,
      cookies: [],
      headers: entry.headers,
      queryString: [...new URLSearchParams(entry.query ?? '')].map(([name, value]) => ({ name, value })),
      headersSize: -1,
      bodySize: entry.body_size,
      ...(entry.body_size === 0
        ? {}
        : {
            postData: {
              mimeType: headerOf(entry.headers, 'content-type') ?? '',
              text: entry.body ?? entry.body_base64 ?? '',
              ...(entry.body === null ? { encoding: 'base64' } : {}),
            },
          }),
    },
    response: {
      status: entry.status,
      statusText: reasonPhrase(entry.status),
      httpVersion: entry.version,
      cookies: [],
      headers,
      content: contentOf(entry, headers),
      redirectURL: headerOf(headers, 'location') ?? '',
      headersSize: -1,
      bodySize: entry.ended === 'open' ? -1 : entry.bytes_sent,
    },
    cache: {},
    timings: { send: 0, wait: entry.latency_ms, receive: 0 },
    // Custom fields start with an underscore (HAR 1.2, "Custom fields").
    _request_id: entry.request_id,
    _session: entry.session,
    _session_from: entry.session_from,
    _rule: entry.rule,
    _fault: entry.fault,
    _fault_source: entry.fault_source,
    _fault_origin: entry.fault_origin,
    _end_reason: entry.end_reason,
    _route: entry.route,
    _plugin: entry.plugin,
    _ended: entry.ended,
    _abort: entry.abort,
    _grpc_status: entry.grpc_status,
    comment: `request ${entry.request_id} of ${entry.client_ip}`,
  }
}

/** The stored part of the response body. */
function contentOf(entry: Entry, headers: readonly NameValue[]): object {
  const { response_body: text, response_body_base64: base64 } = entry
  return {
    size: entry.bytes_sent,
    mimeType: headerOf(headers, 'content-type') ?? 'x-unknown',
    ...(text === null && base64 === null ? {} : { text: text ?? base64 }),
    ...(base64 === null ? {} : { encoding: 'base64' }),
    ...(entry.response_body_truncated ? { comment: 'only the beginning is stored' } : {}),
  }
}

/** The URL with the host that the client sent. */
function urlOf(entry: Entry): string {
  const base = new URL(instanceBase)
  const host = headerOf(entry.headers, 'host')
  return `${base.protocol}//${host !== null && /^[\w.:[\]-]+$/.test(host) ? host : base.host}${entry.uri}`
}
