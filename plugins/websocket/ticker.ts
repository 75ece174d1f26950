/** The ticker of `/ws/time`. */
import { integerParameter, type WebSocket } from 'svc/plugin'

export interface Ticks {
  intervalMs: number
  count: number
}

/** Reads the query and clamps values to their range; throws `invalid_parameter` if a value is not an integer. */
export function readTicks(query: URLSearchParams): Ticks {
  return {
    intervalMs: clamp(integerParameter(query, 'interval_ms', { fallback: 1000 }), 100, 60_000),
    count: clamp(integerParameter(query, 'count', { fallback: 10 }), 1, 1000),
  }
}

function clamp(value: number, min: number, max: number): number {
  return Math.min(Math.max(value, min), max)
}

/** Sends `{tick, timestamp}` at once and then at intervals, counting from 0; closes with 1000 after the last tick. */
export function tick(socket: WebSocket, { intervalMs, count }: Ticks): void {
  let next = 0
  const send = (): void => {
    socket.send(JSON.stringify({ tick: next, timestamp: new Date().toISOString() }))
    next++
    if (next < count) return
    clearInterval(timer)
    socket.close(1000, 'done')
  }
  const timer = setInterval(send, intervalMs)
  socket.once('close', () => clearInterval(timer))
  send()
}
