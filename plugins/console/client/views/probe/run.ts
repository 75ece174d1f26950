/** Follows a run of the probe on this server. */
import { useEffect, useState } from 'preact/hooks'
import { call } from '../../lib/instance/api.ts'
import { readEvents } from '../../lib/protocol/sse.ts'
import { keepFollowing } from '../../lib/traffic/feed.ts'
import type { Progress, Result } from './types.ts'

export interface FollowedRun {
  results: readonly Result[]
  total: number
  state: Progress['state']
  /** Why the run failed, or why it cannot be followed. */
  error: string | null
}

const NOTHING: FollowedRun = { results: [], total: 0, state: 'running', error: null }

/** The results of a run as they arrive; null without a run. */
export function useRun(id: string | null): FollowedRun | null {
  const [run, setRun] = useState<FollowedRun>(NOTHING)
  useEffect(() => {
    setRun(NOTHING)
    if (id === null) return
    let next = NOTHING
    let frame = 0
    // Events of a finished run arrive all at once.
    const change = (part: Partial<FollowedRun>): void => {
      next = { ...next, ...part }
      cancelAnimationFrame(frame)
      frame = requestAnimationFrame(() => setRun(next))
    }
    let lastId = '0'
    const feed = keepFollowing(async (isLive, signal) => {
      const response = await call(`_svc/probe/runs/${encodeURIComponent(id)}/events`, {
        headers: { Accept: 'text/event-stream', 'Last-Event-ID': lastId },
        signal,
      })
      isLive()
      for await (const { event, id: eventId, data } of readEvents(response.body!)) {
        lastId = eventId ?? lastId
        if (event === 'begin') change({ total: (JSON.parse(data) as { total: number }).total })
        if (event === 'check') change({ results: [...next.results, JSON.parse(data) as Result] })
        if (event !== 'end') continue
        const { state, error } = JSON.parse(data) as Pick<Progress, 'state' | 'error'>
        change({ state, error })
        feed.stop()
      }
    })
    const dispose = feed.state.subscribe(state => {
      if (state.kind === 'refused') change({ state: 'failed', error: state.message })
    })
    return () => {
      cancelAnimationFrame(frame)
      dispose()
      feed.stop()
    }
  }, [id])
  return id === null ? null : run
}
