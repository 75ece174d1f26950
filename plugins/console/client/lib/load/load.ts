/** Sends the requests of a load test with bounded concurrency, and times them, if possible by the browser. */
import { sleep } from '../../../../../core/toolkit/sleep.ts'
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
  /** Requests to start per second; null: as soon as the previous ones complete. */
  perSecond: number | null
  /** Milliseconds to a complete response. */
  timeoutMs: number
}

/** One request of a load test and its result. */
export interface Sample {
  /** From 0. */
  number: number
  /** Its `X-Svc-Console`; null if it timed out. */
  id: string | null
  /** Milliseconds since the load test started. */
  startMs: number
  /** Milliseconds from sending it to the last byte of the response. */
  ms: number
  /** Null: no response. */
  status: number | null
  /** Why there is no complete response. */
  error: string | null
  /** `X-Svc-Limit`: the limit of the instance that rejected the request. */
  limit: string | null
  /** `X-Svc-Fault`: the injected fault. */
  fault: string | null
}

export interface LoadOptions {
  /** Stops the load test immediately; requests in flight are aborted and not reported. */
  signal: AbortSignal
  onSample(sample: Sample): void
  /** More exact times from the browser; called after `onSample`. */
  onTiming(number: number, timing: Pick<Sample, 'startMs' | 'ms'>): void
}

/** Sends the requests of a plan. Throws if no request can be sent, for example because of an invalid header. */
export async function runLoad(plan: LoadPlan, { signal, onSample, onTiming }: LoadOptions): Promise<void> {
  const startedAt = performance.now()
  const name = randomId()
  const observer = observeTimings(name, startedAt, onTiming)
  let next = 0

  async function work(): Promise<void> {
    while (next < plan.total && !signal.aborted) {
      const number = next++
      if (plan.perSecond !== null)
        await sleep(startedAt + (number * 1000) / plan.perSecond - performance.now(), { signal })
      if (signal.aborted) return
      const sample = await sendSample(
        { ...plan.request, fragment: `${name}-${number}` },
        number,
        startedAt,
        plan.timeoutMs,
        signal,
      )
      if (sample !== null) onSample(sample)
    }
  }

  try {
    await Promise.all(Array.from({ length: Math.min(plan.inFlight, plan.total) }, work))
    // The browser reports the last timings shortly after the responses.
    await sleep(100, { signal })
  } finally {
    observer.disconnect()
  }
}

/** Null: the load test was stopped meanwhile. */
async function sendSample(
  request: OutgoingRequest,
  number: number,
  startedAt: number,
  timeoutMs: number,
  stopped: AbortSignal,
): Promise<Sample | null> {
  const tooLong = AbortSignal.timeout(timeoutMs)
  const sentAt = performance.now()
  const sample: Sample = {
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
    const headers = sent.response!.headers
    Object.assign(sample, {
      id: sent.id,
      status: response.status,
      limit: headerOf(headers, 'x-svc-limit'),
      fault: headerOf(headers, 'x-svc-fault'),
    })
    await drain(response.body)
  } catch (error) {
    if (stopped.aborted) return null
    if (tooLong.aborted) sample.error = 'timed out'
    else if (error instanceof UnreachableError) Object.assign(sample, { id: error.sent.id, error: 'no response' })
    else if (sample.status !== null) sample.error = 'incomplete response'
    else throw error
  }
  sample.ms = performance.now() - sentAt
  return sample
}

async function drain(body: ReadableStream<Uint8Array> | null): Promise<void> {
  const reader = body?.getReader()
  while (reader && !(await reader.read()).done) {
    /* discard the body */
  }
}

/**
 * Over HTTP/1.1 a page has few connections per origin, and requests wait for a free one. The timings of the browser
 * exclude this wait. It reports them for the page's origin, and for others that send `Timing-Allow-Origin`.
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
