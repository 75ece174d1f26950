/** Paces a stream: sends one event at once, then one per interval. */
import type { BodyStream } from 'svc/plugin'

/**
 * Calls `sendNext` at once and then every `intervalMs` milliseconds, and ends the stream when it returns false, after the
 * last event. Waits until the client has read the previous event, so a slow client delays the stream instead of filling
 * memory; the interval restarts then. Stops when the client disconnects.
 */
export function pace(stream: BodyStream, intervalMs: number, sendNext: () => boolean): void {
  let timer: NodeJS.Timeout | undefined
  // Counted from the time the last event was due, not from when it was sent, so that delays do not add up.
  let dueAt = performance.now()
  const step = (): void => {
    if (stream.closed) return
    if (!sendNext()) return stream.end()
    void stream.ready().then(wait)
  }
  const wait = (): void => {
    if (stream.closed) return
    const now = performance.now()
    dueAt = Math.max(dueAt + intervalMs, now)
    if (intervalMs === 0) setImmediate(step)
    else timer = setTimeout(step, dueAt - now)
  }
  void stream.over.then(() => clearTimeout(timer))
  step()
}
