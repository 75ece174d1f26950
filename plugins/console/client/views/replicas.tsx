/** Replicas: the processes that share the state of the deployment, and the health that they report. */
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { call, callJson } from '../lib/instance/api.ts'
import { shortId } from '../lib/instance/short-id.ts'
import { refresh, status } from '../lib/instance/status.ts'
import { formatDuration, formatMs, formatNumber } from '../lib/protocol/http.ts'
import { useAction, useLoad } from '../lib/shell/hooks.ts'
import { hashOf } from '../lib/shell/router.ts'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { Switch } from '../ui/field.tsx'
import { Loading, Notice } from '../ui/notice.tsx'
import { Facts, Panel, ViewHeader } from '../ui/view.tsx'

interface Replica {
  /** Its name, such as the one of the pod. */
  replica: string
  instance_id: string
  hostname: string | null
  version: string
  git_sha: string | null
  started_at: string
  seen_ms_ago: number
  healthy: boolean
  generation: number
  streams_open: number
  requests_total: number
  /** The replica that sent this list. */
  self: boolean
}

interface Store {
  up: boolean
  since: string
  host: string | null
  prefix: string
  latency_ms: number | null
  version: string | null
}

interface Replicas {
  leader: string | null
  store: Store | null
  replicas: Replica[]
}

const REFRESH_MS = 2000

export default function ReplicasView() {
  const list = useLoad(signal => callJson<Replicas>('_svc/replicas', { signal }), [], REFRESH_MS)
  return (
    <>
      <ViewHeader
        title="Replicas"
        about="The processes behind this address. They share captured requests, sessions and switches through a state store."
      />
      {list.error !== null && <Notice kind="bad">{list.error}</Notice>}
      {list.value === undefined ? (
        list.isLoading && <Loading />
      ) : (
        <>
          <div class="replicas-top">
            <HealthOfAll onChanged={list.reload} />
            <StorePanel store={list.value.store} />
          </div>
          <Panel title={`Replicas (${list.value.replicas.length})`}>
            <ReplicaTable {...list.value} />
          </Panel>
        </>
      )}
    </>
  )
}

function HealthOfAll({ onChanged }: { onChanged(): Promise<void> }) {
  const [switched, setSwitched] = useState<{ instance_id: string; healthy: boolean } | null>(null)
  const change = useAction(async (healthy: boolean, scope: 'all' | 'replica') => {
    const response = await call(`health/${healthy ? 'healthy' : 'unhealthy'}?scope=${scope}`, {
      method: 'POST',
      headers: { Accept: 'application/json' },
      admin: true,
    })
    setSwitched(scope === 'all' ? null : ((await response.json()) as { instance_id: string; healthy: boolean }))
    await Promise.all([refresh(), onChanged()])
  })
  return (
    <Panel title="Health">
      <Switch
        label="All replicas are healthy"
        checked={status.value?.healthy ?? true}
        busy={change.isRunning}
        onChecked={healthy => void change.run(healthy, 'all')}
      />
      <div class="actions">
        <Button small disabled={change.isRunning} onClick={() => void change.run(false, 'replica')}>
          Make one replica unhealthy
        </Button>
        <Button small disabled={change.isRunning} onClick={() => void change.run(true, 'replica')}>
          Make one healthy
        </Button>
      </div>
      <p class="hint" role="status">
        {switched === null
          ? 'One: the replica to which this request is balanced. A gateway ejects it, and the others go on.'
          : `${shortId(switched.instance_id)} is now ${switched.healthy ? 'healthy' : 'unhealthy'}.`}
      </p>
      {change.error && <Notice kind="bad">{change.error}</Notice>}
    </Panel>
  )
}

function StorePanel({ store }: { store: Store | null }) {
  return (
    <Panel title="State store">
      {store === null ? (
        <p>
          No store is configured, so each process has its own state. Set <code>SVC_STATE_STORE</code> to share it.
        </p>
      ) : (
        <Facts
          items={[
            ['State', store.up ? <Badge tone="good">available</Badge> : <Badge tone="bad">unavailable</Badge>],
            ['Since', new Date(store.since).toLocaleString()],
            store.host !== null && ['Host', <code key="host">{store.host}</code>],
            ['Prefix', <code key="prefix">{store.prefix}</code>],
            store.latency_ms !== null && ['Latency', formatMs(store.latency_ms)],
            store.version !== null && ['Version', store.version],
          ]}
        />
      )}
    </Panel>
  )
}

interface Column {
  title: string
  cell(replica: Replica): ComponentChildren
}

const COLUMNS: readonly Column[] = [
  {
    title: 'Health',
    cell: ({ healthy }) => <Badge tone={healthy ? 'good' : 'bad'}>{healthy ? 'healthy' : 'unhealthy'}</Badge>,
  },
  {
    title: 'Version',
    cell: ({ version, git_sha: sha }) => (
      <>
        {version} {sha && <code>{sha.slice(0, 10)}</code>}
      </>
    ),
  },
  {
    title: 'Running for',
    cell: ({ started_at: at }) => formatDuration((Date.now() - Date.parse(at)) / 1000),
  },
  { title: 'Last heartbeat', cell: ({ self, seen_ms_ago: ms }) => (self ? 'now' : `${formatMs(ms)} ago`) },
  { title: 'Generation', cell: ({ generation }) => generation },
  { title: 'Streams', cell: ({ streams_open: count }) => formatNumber(count) },
  { title: 'Requests', cell: ({ requests_total: count }) => formatNumber(count) },
]

function ReplicaTable({ replicas, leader }: Replicas) {
  return (
    <div class="plain-table-scroll" tabIndex={0} role="group" aria-label="Replicas, scrollable">
      <table class="plain-table replica-table" aria-label="Replicas">
        <thead>
          <tr>
            {['Name', ...COLUMNS.map(({ title }) => title)].map(title => (
              <th key={title} scope="col">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {replicas.map(replica => (
            <tr key={replica.instance_id}>
              <th scope="row">
                {replica.replica} {replica.self && <Badge tone="accent">this response</Badge>}{' '}
                {replica.instance_id === leader && (
                  <Badge title="Runs the tasks that only one replica may run">leader</Badge>
                )}
                <br />
                <a href={hashOf('traffic', { filter: `replica:${replica.instance_id}` })}>
                  <code>{shortId(replica.instance_id)}</code>
                </a>
              </th>
              {COLUMNS.map(({ title, cell }) => (
                <td key={title} data-title={title}>
                  {cell(replica)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
