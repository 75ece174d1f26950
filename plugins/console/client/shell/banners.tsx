/** What goes wrong for the whole page is told above the view. */
import { away, isOutdated, refresh, refused } from '../lib/instance/status.ts'
import { Button } from '../ui/button.tsx'
import { Notice } from '../ui/notice.tsx'

export function Banners() {
  return (
    <div class="banners">
      {away.value && (
        <Notice
          kind="bad"
          title="The instance does not answer"
          actions={
            <Button small onClick={() => void refresh()}>
              Try now
            </Button>
          }
        >
          What is on screen stays. Next try in {Math.ceil(away.value.retryInMs / 1000)} s.
        </Notice>
      )}
      {refused.value && (
        <Notice kind="warn" title={refused.value.title}>
          {refused.value.message}
        </Notice>
      )}
      {isOutdated.value && (
        <Notice
          title="The console itself has changed"
          actions={
            <Button small onClick={() => location.reload()}>
              Reload
            </Button>
          }
        >
          This page goes on with the version that it was loaded with.
        </Notice>
      )}
    </div>
  )
}
