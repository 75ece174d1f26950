/** Events of a run as server-sent events. */
import { lastEventIdOf, parseInteger } from 'svc/toolkit'
import type { FastifyRequest, SseStream } from 'svc/plugin'
import type { ServerRun } from './server-run.ts'

/** Sends the events behind that number, and those to come; the stream ends after `end`. */
export function sendEvents(run: ServerRun, stream: SseStream, after: number): void {
  let next = after
  let isWaiting = false
  const pump = (): void => {
    while (!isWaiting && next < run.events.length && !stream.closed) {
      const event = run.events[next++]!
      if (stream.send(event)) continue
      isWaiting = true
      void stream.ready().then(() => {
        isWaiting = false
        pump()
      })
    }
    if (!isWaiting && run.events.at(-1)?.event === 'end') stream.end()
  }
  const stop = run.follow(pump)
  void stream.over.then(stop)
  pump()
}

/** The number of events that the client has, from the header or else the query. */
export function lastEventId(request: FastifyRequest): number {
  return parseInteger(lastEventIdOf(request)) ?? 0
}
