/** Sends one request and streams its response: a growing body, or single events. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { explain } from '../../lib/instance/api.ts'
import { send, UnreachableError, type OutgoingRequest, type Sent } from '../../lib/instance/gateway.ts'
import { mediaTypeOf } from '../../lib/protocol/http.ts'
import { readEvents, type ServerEvent } from '../../lib/protocol/sse.ts'

export interface TimedEvent extends ServerEvent {
  /** Milliseconds since the request was sent. */
  ms: number
  /** Counts from 1. */
  number: number
}

export interface LiveExchange {
  state: 'waiting' | 'receiving' | 'done' | 'failed'
  sent: Sent | null
  /** Final URL if the browser followed redirects; null: no redirect. */
  redirectedTo: string | null
  /** The stored part of the body, at most `MAX_KEPT` bytes. */
  bytes: Uint8Array<ArrayBuffer>
  /** Bytes received, after decompression. */
  size: number
  /** The newest `MAX_EVENTS` events of an event stream; null: not an event stream. */
  events: TimedEvent[] | null
  /** Milliseconds from sending to the last byte so far. */
  ms: number
  error: string | null
}

/** Bytes of a body to keep and show. */
export const MAX_KEPT = 2_000_000
const MAX_EVENTS = 1000
/** Minimum time between two renders of a growing response. */
const DRAW_MS = 80

const NOTHING: LiveExchange = {
  state: 'waiting',
  sent: null,
  redirectedTo: null,
  bytes: new Uint8Array(),
  size: 0,
  events: null,
  ms: 0,
  error: null,
}

export interface Exchanger {
  /** Null: nothing sent yet. */
  exchange: LiveExchange | null
  run(request: OutgoingRequest): void
  stop(): void
}

/** Sends one request at a time. A new request, or leaving the view, aborts the previous one. */
export function useExchange(): Exchanger {
  const [exchange, setExchange] = useState<LiveExchange | null>(null)
  const running = useRef<AbortController | null>(null)
  const stop = () => running.current?.abort()
  useEffect(() => stop, [])

  return {
    exchange,
    stop,
    run(request) {
      stop()
      const controller = new AbortController()
      running.current = controller
      void perform({ ...request, signal: controller.signal }, next => {
        if (running.current === controller) setExchange(next)
      })
    },
  }
}

async function perform(
  request: OutgoingRequest & { signal: AbortSignal },
  show: (exchange: LiveExchange) => void,
): Promise<void> {
  const startedAt = performance.now()
  let exchange = NOTHING
  let drawnAt = -Infinity
  function change(changes: Partial<LiveExchange>, { now = true } = {}): void {
    exchange = { ...exchange, ...changes, ms: performance.now() - startedAt }
    if (!now && performance.now() - drawnAt < DRAW_MS) return
    drawnAt = performance.now()
    show(exchange)
  }
  change({})
  try {
    const { sent, response } = await send(request)
    change({ state: 'receiving', sent, redirectedTo: response.redirected ? response.url : null })
    await receive(response, change)
    change({ state: 'done' })
  } catch (error) {
    if (request.signal.aborted) change({ state: 'done', error: 'Stopped.' })
    else
      change({
        state: 'failed',
        sent: error instanceof UnreachableError ? error.sent : exchange.sent,
        error: exchange.state === 'receiving' ? `The connection was lost: ${explain(error)}` : explain(error),
      })
  }
}

async function receive(
  response: Response,
  change: (changes: Partial<LiveExchange>, when: { now: boolean }) => void,
): Promise<void> {
  if (response.body === null) return
  const headers = [...response.headers].map(([name, value]) => ({ name, value }))
  if (mediaTypeOf(headers) === 'text/event-stream') await receiveEvents(response.body, change)
  else await receiveBytes(response.body, change)
}

async function receiveEvents(
  body: ReadableStream<Uint8Array>,
  change: (changes: Partial<LiveExchange>, when: { now: boolean }) => void,
): Promise<void> {
  const startedAt = performance.now()
  let events: TimedEvent[] = []
  let number = 0
  change({ events }, { now: true })
  for await (const event of readEvents(body)) {
    events = [...events.slice(1 - MAX_EVENTS), { ...event, ms: performance.now() - startedAt, number: ++number }]
    change({ events }, { now: false })
  }
  change({ events }, { now: true })
}

async function receiveBytes(
  body: ReadableStream<Uint8Array>,
  change: (changes: Partial<LiveExchange>, when: { now: boolean }) => void,
): Promise<void> {
  const reader = body.getReader()
  let bytes = new Uint8Array()
  let size = 0
  for (let { value, done } = await reader.read(); !done; { value, done } = await reader.read()) {
    size += value!.length
    if (bytes.length < MAX_KEPT) bytes = joined(bytes, value!.subarray(0, MAX_KEPT - bytes.length))
    change({ bytes, size }, { now: false })
  }
  change({ bytes, size }, { now: true })
}

function joined(a: Uint8Array, b: Uint8Array): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(a.length + b.length)
  whole.set(a)
  whole.set(b, a.length)
  return whole
}
