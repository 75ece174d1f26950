/** Actions on the whole list: pause, save, clear. */
import { useState } from 'preact/hooks'
import { call } from '../../lib/instance/api.ts'
import { saveFile } from '../../lib/shell/clipboard.ts'
import type { FeedState } from '../../lib/traffic/feed.ts'
import { toHar } from '../../lib/traffic/har.ts'
import { useAction } from '../../lib/shell/hooks.ts'
import type { Entry } from '../../lib/protocol/http.ts'
import { rates } from '../../lib/traffic/live.ts'
import type { LiveEntries } from '../../lib/traffic/live-entries.ts'
import { page } from '../../lib/instance/page.ts'
import { settings } from '../../lib/shell/storage.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Notice } from '../../ui/notice.tsx'

export function TrafficActions({
  live,
  rows,
  feedState,
}: {
  live: LiveEntries
  rows: readonly Entry[]
  feedState: FeedState
}) {
  const { session } = settings.value
  const [asking, setAsking] = useState<'session' | 'all' | null>(null)
  const clear = useAction(async (mine: boolean) => {
    setAsking(null)
    await call(`_svc/requests${mine ? `?session=${encodeURIComponent(session)}` : ''}`, {
      method: 'DELETE',
      admin: !mine,
    })
    if (!mine) rates.clear()
    live.clear(mine ? entry => entry.session === session : undefined)
  })
  const isPaused = live.isPaused.value
  const held = live.held.value
  return (
    <>
      {clear.error && (
        <Notice
          kind="bad"
          actions={
            <Button small kind="quiet" icon="close" iconOnly onClick={clear.clearError}>
              Dismiss
            </Button>
          }
        >
          {clear.error}
        </Notice>
      )}
      <FeedBadge state={feedState} held={held} isPaused={isPaused} />
      <Button icon={isPaused ? 'play' : 'pause'} aria-pressed={isPaused} onClick={() => live.pause(!isPaused)}>
        Pause
      </Button>
      <Button
        class="not-presented"
        icon="download"
        disabled={rows.length === 0}
        onClick={() => saveFile('svc-traffic.har', 'application/json', JSON.stringify(toHar(rows), null, 2))}
      >
        Save HAR
      </Button>
      {session !== '' && (
        <Button class="not-presented" icon="trash" onClick={() => setAsking('session')}>
          Clear my session
        </Button>
      )}
      {!(page.isPublic && session !== '') && (
        <Button class="not-presented" icon="trash" kind="danger" onClick={() => setAsking('all')}>
          Clear
        </Button>
      )}
      {asking !== null && (
        <Dialog
          title="Delete captured requests"
          onClose={() => setAsking(null)}
          actions={
            <>
              <Button onClick={() => setAsking(null)}>Keep</Button>
              <Button
                kind="danger"
                icon="trash"
                busy={clear.isRunning}
                onClick={() => void clear.run(asking === 'session')}
              >
                Delete
              </Button>
            </>
          }
        >
          <p>
            {asking === 'session' ? (
              <>
                The instance deletes the requests of the session <code>{session}</code>.
              </>
            ) : (
              'The instance deletes all captured requests, for everybody who uses it.'
            )}{' '}
            This cannot be undone; Save HAR keeps a copy.
          </p>
        </Dialog>
      )}
    </>
  )
}

function FeedBadge({ state, held, isPaused }: { state: FeedState; held: number; isPaused: boolean }) {
  if (state.kind === 'lost' || state.kind === 'refused')
    return (
      <span class="feed-state bad" title={state.message}>
        <span class="dot bad" aria-hidden="true" />
        {state.kind === 'lost' ? 'connection lost, reconnecting' : state.message}
      </span>
    )
  if (isPaused || held > 0)
    return (
      <span class="feed-state">
        <span class="dot" aria-hidden="true" />
        {held === 0 ? 'paused' : `${held >= 1000 ? '1,000+' : held} waiting`}
      </span>
    )
  return (
    <span class="feed-state">
      <span class={`dot ${state.kind === 'live' ? 'good' : ''}`} aria-hidden="true" />
      {state.kind === 'live' ? 'live' : 'connecting'}
    </span>
  )
}
