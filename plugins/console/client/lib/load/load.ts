/** Load: many requests, a bounded number of them at a time, each timed by the browser where it lets us. */
import { send, UnreachableError, type OutgoingRequest } from '../instance/gateway.ts'
import { headerOf } from '../protocol/http.ts'
import { randomId } from '../protocol/ids.ts'

export const MAX_REQUESTS = 1000
export const MAX_IN_FLIGHT = 50

export interface LoadPlan {
  request: OutgoingRequest
  /** At most `MAX_REQUESTS`. */
  total: number
  /** At most `MAX_IN_FLIGHT`. */
  inFlight: number
  /** Started per second; null: as fast as they are answered. */
  perSecond: number | null
  /** Milliseconds for a whole answer. */
  timeoutMs: number
}

/** One request of a load, and what became of it. */
export interface Shot {
  /** From 0. */
  number: number
  /** Its `X-Svc-Console`; null when it was given up. */
  id: string | null
  /** Milliseconds since the load began. */
  startMs: number
  /** From sending it to the last byte of the answer. */
  ms: number
  /** Null: no answer. */
  status: number | null
  /** Why there is no whole answer. */
  error: string | null
  /** `X-Svc-Limit`: a limit of the instance itself said no. */
  limit: string | null
  /** `X-Svc-Fault`: what was injected. */
  fault: string | null
}

export interface LoadOptions {
  /** Ends the load at once; requests under way are given up and not told. */
  signal: AbortSignal
  onShot(shot: Shot): void
  /** The browser knows better when it was sent and answered; comes after `onShot`. */
  onTiming(number: number, timing: Pick<Shot, 'startMs' | 'ms'>): void
}

/** Sends the requests of a plan. Throws what makes every one of them impossible, such as a header no browser sends. */
export async function runLoad(plan: LoadPlan, { signal, onShot, onTiming }: LoadOptions): Promise<void> {
  const startedAt = performance.now()
  const name = randomId()
  const observer = observeTimings(name, startedAt, onTiming)
  let next = 0

  async function work(): Promise<void> {
    while (next < plan.total && !signal.aborted) {
      const number = next++
      if (plan.perSecond !== null) await pause(startedAt + (number * 1000) / plan.perSecond - performance.now(), signal)
      if (signal.aborted) return
      const shot = await shoot(
        { ...plan.request, fragment: `${name}-${number}` },
        number,
        startedAt,
        plan.timeoutMs,
        signal,
      )
      if (shot !== null) onShot(shot)
    }
  }

  try {
    await Promise.all(Array.from({ length: Math.min(plan.inFlight, plan.total) }, work))
    // The last timings are told a moment after the answers.
    await pause(100, signal)
  } finally {
    observer.disconnect()
  }
}

/** Null: the load was stopped meanwhile. */
async function shoot(
  request: OutgoingRequest,
  number: number,
  startedAt: number,
  timeoutMs: number,
  stopped: AbortSignal,
): Promise<Shot | null> {
  const tooLong = AbortSignal.timeout(timeoutMs)
  const sentAt = performance.now()
  const shot: Shot = {
    number,
    id: null,
    startMs: sentAt - startedAt,
    ms: 0,
    status: null,
    error: null,
    limit: null,
    fault: null,
  }
  try {
    const { sent, response } = await send({ ...request, signal: AbortSignal.any([stopped, tooLong]) })
    const headers = sent.answer!.headers
    Object.assign(shot, {
      id: sent.id,
      status: response.status,
      limit: headerOf(headers, 'x-svc-limit'),
      fault: headerOf(headers, 'x-svc-fault'),
    })
    await drain(response.body)
  } catch (error) {
    if (stopped.aborted) return null
    if (tooLong.aborted) shot.error = 'timed out'
    else if (error instanceof UnreachableError) Object.assign(shot, { id: error.sent.id, error: 'no answer' })
    else if (shot.status !== null) shot.error = 'broken off'
    else throw error
  }
  shot.ms = performance.now() - sentAt
  return shot
}

async function drain(body: ReadableStream<Uint8Array> | null): Promise<void> {
  const reader = body?.getReader()
  while (reader && !(await reader.read()).done) {
    /* what comes is not looked at */
  }
}

/**
 * A page has few connections to an origin over HTTP/1.1, and what waits for one was not sent yet. The browser's own
 * timings leave that out; it tells them of the own origin, and of others that allow it (`Timing-Allow-Origin`).
 */
function observeTimings(name: string, startedAt: number, onTiming: LoadOptions['onTiming']): PerformanceObserver {
  const observer = new PerformanceObserver(list => {
    for (const entry of list.getEntries() as PerformanceResourceTiming[]) {
      const at = entry.name.lastIndexOf(`#${name}-`)
      if (at === -1 || entry.requestStart === 0 || entry.responseEnd === 0 || entry.redirectStart > 0) continue
      onTiming(Number(entry.name.slice(at + name.length + 2)), {
        startMs: entry.requestStart - startedAt,
        ms: entry.responseEnd - entry.requestStart,
      })
    }
  })
  observer.observe({ type: 'resource' })
  return observer
}

/** Waits, but not after the signal. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (ms <= 0 || signal.aborted) return Promise.resolve()
  return new Promise(resolve => {
    const end = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, ms)
    signal.addEventListener('abort', end)
  })
}
