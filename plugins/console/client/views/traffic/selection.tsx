/** The selected request, or two requests side by side. */
import { useRef } from 'preact/hooks'
import { ApiError, callJson } from '../../lib/instance/api.ts'
import { useLoad } from '../../lib/shell/hooks.ts'
import type { Entry } from '../../lib/protocol/http.ts'
import { go } from '../../lib/shell/router.ts'
import { settings } from '../../lib/shell/storage.ts'
import { Button } from '../../ui/button.tsx'
import { Loading, Notice } from '../../ui/notice.tsx'
import { RequestComparison } from '../request/comparison.tsx'
import { RequestDetail } from '../request/detail.tsx'

export interface SelectionProps {
  id: string
  /** The request to compare with; null: none. */
  other: string | null
  /** Entries that are on screen. */
  known: readonly Entry[]
  isPinned: boolean
  isChoosing: boolean
  onClose(): void
  onCompare(): void
  onPin(entry: Entry): void
}

const CHECK_MS = 5000

export function Selection({ id, other, known, isPinned, isChoosing, onClose, onCompare, onPin }: SelectionProps) {
  const first = useEntry(id, known)
  const second = useEntry(other, known)
  return (
    <section class="panel traffic-detail" aria-label="Request">
      {first.entry === null ? (
        <Missing {...first} onClose={onClose} />
      ) : second.entry !== null && other !== null ? (
        <RequestComparison first={first.entry} second={second.entry} onClose={onCompare} />
      ) : (
        <RequestDetail
          entry={first.entry}
          isGone={first.isGone}
          actions={
            <>
              <Button small icon="compare" aria-pressed={isChoosing} onClick={onCompare}>
                Compare
              </Button>
              <Button
                small
                icon="rules"
                onClick={() => go('rules', { method: first.entry!.method, path: first.entry!.path })}
              >
                Make a rule
              </Button>
              <Button small icon="pin" aria-pressed={isPinned} onClick={() => onPin(first.entry!)}>
                Pin
              </Button>
            </>
          }
          onClose={onClose}
        />
      )}
    </section>
  )
}

function Missing({ isGone, error, onClose }: { isGone: boolean; error: string | null; onClose(): void }) {
  return (
    <div class="panel-body">
      {isGone || error !== null ? (
        <Notice
          kind="warn"
          title={isGone ? 'This request is no longer stored' : "This request can't be shown"}
          actions={
            <Button small onClick={onClose}>
              Close
            </Button>
          }
        >
          {isGone ? 'It was cleared, or newer requests replaced it.' : error}
        </Notice>
      ) : (
        <Loading />
      )}
    </div>
  )
}

/** An entry, kept after the instance has dropped it (`isGone`). */
function useEntry(
  id: string | null,
  known: readonly Entry[],
): { entry: Entry | null; isGone: boolean; error: string | null } {
  const last = useRef<Entry | null>(null)
  const { session } = settings.value
  const { value, error } = useLoad(
    async signal => {
      if (id === null) return null
      try {
        return {
          stored: await callJson<Entry>(
            `_svc/requests/${encodeURIComponent(id)}${session === '' ? '' : `?session=${encodeURIComponent(session)}`}`,
            { signal },
          ),
        }
      } catch (reason) {
        if (reason instanceof ApiError && reason.status === 404) return { stored: null }
        throw reason
      }
    },
    [id],
    CHECK_MS,
  )
  const shown = known.find(entry => entry.id === id) ?? last.current ?? value?.stored ?? null
  // The feed sent it when it was stored; its response may have ended since.
  last.current = shown?.ended === 'open' ? (value?.stored ?? shown) : shown
  return { entry: last.current, isGone: value?.stored === null, error }
}
