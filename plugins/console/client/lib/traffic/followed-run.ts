/** Follows a run on this server by its events, until the event `end`. */
import { useEffect, useState } from 'preact/hooks'
import { call } from '../instance/api.ts'
import { readEvents } from '../protocol/sse.ts'
import { keepFollowing } from './feed.ts'

/** What a page knows of a run; `error`: why it failed, or why it cannot be followed. */
interface Followed {
  state: string
  error: string | null
}

/**
 * The run as its events arrive; null without a run. `path`: that of its events. `nothing`: what is known before the first event.
 * `afterEvent` gets the data of an event as parsed JSON. The last two must be the same at each call.
 */
export function useFollowedRun<Run extends Followed, Data>(
  path: string | null,
  nothing: Run,
  afterEvent: (run: Run, event: string, data: Data) => Run,
): Run | null {
  const [run, setRun] = useState<Run>(nothing)
  useEffect(() => {
    setRun(nothing)
    if (path === null) return
    let next = nothing
    let frame = 0
    // Events of a finished run arrive all at once.
    const change = (changed: Run): void => {
      next = changed
      cancelAnimationFrame(frame)
      frame = requestAnimationFrame(() => setRun(next))
    }
    let lastId = '0'
    const feed = keepFollowing(async (isLive, signal) => {
      const response = await call(path, {
        headers: { Accept: 'text/event-stream', 'Last-Event-ID': lastId },
        signal,
      })
      isLive()
      for await (const { event, id, data } of readEvents(response.body!)) {
        lastId = id ?? lastId
        if (event === undefined || data === '') continue
        change(afterEvent(next, event, JSON.parse(data) as Data))
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
  }, [path])
  return path === null ? null : run
}
