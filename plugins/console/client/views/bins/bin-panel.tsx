/** One bin: its URL, a live list of captured requests, and one request in detail. */
import { useEffect } from 'preact/hooks'
import { call } from '../../lib/instance/api.ts'
import { formatBytes, formatTime } from '../../lib/protocol/http.ts'
import { send, urlAt } from '../../lib/instance/gateway.ts'
import { useAction } from '../../lib/shell/hooks.ts'
import { useKeys } from '../../lib/shell/keys.ts'
import { route, setParams } from '../../lib/shell/router.ts'
import { activeGateway } from '../../lib/shell/storage.ts'
import { Method } from '../../ui/badge.tsx'
import { Button, CopyButton } from '../../ui/button.tsx'
import { TryCommand } from '../../ui/code.tsx'
import { Empty, Notice } from '../../ui/notice.tsx'
import { DataTable, type Column } from '../../ui/table.tsx'
import { Facts, Panel } from '../../ui/view.tsx'
import { CapturedDetail } from './captured-detail.tsx'
import { useCaptured } from './feed.ts'
import type { BinSummary, Captured } from './types.ts'

const COLUMNS: readonly Column<Captured>[] = [
  { key: 'seq', title: '#', class: 'bins-seq number', cell: ({ seq }) => seq },
  { key: 'time', title: 'Time', class: 'bins-time', cell: ({ timestamp }) => formatTime(timestamp) },
  { key: 'method', title: 'Method', class: 'bins-method', cell: ({ method }) => <Method method={method} /> },
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
  {
    key: 'size',
    title: 'Body',
    class: 'bins-size number',
    cell: ({ body_size: size }) => (size === 0 ? '' : formatBytes(size)),
  },
]

export interface BinPanelProps {
  id: string
  /** Null: the bin belongs to another session or no longer exists. */
  summary: BinSummary | null
  onChange(): void
  onDeleted(): void
}

export function BinPanel({ id, summary, onChange, onDeleted }: BinPanelProps) {
  const { requests, state } = useCaptured(id)
  const number = Number(route.value.params.get('n'))
  const selected = requests.find(({ seq }) => seq === number) ?? null
  const path = `/bin/${id}`
  const gateway = activeGateway()
  const direct = urlAt(path, null)
  const test = useAction(async () => {
    await send({
      method: 'POST',
      path: `${path}/test?from=console`,
      headers: [{ name: 'Content-Type', value: 'application/json' }],
      body: JSON.stringify({ event: 'test', sent_at: new Date().toISOString() }),
    })
  })
  const remove = useAction(async () => {
    await call(path, { method: 'DELETE' })
    onDeleted()
  })
  useKeys({ Escape: () => (selected === null ? false : setParams({ n: null })) })
  const newest = requests[0]?.seq ?? 0
  useEffect(() => {
    if (newest > 0) onChange()
  }, [newest])

  return (
    <div class="bins-detail">
      <Panel
        title="Bin"
        actions={
          <>
            <Button small icon="send" busy={test.isRunning} onClick={() => void test.run()}>
              Send test request
            </Button>
            <Button small kind="danger" icon="trash" busy={remove.isRunning} onClick={() => void remove.run()}>
              Delete
            </Button>
          </>
        }
      >
        {[test.error, remove.error].map(error => error !== null && <Notice kind="bad">{error}</Notice>)}
        {state.kind === 'refused' && (
          <Notice kind="warn" title="This bin can't be read">
            {state.message}
          </Notice>
        )}
        <Facts
          items={[
            ['URL', <Address key="direct" url={direct} />],
            gateway !== null && [`Through ${gateway.name}`, <Address key="gateway" url={urlAt(path, gateway)} />],
            summary && ['Response', responseText(summary)],
            summary && ['Expires', new Date(summary.expires_at).toLocaleString()],
          ]}
        />
      </Panel>
      <div class={`bins-requests ${selected === null ? '' : 'with-request'}`}>
        <section class="panel bins-table" aria-label="Requests of the bin">
          <DataTable
            label="Captured requests"
            columns={COLUMNS}
            rows={requests}
            keyOf={({ id: key }) => key}
            selected={selected?.id ?? null}
            onSelect={({ seq }) => setParams({ n: String(seq) })}
            empty={
              <Empty title="Waiting for requests">
                <p>Requests to this URL, or to a path below it, appear here.</p>
                <TryCommand command={`curl ${direct} -d hello`} />
              </Empty>
            }
          />
        </section>
        {selected && <CapturedDetail captured={selected} onClose={() => setParams({ n: null })} />}
      </div>
    </div>
  )
}

function Address({ url }: { url: string }) {
  return (
    <span class="bins-address">
      <code>{url}</code>
      <CopyButton small text={url}>
        Copy URL
      </CopyButton>
    </span>
  )
}

function responseText({ response: { status, body, delay_ms: delay, headers } }: BinSummary): string {
  const parts = [
    String(status),
    body === null ? 'default body' : `custom body (${formatBytes(new TextEncoder().encode(body).length)})`,
  ]
  if (Object.keys(headers).length > 0) parts.push(Object.keys(headers).join(', '))
  if (delay > 0) parts.push(`after ${delay} ms`)
  return parts.join(', ')
}
