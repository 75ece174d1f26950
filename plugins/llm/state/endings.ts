/** Ends the open streams of a record when it is changed or removed: a background reply that is cancelled, for example. */
import type { Store, Svc } from 'svc/plugin'
import type { StreamEnding } from '../contract/stream.ts'

/** `isOver` says whether a changed record has no further events. */
export function createEndings<T>(
  svc: Pick<Svc<unknown>, 'whenClosed'>,
  store: Store<T>,
  isOver: (value: T) => boolean,
): (key: string) => StreamEnding {
  const waiting = new Map<string, Set<() => void>>()
  svc.whenClosed(
    store.subscribe(change => {
      if (change.kind === 'reset' || (change.kind === 'set' && !isOver(change.value))) return
      for (const stop of waiting.get(change.key) ?? []) stop()
    }),
  )
  return key => stop => {
    const stops = waiting.get(key) ?? new Set()
    waiting.set(key, stops.add(stop))
    return () => {
      stops.delete(stop)
      if (stops.size === 0) waiting.delete(key)
    }
  }
}
