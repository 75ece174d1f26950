/** Follows a run of a demo on this server. */
import { useEffect, useState } from 'preact/hooks'
import { call } from '../../lib/instance/api.ts'
import { readEvents } from '../../lib/protocol/sse.ts'
import { keepFollowing } from '../../lib/traffic/feed.ts'
import { afterEvent, NOTHING, type EventData, type FollowedRun } from './run-state.ts'

/** The run as its events arrive; null without a run. */
export function useDemoRun(id: string | null): FollowedRun | null {
  const [run, setRun] = useState<FollowedRun>(NOTHING)
  useEffect(() => {
    setRun(NOTHING)
    if (id === null) return
    let next = NOTHING
    let frame = 0
    // Events of a finished run arrive all at once.
    const change = (changedRun: FollowedRun): void => {
      next = changedRun
      cancelAnimationFrame(frame)
      frame = requestAnimationFrame(() => setRun(next))
    }
    let lastId = '0'
    const feed = keepFollowing(async (isLive, signal) => {
      const response = await call(`_svc/demos/runs/${encodeURIComponent(id)}/events`, {
        headers: { Accept: 'text/event-stream', 'Last-Event-ID': lastId },
        signal,
      })
      isLive()
      for await (const { event, id: eventId, data } of readEvents(response.body!)) {
        lastId = eventId ?? lastId
        if (event === undefined || data === '') continue
        change(afterEvent(next, event, JSON.parse(data) as EventData))
        if (event === 'end') feed.stop()
      }
    })
    const dispose = feed.state.subscribe(state => {
      if (state.kind === 'refused') change({ ...next, state: 'failed', error: state.message })
    })
    return () => {
      cancelAnimationFrame(frame)
      dispose()
      feed.stop()
    }
  }, [id])
  return id === null ? null : run
}
