/** Answers that were still being sent when the feed gave their entry: looked up again until they are over. */
import { effect } from '@preact/signals'
import { ApiError, callJson } from '../instance/api.ts'
import { settings } from '../shell/storage.ts'
import type { Entry } from '../protocol/http.ts'
import type { LiveEntries } from './live-entries.ts'

const CHECK_MS = 1000
/** The newest ones; each costs a look-up. */
const MAX_FOLLOWED = 20

/** Updates the open entries of the list until it is stopped; without open ones nothing is asked. */
export function followOpenAnswers(live: LiveEntries): () => void {
  const stopped = new AbortController()
  /** No longer stored: nothing more will be known of them. */
  const gone = new Set<string>()
  let timer: ReturnType<typeof setTimeout> | undefined

  const openIds = (): string[] =>
    live.entries.value
      .filter(({ id, ended }) => ended === 'open' && !gone.has(id))
      .slice(0, MAX_FOLLOWED)
      .map(({ id }) => id)

  async function check(): Promise<void> {
    for (const id of openIds()) {
      try {
        const entry = await lookUp(id, stopped.signal)
        if (entry.ended !== 'open') live.update(entry)
      } catch (error) {
        if (stopped.signal.aborted) return
        if (error instanceof ApiError && error.status === 404) gone.add(id)
      }
    }
    timer = undefined
    schedule()
  }

  function schedule(): void {
    if (timer === undefined && !stopped.signal.aborted && openIds().length > 0)
      timer = setTimeout(() => void check(), CHECK_MS)
  }

  const dispose = effect(schedule)
  return () => {
    dispose()
    stopped.abort()
    clearTimeout(timer)
  }
}

function lookUp(id: string, signal: AbortSignal): Promise<Entry> {
  const { session } = settings.peek()
  return callJson<Entry>(
    `_svc/requests/${encodeURIComponent(id)}${session === '' ? '' : `?session=${encodeURIComponent(session)}`}`,
    { signal },
  )
}
