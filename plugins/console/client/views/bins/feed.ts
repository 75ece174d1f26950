/** Requests that a bin captured, newest first: first the stored ones, then new ones as they arrive. */
import { effect } from '@preact/signals'
import { useEffect, useState } from 'preact/hooks'
import { call } from '../../lib/instance/api.ts'
import { keepFollowing, type FeedState } from '../../lib/traffic/feed.ts'
import { readEvents } from '../../lib/protocol/sse.ts'
import { settings } from '../../lib/shell/storage.ts'
import type { Captured } from './types.ts'

/** Capacity of a bin. */
const MAX_KEPT = 100

export function useCaptured(id: string): { requests: readonly Captured[]; state: FeedState } {
  const [requests, setRequests] = useState<readonly Captured[]>([])
  const [state, setState] = useState<FeedState>({ kind: 'connecting' })

  useEffect(() => {
    // With id 0, the feed starts with all stored requests.
    let lastId = '0'
    const feed = keepFollowing(async (isLive, signal) => {
      const response = await call(`bin/${encodeURIComponent(id)}/requests/stream`, {
        headers: { 'Last-Event-ID': lastId, Accept: 'text/event-stream' },
        signal,
      })
      isLive()
      for await (const event of readEvents(response.body!)) {
        if (event.event !== 'request') continue
        lastId = event.id
        const captured = JSON.parse(event.data) as Captured
        setRequests(known => [captured, ...known].slice(0, MAX_KEPT))
      }
    })
    const stop = effect(() => setState(feed.state.value))
    return () => {
      stop()
      feed.stop()
    }
  }, [id, settings.value.session])

  return { requests, state }
}
