/** Banners above the view for problems that concern the whole page. */
import { formatAge } from '../lib/protocol/http.ts'
import { outage, isOutdated, refresh, rejection, status } from '../lib/instance/status.ts'
import { Button } from '../ui/button.tsx'
import { Notice } from '../ui/notice.tsx'

export function Banners() {
  const store = status.value?.state_store ?? null
  return (
    <div class="banners">
      {outage.value && (
        <Notice
          kind="bad"
          title="The instance is not responding"
          actions={
            <Button small onClick={() => void refresh()}>
              Retry now
            </Button>
          }
        >
          This page keeps its current content. Retrying in {Math.ceil(outage.value.retryInMs / 1000)} s.
        </Notice>
      )}
      {store !== null && !store.up && outage.value === null && (
        <Notice kind="warn" title={`The state store is unavailable (${formatAge(store.since)})`}>
          The page shows requests of one replica only. Routes that need shared state respond with 503.
        </Notice>
      )}
      {rejection.value && (
        <Notice kind="warn" title={rejection.value.title}>
          {rejection.value.message}
        </Notice>
      )}
      {isOutdated.value && (
        <Notice
          title="A new version of the console is available"
          actions={
            <Button small onClick={() => location.reload()}>
              Reload
            </Button>
          }
        >
          This page is still running the previous version.
        </Notice>
      )}
    </div>
  )
}
