/** Owns what tests of streams need: a server that opens one on each request, a clock to turn, clients that watch. */
import http, { type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import net from 'node:net'
import type { Test } from 'tap'
import { StreamRegistry, type Clock } from '../../core/http/streams/stream-registry.ts'
import type { BodyStream } from '../../core/contract/plugin.ts'
import type { StreamOpening } from '../../core/http/streams/body-stream.ts'

/** A clock that stands still until `advance`. */
export class TurnedClock implements Clock {
  #now = 0
  readonly #alarms = new Set<{ at: number; ring: () => void }>()

  now(): number {
    return this.#now
  }

  after(ms: number, ring: () => void): () => void {
    if (!(ms >= 0 && ms < 2 ** 31)) throw new RangeError(`no timer can wait for ${ms} ms`)
    const alarm = { at: this.#now + ms, ring }
    this.#alarms.add(alarm)
    return () => void this.#alarms.delete(alarm)
  }

  /** Lets time pass, ringing on the way whatever comes due. */
  advance(ms: number): void {
    const until = this.#now + ms
    for (;;) {
      const next = [...this.#alarms].filter(({ at }) => at <= until).toSorted((a, b) => a.at - b.at)[0]
      if (next === undefined) break
      this.#now = next.at
      this.#alarms.delete(next)
      next.ring()
    }
    this.#now = until
  }

  get alarms(): number {
    return this.#alarms.size
  }
}

export interface StreamServer {
  port: number
  registry: StreamRegistry
  clock: TurnedClock
  /** What callbacks of streams threw. */
  errors: unknown[]
}

/** Starts a server that hands each request to `open`, with an opening to complete. Ends with the test. */
export async function startStreamServer(
  t: Test,
  open: (opening: StreamOpening, request: IncomingMessage) => void,
): Promise<StreamServer> {
  const clock = new TurnedClock()
  const errors: unknown[] = []
  const registry = new StreamRegistry({ clock, onError: error => errors.push(error) })
  const server = http.createServer((request: IncomingMessage, response: ServerResponse) => {
    open({ response, registry, generation: 1, headOnly: request.method === 'HEAD' }, request)
  })
  const port = await listen(t, server)
  t.teardown(() => server.closeAllConnections())
  return { port, registry, clock, errors }
}

/** Binds a free port of the loopback address; the server closes with the test. */
export async function listen(t: Test, server: net.Server): Promise<number> {
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => void server.close())
  return (server.address() as AddressInfo).port
}

/** A GET whose body is watched while it comes. */
export interface Watched {
  response: IncomingMessage
  /** The body so far. */
  readonly text: string
  /** Resolves once the body so far is as wanted. */
  until(isThere: (text: string) => boolean): Promise<string>
  /** The whole body; rejects when it is cut off. */
  whole: Promise<string>
  /** Leaves. */
  leave(): void
}

export async function watch(port: number, options: http.RequestOptions = {}): Promise<Watched> {
  const request = http.request({ port, host: '127.0.0.1', agent: false, ...options })
  const response = await new Promise<IncomingMessage>((resolve, reject) =>
    request.once('response', resolve).once('error', reject).end(),
  )
  let text = ''
  const checks = new Set<() => void>()
  response.setEncoding('utf8')
  response.on('data', (chunk: string) => {
    text += chunk
    for (const check of checks) check()
  })
  const whole = new Promise<string>((resolve, reject) => {
    response.once('end', () => resolve(text))
    response.once('error', reject)
  })
  whole.catch(() => {})
  return {
    response,
    get text() {
      return text
    },
    until: isThere =>
      new Promise(resolve => {
        const check = () => {
          if (!isThere(text)) return
          checks.delete(check)
          resolve(text)
        }
        checks.add(check)
        check()
      }),
    whole,
    leave: () => void request.destroy(),
  }
}

/** Writes to a stream that nobody reads until the system's own buffers are full too and nothing moves any more. */
export async function fillUp(stream: BodyStream): Promise<void> {
  for (let still = 0, before = 0; still < 50; still = stream.pendingBytes === before ? still + 1 : 0) {
    if (stream.pendingBytes === 0) stream.write(Buffer.alloc(256 * 1024, '\n'))
    before = stream.pendingBytes
    await new Promise<void>(resolve => setImmediate(resolve))
  }
}
