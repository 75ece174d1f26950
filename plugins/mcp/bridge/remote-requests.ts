/** HTTP requests to a remote MCP server: no redirects, limited sizes, JSON or an event stream as response. */
import { createParser } from 'eventsource-parser'
import http, { type IncomingMessage } from 'node:http'
import https from 'node:https'
import { CODES, RpcError, shorten } from '../errors.ts'
import { Unreachable } from './link.ts'

export interface RemoteRequest {
  method: 'POST' | 'GET' | 'DELETE'
  headers: Readonly<Record<string, string>>
  body?: string
  signal: AbortSignal
}

export interface RemoteResponse {
  status: number
  headers: IncomingMessage['headers']
  /** Messages in the order in which they arrive: those of an event stream, or the JSON of the body. */
  messages: AsyncIterable<unknown>
}

/** Bytes of a JSON body, or of one event. */
const MAX_MESSAGE_BYTES = 8 * 1024 * 1024

/** Sends requests to one URL. */
export class RemoteRequests {
  readonly #url: URL
  readonly #agent: http.Agent

  /** `ca` is an additional certificate authority as PEM. */
  constructor(url: URL, ca: string | null) {
    this.#url = url
    this.#agent =
      url.protocol === 'https:'
        ? new https.Agent({ keepAlive: true, ...(ca === null ? {} : { ca }) })
        : new http.Agent({ keepAlive: true })
  }

  /** Resolves with the head of the response. Rejects with `Unreachable` if there is none. */
  send({ method, headers, body, signal }: RemoteRequest): Promise<RemoteResponse> {
    const { request } = this.#url.protocol === 'https:' ? https : http
    return new Promise((resolve, reject) => {
      const sent = request(this.#url, { method, headers: { ...headers }, agent: this.#agent, signal })
      sent.on('response', response =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, messages: messagesOf(response) }),
      )
      sent.on('error', (error: NodeJS.ErrnoException) =>
        reject(new Unreachable(`the server can't be reached: ${error.code ?? error.message}`)),
      )
      sent.end(body)
    })
  }

  close(): void {
    this.#agent.destroy()
  }
}

async function* messagesOf(response: IncomingMessage): AsyncGenerator<unknown> {
  const type = response.headers['content-type'] ?? ''
  if (type.startsWith('text/event-stream')) yield* eventsOf(response)
  else yield* bodyOf(response)
}

async function* bodyOf(response: IncomingMessage): AsyncGenerator<unknown> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > MAX_MESSAGE_BYTES) throw tooLarge()
    chunks.push(chunk)
  }
  if (bytes > 0) yield parse(Buffer.concat(chunks).toString('utf8'))
}

async function* eventsOf(response: IncomingMessage): AsyncGenerator<unknown> {
  const events: string[] = []
  const parser = createParser({ onEvent: ({ data }) => void events.push(data) })
  const decoder = new TextDecoder()
  let bytes = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    parser.feed(decoder.decode(chunk, { stream: true }))
    bytes = events.length > 0 ? 0 : bytes + chunk.length
    if (bytes > MAX_MESSAGE_BYTES) throw tooLarge()
    for (const data of events.splice(0)) if (data !== '') yield parse(data)
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new RpcError(CODES.internal, `the server sent invalid JSON: ${shorten(text.slice(0, 60))}`)
  }
}

function tooLarge(): RpcError {
  return new RpcError(CODES.internal, `the server sent more than ${MAX_MESSAGE_BYTES} bytes`)
}
