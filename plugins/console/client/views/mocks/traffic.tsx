/** Requests to a mock and its responses, live. */
import { effect } from '@preact/signals'
import { useEffect, useState } from 'preact/hooks'
import { call, callJson } from '../../lib/instance/api.ts'
import { keepFollowing, type FeedState } from '../../lib/traffic/feed.ts'
import { useAction } from '../../lib/shell/hooks.ts'
import { formatMs, formatTime } from '../../lib/protocol/http.ts'
import { page } from '../../lib/instance/page.ts'
import { hashOf } from '../../lib/shell/router.ts'
import { readEvents } from '../../lib/protocol/sse.ts'
import { settings } from '../../lib/shell/storage.ts'
import { Badge, Method, StatusBadge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Code } from '../../ui/code.tsx'
import { HeaderList } from '../../ui/header-list.tsx'
import { JsonTree } from '../../ui/json-tree.tsx'
import { Empty, Notice } from '../../ui/notice.tsx'
import { DataTable, type Column } from '../../ui/table.tsx'
import { Facts, Panel } from '../../ui/view.tsx'
import type { MockRecord, MockRequest } from './types.ts'

const MAX_KEPT = 200

const COLUMNS: readonly Column<MockRequest>[] = [
  { key: 'time', title: 'Time', class: 'mocks-time', cell: ({ timestamp }) => formatTime(timestamp) },
  { key: 'method', title: 'Method', class: 'mocks-method', cell: ({ method }) => <Method method={method} /> },
  {
    key: 'path',
    title: 'Path',
    cell: ({ path, query }) => (
      <span class="mono">
        {path}
        {query !== null && <span class="quiet-text">?{query}</span>}
      </span>
    ),
  },
  { key: 'status', title: 'Status', class: 'mocks-status', cell: ({ status }) => <StatusBadge status={status} /> },
  {
    key: 'source',
    title: 'Answered by',
    class: 'mocks-source',
    cell: ({ source, violations }) => (
      <>
        {source}
        {violations.length > 0 && (
          <>
            {' '}
            <Badge tone="warn">{violations.length} invalid</Badge>
          </>
        )}
      </>
    ),
  },
]

/** Stored requests, then new ones as they arrive; newest first. */
function useRequests(name: string): { requests: readonly MockRequest[]; state: FeedState; clear(): void } {
  const [requests, setRequests] = useState<readonly MockRequest[]>([])
  const [state, setState] = useState<FeedState>({ kind: 'connecting' })
  useEffect(() => {
    const query =
      page.isPublic && settings.peek().session !== '' ? `?session=${encodeURIComponent(settings.peek().session)}` : ''
    const add = (fresh: readonly MockRequest[]) =>
      setRequests(known => {
        const ids = new Set(known.map(({ id }) => id))
        return [...fresh.filter(({ id }) => !ids.has(id)), ...known].slice(0, MAX_KEPT)
      })
    const feed = keepFollowing(async (isLive, signal) => {
      const response = await call(`_svc/mocks/${name}/requests/stream${query}`, {
        headers: { Accept: 'text/event-stream' },
        signal,
      })
      // Loaded after the feed is open, so that no request is missed in between.
      add(
        (
          await callJson<{ requests: MockRequest[] }>(
            `_svc/mocks/${name}/requests${query === '' ? '?' : `${query}&`}limit=${MAX_KEPT}`,
            { signal },
          )
        ).requests,
      )
      isLive()
      for await (const { event, data } of readEvents(response.body!))
        if (event === 'request') add([JSON.parse(data) as MockRequest])
    })
    const stop = effect(() => setState(feed.state.value))
    return () => {
      stop()
      feed.stop()
    }
  }, [name, settings.value.session])
  return { requests, state, clear: () => setRequests([]) }
}

export function Traffic({ mock }: { mock: MockRecord }) {
  const { requests, state, clear } = useRequests(mock.name)
  const [selected, setSelected] = useState<string | null>(null)
  const request = requests.find(({ id }) => id === selected)
  const forget = useAction(async () => {
    await callJson(`_svc/mocks/${mock.name}/requests`, { method: 'DELETE', admin: true })
    clear()
  })
  return (
    <Panel
      title="Requests to the mock"
      actions={
        <Button
          small
          kind="danger"
          icon="trash"
          busy={forget.isRunning}
          disabled={requests.length === 0}
          onClick={() => void forget.run()}
        >
          Clear
        </Button>
      }
    >
      {state.kind === 'refused' && <Notice kind="warn">{state.message}</Notice>}
      {forget.error !== null && <Notice kind="bad">{forget.error}</Notice>}
      <div class="mocks-table">
        <DataTable
          label="Requests to the mock"
          columns={COLUMNS}
          rows={requests}
          keyOf={({ id }) => id}
          selected={selected}
          onSelect={({ id }) => setSelected(id)}
          empty={
            <Empty title="Waiting for requests">
              Requests to <code>{mock.url}</code> appear here, including those that match no operation.
            </Empty>
          }
        />
      </div>
      {request && <Detail request={request} />}
    </Panel>
  )
}

function Detail({ request }: { request: MockRequest }) {
  const {
    request_id: requestId,
    operation,
    version,
    source,
    rule,
    violations,
    latency_ms: ms,
    client_ip: ip,
    session,
  } = request
  return (
    <section class="mocks-request" aria-label="Request">
      <Facts
        items={[
          ['Operation', operation === null ? 'no match' : <code key="operation">{operation}</code>],
          [
            'Answered by',
            `${source}${rule === null ? '' : `, rule ${rule}`}, version ${version}, after ${formatMs(ms)}`,
          ],
          [
            'From',
            <span key="from">
              <code>{ip}</code>
              {session !== null && (
                <>
                  {' '}
                  in session <code>{session}</code>
                </>
              )}
              , <a href={hashOf('traffic', { id: requestId })}>in the live traffic</a>
            </span>,
          ],
        ]}
      />
      {violations.length > 0 && (
        <section class="mocks-issues">
          <h3>Validation errors</h3>
          <JsonTree value={violations} />
        </section>
      )}
      <div class="mocks-pair">
        <section class="mocks-issues">
          <h3>Request</h3>
          <HeaderList label="Request headers" headers={request.headers} />
          {request.body !== null && <Code label="Request body" text={request.body} wrap />}
        </section>
        <section class="mocks-issues">
          <h3>Response</h3>
          <HeaderList label="Response headers" headers={request.response.headers} />
          {request.response.body !== null && <Code label="Response body" text={request.response.body} wrap />}
        </section>
      </div>
    </section>
  )
}
