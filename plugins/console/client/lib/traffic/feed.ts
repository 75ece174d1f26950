/** The live feed of captured requests: stored requests, then new ones. Resumes after a lost connection. */
import { signal, type ReadonlySignal } from '@preact/signals'
import { ApiError, call, callJson, explain } from '../instance/api.ts'
import { outage, suspectOutage } from '../instance/status.ts'
import { settings } from '../shell/storage.ts'
import { page } from '../instance/page.ts'
import { readEvents } from '../protocol/sse.ts'
import type { Entry } from '../protocol/http.ts'

export type FeedState =
  | { kind: 'connecting' }
  | { kind: 'live' }
  /** Reconnects after `retryInMs`. */
  | { kind: 'lost'; message: string; retryInMs: number }
  /** Rejected, so it does not reconnect. */
  | { kind: 'refused'; message: string }

export interface FeedOptions {
  /** Only requests with this path prefix. */
  pathPrefix?: string
  /** Only new requests. */
  isFromNow?: boolean
  /** Called with entries, oldest first; first with the stored ones. */
  onEntries(entries: Entry[]): void
}

export interface Feed {
  state: ReadonlySignal<FeedState>
  stop(): void
}

const MAX_RETRY_MS = 15_000
const MAX_STORED = 1000
/** An ID that no entry has: the feed then starts with all stored requests. */
const NONE = 'none'

/** Opens the feed and follows it until stopped. */
export function openFeed({ pathPrefix, isFromNow = false, onEntries }: FeedOptions): Feed {
  let lastId: string | null = null

  function query(more: Record<string, string> = {}): string {
    const params = new URLSearchParams(more)
    if (page.isPublic && settings.peek().session !== '') params.set('session', settings.peek().session)
    if (pathPrefix !== undefined) params.set('path_prefix', pathPrefix)
    return params.size === 0 ? '' : `?${params}`
  }

  async function follow(isLive: () => void, signal: AbortSignal): Promise<void> {
    if (lastId === null && !isFromNow) {
      const { requests } = await callJson<{ requests: Entry[] }>(
        `_svc/requests${query({ limit: String(MAX_STORED) })}`,
        { signal },
      )
      lastId = requests[0]?.id ?? NONE
      onEntries(requests.reverse())
    }
    const response = await call(`_svc/requests/stream${query()}`, {
      headers: { ...(lastId === null ? {} : { 'Last-Event-ID': lastId }), Accept: 'text/event-stream' },
      signal,
    })
    isLive()
    for await (const { event, id, data } of readEvents(response.body!)) {
      if (event !== 'request') continue
      lastId = id
      onEntries([JSON.parse(data) as Entry])
    }
  }

  return keepFollowing(follow)
}

/**
 * Runs `follow` repeatedly until stopped, with increasing pauses. `follow` calls `isLive` once connected, and may keep its
 * position between calls. A 4xx response other than 429 ends the feed.
 */
export function keepFollowing(follow: (isLive: () => void, signal: AbortSignal) => Promise<void>): Feed {
  const state = signal<FeedState>({ kind: 'connecting' })
  const stopped = new AbortController()
  let failures = 0
  const isLive = () => {
    failures = 0
    state.value = { kind: 'live' }
  }

  async function run(): Promise<void> {
    while (!stopped.signal.aborted) {
      let message = 'The feed has ended.'
      try {
        await follow(isLive, stopped.signal)
      } catch (error) {
        if (stopped.signal.aborted) return
        message = explain(error)
        if (error instanceof ApiError && error.status < 500 && error.status !== 429) {
          state.value = { kind: 'refused', message }
          return
        }
      }
      const retryInMs = Math.min(500 * 2 ** failures++, MAX_RETRY_MS)
      state.value = { kind: 'lost', message, retryInMs }
      suspectOutage()
      await pause(retryInMs, stopped.signal)
    }
  }

  void run()
  return { state, stop: () => stopped.abort() }
}

/** Waits, at most until the instance responds again or the signal aborts. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    let wasOut = false
    const end = (): void => {
      clearTimeout(timer)
      unsubscribe()
      signal.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, ms)
    signal.addEventListener('abort', end)
    const unsubscribe = outage.subscribe(now => {
      if (now === null && wasOut) queueMicrotask(end)
      wasOut = now !== null
    })
  })
}
