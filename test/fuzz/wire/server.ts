/** The server shared by the wire families, and how a case is sent and checked. */
import { connect } from 'node:net'
import { Pool } from 'undici'
import type { Catalog } from '../../../core/contract/plugin.ts'
import type { TestServer } from '../../support/server.ts'
import type { Finding } from '../engine.ts'

export interface HttpInput {
  method: string
  path: string
  headers: Record<string, string>
  body: string | Buffer | null
}
export type CatalogExample = Catalog['endpoints'][number]['examples'][number]

/** Milliseconds to wait for response headers, or for the end of a connection. */
const PATIENCE_MS = 8000
/** Milliseconds to wait for response headers that may have been delayed on request. */
const SHORT_PATIENCE_MS = 400
const ASKS_FOR_DELAY = /delay|sleep|latency|drip|duration|wait|slow|long|_ms|interval|tokens-per|seconds|timeout|ttft/i
/** Bytes after which a response is no longer read, because some streams are endless. */
const ENOUGH = 2 << 20
const ENOUGH_MS = 300

export class Target {
  readonly server: TestServer
  readonly #pool: Pool
  #seenLines: number

  constructor(server: TestServer) {
    this.server = server
    this.#pool = new Pool(server.url, { connections: 26, maxHeaderSize: 1 << 20 })
    this.#seenLines = server.lines.length
  }

  close(): Promise<void> {
    return this.#pool.destroy()
  }

  async examples(): Promise<{ plugin: string | null; path: string; example: CatalogExample }[]> {
    const { endpoints } = (await (await fetch(`${this.server.url}/_svc/catalog`)).json()) as Catalog
    return endpoints
      .filter(({ protocol, endless }) => (protocol === 'http' && !endless) || (protocol === 'sse' && !endless))
      .flatMap(({ plugin, path, examples }) => examples.map(example => ({ plugin, path, example })))
  }

  /** Sends a request; returns an outcome that no input may cause. */
  async send({ method, path, headers, body }: HttpInput): Promise<Finding> {
    const mayBeLate = ASKS_FOR_DELAY.test(path + JSON.stringify(headers) + String(body))
    const leaving = new AbortController()
    let timer = setTimeout(() => leaving.abort(), mayBeLate ? SHORT_PATIENCE_MS : PATIENCE_MS)
    let hasHead = false
    try {
      const response = await this.#pool.request({
        method: method as 'GET',
        path,
        headers,
        body,
        signal: leaving.signal,
      })
      hasHead = true
      clearTimeout(timer)
      timer = setTimeout(() => leaving.abort(), ENOUGH_MS)
      return judge(response.statusCode, response.headers, await readSome(response.body), path)
    } catch (error) {
      const { code, message } = error as { code?: string; message: string }
      if (leaving.signal.aborted) return hasHead || mayBeLate ? null : `no head within ${PATIENCE_MS} ms`
      // The client rejects invalid paths and headers itself; requested faults break connections.
      if (code === 'UND_ERR_INVALID_ARG' || error instanceof TypeError || 'x-svc-abort' in headers) return null
      return `${code}: ${message}`
    } finally {
      clearTimeout(timer)
    }
  }

  /** Errors logged since the last call. */
  complaints = (): Finding => {
    const lines = this.server.lines.slice(this.#seenLines).filter(line => /"level":"error"/.test(line))
    this.#seenLines = this.server.lines.length
    return lines.length === 0 ? null : `the log has ${lines.length} errors, the first: ${lines[0]!.slice(0, 1500)}`
  }
}

async function readSome(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of body) {
    chunks.push(chunk)
    bytes += chunk.length
    if (bytes > ENOUGH) break
  }
  return Buffer.concat(chunks).toString('latin1')
}

/** Routes for which the request can ask for a 5xx, or on which one was configured before. */
const DEMANDED = /^\/(?:status|flaky|response-headers|mock|bin|health|echo-basic|drop-in)\b/
/** SOAP 1.1 sends every fault with a 500 (6.2), SOAP 1.2 those not caused by the sender (part 2, 7.5.2.2). */
const SOAP_FAULT = /<(?:soap|env):Fault>/

function judge(
  status: number,
  headers: Record<string, string | string[] | undefined>,
  text: string,
  path: string,
): Finding {
  if (headers['x-injected'] !== undefined) return 'a header was injected'
  if (status < 500 || headers['x-svc-fault'] !== undefined) return null
  if (status === 500 && text.includes('internal error')) return `500 ${text.slice(0, 200)}`
  return DEMANDED.test(path) || SOAP_FAULT.test(text) ? null : `${status} ${text.slice(0, 300)}`
}

/** Sends bytes and closes its side; returns what was received until the other side closed, or until the limit. */
export function sendRaw(
  port: number,
  bytes: Buffer,
  isEnough: (received: Buffer) => boolean = () => false,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    const socket = connect(port, '127.0.0.1', () => socket.end(bytes))
    socket.on('data', (chunk: Buffer) => {
      chunks.push(chunk)
      if (isEnough(Buffer.concat(chunks))) done()
    })
    const done = (): void => {
      socket.destroy()
      resolve(Buffer.concat(chunks).toString('latin1'))
    }
    socket.on('end', done).on('error', done)
    socket.setTimeout(PATIENCE_MS, () => {
      socket.destroy()
      reject(
        new Error(
          `the connection was still open ${PATIENCE_MS} ms after its end; so far: ${Buffer.concat(chunks).toString('latin1').slice(0, 300)}`,
        ),
      )
    })
  })
}
