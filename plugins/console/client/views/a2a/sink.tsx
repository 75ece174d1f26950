/** Notifications that the push sink of the instance received. */
import { callJson } from '../../lib/instance/api.ts'
import { useLoad } from '../../lib/shell/hooks.ts'
import { formatTime } from '../../lib/protocol/http.ts'
import { Badge } from '../../ui/badge.tsx'
import { Fold } from '../../ui/fold.tsx'
import { HeaderList } from '../../ui/header-list.tsx'
import { JsonTree } from '../../ui/json-tree.tsx'
import { Empty, Loading, Notice } from '../../ui/notice.tsx'
import { Panel } from '../../ui/view.tsx'
import { readState } from './wire.ts'

interface Notification {
  receivedAt: string
  source: string
  headers: Record<string, string>
  body: unknown
}

const REFRESH_MS = 1500

export const sinkPath = (id: string): string => `/a2a/webhook-sink/${id}`

export function SinkPanel({ id }: { id: string }) {
  const { value, error } = useLoad(
    signal => callJson<{ notifications: Notification[] }>(sinkPath(id), { signal }),
    [id],
    REFRESH_MS,
  )
  return (
    <Panel title="Push sink" actions={<code>{sinkPath(id)}</code>}>
      {error !== null && <Notice kind="bad">{error}</Notice>}
      {value === undefined ? (
        error === null && <Loading />
      ) : value.notifications.length === 0 ? (
        <Empty title="No notifications yet">Updates appear here for tasks started with this option.</Empty>
      ) : (
        <ol class="a2a-pushed" aria-label="Notifications">
          {value.notifications.toReversed().map(({ receivedAt, source, headers, body }) => (
            <li key={receivedAt + JSON.stringify(body)}>
              <Fold
                title={
                  <>
                    <span class="number quiet-text">{formatTime(receivedAt)}</span> {titleOf(body)}{' '}
                    <Badge>{source}</Badge>
                  </>
                }
              >
                {() => (
                  <>
                    <HeaderList
                      label="Headers of the notification"
                      headers={Object.entries(headers).map(([name, content]) => ({ name, value: content }))}
                    />
                    <JsonTree value={body} depth={3} />
                  </>
                )}
              </Fold>
            </li>
          ))}
        </ol>
      )}
    </Panel>
  )
}

function titleOf(body: unknown): string {
  const { statusUpdate, artifactUpdate, status } = (body ?? {}) as {
    statusUpdate?: { status?: { state?: string } }
    artifactUpdate?: { artifact?: { name?: string } }
    status?: { state?: string }
  }
  if (artifactUpdate) return `artifact ${artifactUpdate.artifact?.name ?? ''}`
  return `status ${readState(statusUpdate?.status?.state ?? status?.state ?? 'unknown')}`
}
