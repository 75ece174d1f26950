/** Reconciliation: what gateways reported next to what arrived. */
import { useState } from 'preact/hooks'
import { callJson } from '../lib/instance/api.ts'
import { formatNumber } from '../lib/protocol/http.ts'
import { useLoad } from '../lib/shell/hooks.ts'
import { hashOf, route, setParams } from '../lib/shell/router.ts'
import { settings } from '../lib/shell/storage.ts'
import { Badge, Method } from '../ui/badge.tsx'
import { Select, TextField } from '../ui/field.tsx'
import { Loading, Notice } from '../ui/notice.tsx'
import { Panel, ViewHeader } from '../ui/view.tsx'

interface Compared {
  trace_id: string | null
  request_id: string | null
  method: string | null
  path: string | null
  arrivals: string[]
  reports: string[]
  differ: { field: string; reported: string | number; arrived: string | number }[]
}

interface Reconciliation {
  requests: Compared[]
  only_reported: Compared[]
  only_arrived: Compared[]
  summary: { matched: number; differ: number; only_reported: number; only_arrived: number }
}

const REFRESH_MS = 3000
const SHOWN = 100
const WINDOWS = [
  { value: '60', label: 'Last minute' },
  { value: '600', label: 'Last 10 minutes' },
  { value: '3600', label: 'Last hour' },
]

export default function ReportsView() {
  const params = route.value.params
  const windowS = params.get('window') ?? '600'
  const [session, setSession] = useState(params.get('session') ?? settings.value.session)
  const query = new URLSearchParams({ window_s: windowS, limit: String(SHOWN), ...(session === '' ? {} : { session }) })
  const { value, error, isLoading } = useLoad(
    signal => callJson<Reconciliation>(`_svc/telemetry/reconcile?${query}`, { signal }),
    [windowS, session],
    REFRESH_MS,
  )
  return (
    <>
      <ViewHeader
        title="Reconciliation"
        about="What gateways reported in logs and spans, next to the requests that arrived here."
      />
      <div class="row reports-choice">
        <Select label="Time" value={windowS} options={WINDOWS} onValue={chosen => setParams({ window: chosen })} />
        <TextField
          label="Session"
          hint="Empty: all sessions"
          value={session}
          mono
          onValue={text => {
            setSession(text)
            setParams({ session: text === '' ? null : text })
          }}
        />
      </div>
      {error !== null && <Notice kind="bad">{error}</Notice>}
      {value === undefined ? isLoading && <Loading /> : <Result {...value} />}
    </>
  )
}

function Result({ requests, only_reported: reported, only_arrived: arrived, summary }: Reconciliation) {
  const differing = requests.filter(({ differ }) => differ.length > 0)
  const equal = requests.filter(({ differ }) => differ.length === 0)
  return (
    <>
      <p class="reports-summary" role="status">
        <Badge tone="good">{formatNumber(summary.matched - summary.differ)} agree</Badge>{' '}
        <Badge tone={summary.differ > 0 ? 'bad' : 'good'}>{formatNumber(summary.differ)} differ</Badge>{' '}
        <Badge tone={summary.only_reported > 0 ? 'bad' : 'good'}>
          {formatNumber(summary.only_reported)} only reported
        </Badge>{' '}
        <Badge tone={summary.only_arrived > 0 ? 'warn' : 'good'}>
          {formatNumber(summary.only_arrived)} only arrived
        </Badge>
      </p>
      <Requests title="Differ" requests={differing} empty="Every report agrees with what arrived." />
      <Requests title="Only reported" requests={reported} empty="Every reported request arrived." />
      <Requests title="Only arrived" requests={arrived} empty="Every request that arrived was reported." />
      <Requests title="Agree" requests={equal} empty="No request was reported and arrived so far." />
    </>
  )
}

function Requests({ title, requests, empty }: { title: string; requests: readonly Compared[]; empty: string }) {
  return (
    <Panel title={title}>
      {requests.length === 0 ? (
        <p class="quiet-text">{empty}</p>
      ) : (
        <div class="plain-table-scroll" tabIndex={0} role="group" aria-label={`${title}, scrollable`}>
          <table class="plain-table reports-table" aria-label={title}>
            <thead>
              <tr>
                <th scope="col">Request</th>
                <th scope="col">Id</th>
                <th scope="col">Reports</th>
                <th scope="col">Arrivals</th>
                <th scope="col">Reported, arrived</th>
              </tr>
            </thead>
            <tbody>
              {requests.map(request => (
                <Row key={request.arrivals[0] ?? request.reports[0]} {...request} />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Panel>
  )
}

function Row({ method, path, request_id: requestId, trace_id: traceId, arrivals, reports, differ }: Compared) {
  return (
    <tr>
      <th scope="row">
        {method !== null && <Method method={method} />} <code>{path ?? 'unknown path'}</code>
      </th>
      <td>
        <code>{requestId ?? traceId}</code>
      </td>
      <td>{reports.length}</td>
      <td>
        {arrivals.map((id, index) => (
          <a key={id} class="reports-arrival" href={hashOf('traffic', { id })}>
            {index + 1}
          </a>
        ))}
        {arrivals.length === 0 && 'none'}
      </td>
      <td>
        {differ.map(({ field, reported, arrived }) => (
          <div key={field}>
            {field}: <code>{reported}</code>, <code>{arrived}</code>
          </div>
        ))}
      </td>
    </tr>
  )
}
