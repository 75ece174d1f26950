export interface JoinedSignal {
  readonly signal: AbortSignal
  /** Call it when the work is over: sources that live longer keep nothing of it then. */
  release(): void
}

/**
 * A signal that aborts with the first of several. Use it instead of `AbortSignal.any` where a source outlives the work, such as
 * that of a connection: in Node 20 such a source keeps each signal that was derived from it, with its listeners, until it
 * aborts.
 */
export function joinSignals(...sources: readonly AbortSignal[]): JoinedSignal {
  const controller = new AbortController()
  const stops = sources.map(source => {
    const abort = (): void => controller.abort(source.reason)
    if (source.aborted) abort()
    else source.addEventListener('abort', abort, { once: true })
    return () => source.removeEventListener('abort', abort)
  })
  return {
    signal: controller.signal,
    release() {
      for (const stop of stops) stop()
    },
  }
}
