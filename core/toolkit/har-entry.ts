/** A captured request as an entry of an HTTP archive (HAR 1.2). */
import type { InspectorEntry } from '../contract/observation.ts'

/** What an entry does not say. */
export interface HarFacts {
  /** Absolute. */
  url: string
  /** The reason phrase. Default: none. */
  statusText?: string
  /** The response headers, if the entry has none. */
  responseHeaders?: InspectorEntry['headers'] | undefined
}

/** The entry of an archive for a captured request, with the known parts of the response. Runs in browsers, too. */
export function harEntry(entry: InspectorEntry, facts: HarFacts): object {
  return {
    startedDateTime: entry.timestamp,
    time: entry.latency_ms,
    request: {
      method: entry.method,
      url: facts.url,
      httpVersion: entry.version,
      cookies: [],
      headers: entry.headers,
      queryString: [...new URLSearchParams(entry.query ?? '')].map(([name, value]) => ({ name, value })),
      ...(entry.body_size === 0 ? {} : { postData: postDataOf(entry) }),
      headersSize: -1,
      bodySize: entry.body_size,
    },
    response: responseOf(entry, facts),
    cache: {},
    timings: { send: 0, wait: entry.latency_ms, receive: 0 },
    // Fields that the format does not define begin with an underscore.
    _request_id: entry.request_id,
    _session: entry.session,
    _session_from: entry.session_from,
    _fault: entry.fault,
    _fault_source: entry.fault_source,
    _fault_origin: entry.fault_origin,
    _rule: entry.rule,
    _tags: entry.tags,
    _route: entry.route,
    _plugin: entry.plugin,
    _ended: entry.ended,
    _end_reason: entry.end_reason,
    _abort: entry.abort,
    _grpc_status: entry.grpc_status,
  }
}

/** HAR cannot encode binary request bodies, so Base64 goes into an additional field. */
function postDataOf({ headers, body, body_base64, body_truncated, body_size }: InspectorEntry): object {
  return {
    mimeType: valueOf(headers, 'content-type'),
    text: body ?? body_base64 ?? '',
    ...(body_base64 === null ? {} : { _encoding: 'base64' }),
    ...(body_truncated ? { comment: `the beginning of ${body_size} bytes` } : {}),
  }
}

function responseOf(entry: InspectorEntry, { statusText = '', responseHeaders = [] }: HarFacts): object {
  const { response_body: text, response_body_base64: base64 } = entry
  const headers = entry.response_headers ?? responseHeaders
  return {
    status: entry.status,
    statusText,
    httpVersion: entry.version,
    cookies: [],
    headers,
    content: {
      size: entry.bytes_sent,
      mimeType: valueOf(headers, 'content-type'),
      ...(text === null ? {} : { text }),
      ...(base64 === null ? {} : { text: base64, encoding: 'base64' }),
      ...(entry.response_body_truncated ? { comment: 'the beginning of the body' } : {}),
    },
    redirectURL: valueOf(headers, 'location'),
    headersSize: -1,
    bodySize: entry.ended === 'open' ? -1 : entry.bytes_sent,
  }
}

function valueOf(headers: InspectorEntry['headers'], name: string): string {
  return headers.find(header => header.name === name)?.value ?? ''
}
