/** Numbered events of work that goes on, such as a run, as server-sent events. */
import type { FastifyRequest } from 'fastify'
import { lastEventIdOf, parseInteger } from '../contract/input.ts'
import type { SseStream } from '../contract/streams.ts'

export interface FollowedEvents {
  /** In order; the ids count from 1. The last one is `end`. */
  readonly events: readonly { id: number; event: string; data: unknown }[]
  /** Calls the listener on each event. Returns a function that removes it. */
  follow(listener: () => void): () => void
}

/** Sends the events behind that number, and those to come; the stream ends after `end`. */
export function sendFollowedEvents(source: FollowedEvents, stream: SseStream, after: number): void {
  let next = after
  let isWaiting = false
  const pump = (): void => {
    while (!isWaiting && next < source.events.length && !stream.closed) {
      const event = source.events[next++]!
      if (stream.send(event)) continue
      isWaiting = true
      void stream.ready().then(() => {
        isWaiting = false
        pump()
      })
    }
    if (!isWaiting && source.events.at(-1)?.event === 'end') stream.end()
  }
  const stop = source.follow(pump)
  void stream.over.then(stop)
  pump()
}

/** The number of events that the client has, from the header or else the query. */
export function lastEventNumber(request: FastifyRequest): number {
  return parseInteger(lastEventIdOf(request)) ?? 0
}
