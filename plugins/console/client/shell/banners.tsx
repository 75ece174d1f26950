/** Banners above the view for problems that concern the whole page. */
import { outage, isOutdated, refresh, rejection } from '../lib/instance/status.ts'
import { Button } from '../ui/button.tsx'
import { Notice } from '../ui/notice.tsx'

export function Banners() {
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
