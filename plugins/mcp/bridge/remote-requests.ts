/** HTTP requests to a remote MCP server: no redirects, limited sizes, JSON or an event stream as response. */
import { createParser } from 'eventsource-parser'
import http, { type IncomingMessage } from 'node:http'
import https from 'node:https'
import { MemoryPool, Pacer } from 'svc/plugin'
import { CODES, RpcError } from '../errors.ts'
import { parseForeignJson } from './foreign-json.ts'
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
/** Bytes of a message that do not count against those of all: ordinary messages never have too little memory. */
const FREE_BYTES = 128 * 1024
/** Bytes of all messages that are being received or passed on. */
const MAX_MESSAGES_BYTES = 10 * 1024 * 1024
/** Milliseconds of work with the events of one stream, after which others run. */
const EVENTS_MS = 5
/** More than the calls in flight and the streams of sessions. */
const MAX_SOCKETS = 512

/** Sends requests to one URL. */
export class RemoteRequests {
  readonly #url: URL
  readonly #agent: http.Agent
  readonly #memory = new MemoryPool(MAX_MESSAGES_BYTES)

  /** `ca` is an additional certificate authority as PEM. */
  constructor(url: URL, ca: string | null) {
    this.#url = url
    this.#agent =
      url.protocol === 'https:'
        ? new https.Agent({ keepAlive: true, maxSockets: MAX_SOCKETS, ...(ca === null ? {} : { ca }) })
        : new http.Agent({ keepAlive: true, maxSockets: MAX_SOCKETS })
  }

  /** Resolves with the head of the response. Rejects with `Unreachable` if there is none. */
  send({ method, headers, body, signal }: RemoteRequest): Promise<RemoteResponse> {
    const { request } = this.#url.protocol === 'https:' ? https : http
    return new Promise((resolve, reject) => {
      const sent = request(this.#url, { method, headers: { ...headers }, agent: this.#agent, signal })
      sent.on('response', response =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          messages: messagesOf(response, this.#memory),
        }),
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

async function* messagesOf(response: IncomingMessage, memory: MemoryPool): AsyncGenerator<unknown> {
  const type = response.headers['content-type'] ?? ''
  const message = new IncomingBytes(memory)
  try {
    if (type.startsWith('text/event-stream')) yield* eventsOf(response, message)
    else yield* bodyOf(response, message)
  } finally {
    message.end()
  }
}

/** Counts the bytes of a message until it has been passed on. */
class IncomingBytes {
  readonly #memory: MemoryPool
  #bytes = 0
  #held = 0

  constructor(memory: MemoryPool) {
    this.#memory = memory
  }

  add(bytes: number): void {
    if (this.#bytes + bytes > MAX_MESSAGE_BYTES) throw tooLarge()
    const missing = this.#bytes + bytes - FREE_BYTES - this.#held
    if (missing > 0) {
      if (!this.#memory.take(missing))
        throw new RpcError(CODES.internal, 'the server sends too many large messages at once')
      this.#held += missing
    }
    this.#bytes += bytes
  }

  end(): void {
    this.#memory.give(this.#held)
    this.#held = this.#bytes = 0
  }
}

async function* bodyOf(response: IncomingMessage, message: IncomingBytes): AsyncGenerator<unknown> {
  const chunks: Buffer[] = []
  for await (const chunk of response as AsyncIterable<Buffer>) {
    message.add(chunk.length)
    chunks.push(chunk)
  }
  if (chunks.length > 0) yield parseForeignJson(Buffer.concat(chunks).toString('utf8'))
}

async function* eventsOf(response: IncomingMessage, message: IncomingBytes): AsyncGenerator<unknown> {
  const events: string[] = []
  const parser = createParser({ onEvent: ({ data }) => void events.push(data) })
  const decoder = new TextDecoder()
  const pacer = new Pacer(EVENTS_MS)
  for await (const chunk of response as AsyncIterable<Buffer>) {
    message.add(chunk.length)
    parser.feed(decoder.decode(chunk, { stream: true }))
    if (events.length === 0) continue
    for (const data of events.splice(0)) {
      if (data !== '') yield parseForeignJson(data)
      if (pacer.isDue) await pacer.pause()
    }
    message.end()
  }
}

function tooLarge(): RpcError {
  return new RpcError(CODES.internal, `the server sent more than ${MAX_MESSAGE_BYTES} bytes`)
}
