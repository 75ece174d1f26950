/** Waits until more can be written to a stream whose reader is slow. */
import type { EventEmitter } from 'node:events'

/** A response of HTTP/1.1 or HTTP/2, or another stream. */
export interface Drainable extends Pick<EventEmitter, 'on' | 'off'> {
  readonly destroyed?: boolean
  /** Of an HTTP/2 response. */
  readonly stream?: { readonly destroyed: boolean }
}

/** The longest that a writer waits for a client that reads nothing. */
const MAX_STALL_MS = 60_000

/** Whether nothing can be written to a stream any more. */
export function isGone({ destroyed, stream }: Drainable): boolean {
  return destroyed === true || stream?.destroyed === true
}

/**
 * Call it after a `write` that returned false. Resolves with true when more can be written. Resolves with false if the stream
 * has closed, or if its reader took nothing for `stallMs` milliseconds: its writer then gives up and destroys it. `Infinity`
 * is for a stream that something else closes if it stalls.
 */
export function drained(stream: Drainable, stallMs = MAX_STALL_MS): Promise<boolean> {
  if (isGone(stream)) return Promise.resolve(false)
  return new Promise(resolve => {
    const end = (canWrite: boolean): void => {
      clearTimeout(timer)
      stream.off('drain', drain)
      stream.off('close', giveUp)
      resolve(canWrite)
    }
    const drain = (): void => end(true)
    const giveUp = (): void => end(false)
    const timer = stallMs === Infinity ? undefined : setTimeout(giveUp, stallMs)
    stream.on('drain', drain)
    stream.on('close', giveUp)
  })
}
