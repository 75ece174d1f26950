/** Owns the rhythm of a stream that its server drives: one piece now, then one per interval. */
import type { BodyStream } from 'svc/plugin'

/**
 * Calls `sendNext` at once and then every `intervalMs` milliseconds, and ends the stream when it answers false: that was
 * the last. Nothing is made before the reader has taken what was sent, so a slow one delays the stream instead of
 * filling memory; when it is back the rhythm begins anew. Nothing is left running when the client leaves.
 */
export function pace(stream: BodyStream, intervalMs: number, sendNext: () => boolean): void {
  let timer: NodeJS.Timeout | undefined
  // Counted from when the last piece was due, not from when it was sent: lateness must not add up.
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
