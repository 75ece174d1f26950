/** A plain HTTP/1.1 client for tests: it sends requests unchanged, and neither follows redirects nor decodes bodies. */
import http from 'node:http'
import https from 'node:https'

/** A response may repeat a whole request head, percent-encoded. */
const MAX_HEADER_BYTES = 262_144

export interface RequestOptions {
  method?: string
  /** A list is sent as repeated lines. */
  headers?: Record<string, string | string[]>
  body?: string | Buffer
  /** Reuses connections. Default: a new connection for each request. */
  agent?: http.Agent
}

export interface Reply {
  status: number
  headers: http.IncomingHttpHeaders
  /** All header lines, with names in lower case. */
  lines: [name: string, value: string][]
  body: Buffer
  text: string
  /** The body as JSON; throws if it is not JSON. */
  json<T = Record<string, unknown>>(): T
}

/** Sends one request. Unlike in `fetch`, `path` is sent unchanged. */
export function send(
  baseUrl: string,
  path: string,
  { method = 'GET', headers = {}, body, agent }: RequestOptions = {},
): Promise<Reply> {
  const { protocol, hostname, port } = new URL(baseUrl)
  const client = protocol === 'https:' ? https : http
  return new Promise((resolve, reject) => {
    const request = client.request(
      {
        hostname: hostname.replace(/^\[|\]$/g, ''),
        port,
        path,
        method,
        headers,
        agent: agent ?? false,
        rejectUnauthorized: false,
        maxHeaderSize: MAX_HEADER_BYTES,
      },
      response => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('error', reject)
        response.on('end', () => resolve(toReply(response, Buffer.concat(chunks))))
      },
    )
    request.on('error', reject)
    request.end(body)
  })
}

function toReply(response: http.IncomingMessage, body: Buffer): Reply {
  const { rawHeaders } = response
  const text = body.toString()
  return {
    status: response.statusCode!,
    headers: response.headers,
    lines: Array.from({ length: rawHeaders.length / 2 }, (_, index) => [
      rawHeaders[2 * index]!.toLowerCase(),
      rawHeaders[2 * index + 1]!,
    ]),
    body,
    text,
    json: <T>() => JSON.parse(text) as T,
  }
}
