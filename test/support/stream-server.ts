/** For tests of streams: a server that opens one for each request, a fake clock, and clients that read. */
import http, { type IncomingMessage, type ServerResponse } from 'node:http'
import net, { type AddressInfo } from 'node:net'
import type { Test } from 'tap'
import { StreamRegistry } from '../../core/http/streams/stream-registry.ts'
import type { Clock } from '../../core/limits/clock.ts'
import type { BodyStream } from '../../core/contract/plugin.ts'
import type { StreamOpening } from '../../core/http/streams/body-stream.ts'

/** A clock that moves only with `advance`. */
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

  /** Advances the time and runs the timers that expire. */
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
  /** Errors thrown by callbacks of streams. */
  errors: unknown[]
}

/** Starts a server that passes each request to `open` until the test ends. */
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

/** Binds a free loopback port; the server closes at the end of the test. */
export async function listen(t: Test, server: net.Server): Promise<number> {
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => void server.close())
  return (server.address() as AddressInfo).port
}

/** A GET request with a body that is read while it arrives. */
export interface Watched {
  response: IncomingMessage
  /** The body so far. */
  readonly text: string
  /** Resolves when the body so far satisfies the condition. */
  until(isThere: (text: string) => boolean): Promise<string>
  /** The complete body; rejects if it is truncated. */
  whole: Promise<string>
  /** Disconnects. */
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

/** Writes to a stream that nobody reads until the system's buffers are full as well. */
export async function fillUp(stream: BodyStream): Promise<void> {
  for (let still = 0, before = 0; still < 50; still = stream.pendingBytes === before ? still + 1 : 0) {
    if (stream.pendingBytes === 0) stream.write(Buffer.alloc(256 * 1024, '\n'))
    before = stream.pendingBytes
    await new Promise<void>(resolve => setImmediate(resolve))
  }
}
