/** What the instance counted as the upstream: tokens and cost of the calls that it really sent. */
import { useState } from 'preact/hooks'
import { page } from '../../lib/instance/page.ts'
import { formatNumber, formatTime } from '../../lib/protocol/http.ts'
import { hashOf } from '../../lib/shell/router.ts'
import { Select } from '../../ui/field.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Empty, Loading, Notice } from '../../ui/notice.tsx'
import { Panel } from '../../ui/view.tsx'
import { csvUrl, useUsage, type CutCall, type Figures, type Grouping, type Usage, type UsageRow } from './usage.ts'

const GROUPINGS: { value: Grouping; label: string }[] = [
  { value: 'provider,model', label: 'Provider and model' },
  { value: 'key', label: 'Key' },
  { value: 'session', label: 'Session' },
]

export function UsagePanel() {
  const [grouping, setGrouping] = useState<Grouping>('provider,model')
  const { value, error } = useUsage(grouping)
  return (
    <Panel
      title="What the upstream counted"
      class="usage"
      actions={
        <a class="button small" href={csvUrl(grouping)} download="usage.csv">
          <Icon name="download" />
          CSV
        </a>
      }
    >
      {error !== null && <Notice kind="warn">{error}</Notice>}
      {value === undefined ? (
        error === null && <Loading />
      ) : value.usage.totals.requests === 0 ? (
        <Empty title="No calls yet">
          <p>
            Tokens and cost of every call appear here, as the instance really sent them: a cut stream counts in part.
          </p>
        </Empty>
      ) : (
        <>
          <Totals usage={value.usage} />
          <div class="row">
            <Select
              label="Group by"
              value={grouping}
              onValue={chosen => setGrouping(chosen as Grouping)}
              options={GROUPINGS.filter(({ value: group }) => !page.isPublic || group !== 'key')}
            />
          </div>
          <UsageTable rows={value.usage.rows} grouping={grouping} currency={value.usage.currency} />
          {value.cut.length > 0 && <CutStreams cut={value.cut} />}
        </>
      )}
    </Panel>
  )
}

function Totals({ usage: { totals, currency, open_streams: open } }: { usage: Usage }) {
  const items: [figure: string, label: string, isBad?: boolean][] = [
    [formatNumber(totals.requests), totals.requests === 1 ? 'call' : 'calls'],
    [formatNumber(totals.prompt_tokens), 'prompt tokens'],
    [formatNumber(totals.completion_tokens), 'completion tokens'],
    ...(totals.cost === null ? [] : [[costText(totals.cost), currency] as [string, string]]),
    ...(totals.errors > 0 ? [[formatNumber(totals.errors), 'errors', true] as [string, string, boolean]] : []),
    ...(totals.retries > 0 ? [[formatNumber(totals.retries), 'retries'] as [string, string]] : []),
    ...(totals.streams_cut > 0
      ? [[formatNumber(totals.streams_cut), 'cut streams', true] as [string, string, boolean]]
      : []),
    ...(open > 0 ? [[formatNumber(open), 'open streams'] as [string, string]] : []),
  ]
  return (
    <ul class="overview-figures" aria-label="Totals">
      {items.map(([figure, label, isBad]) => (
        <li key={label}>
          <strong class={isBad ? 'bad-text' : ''}>{figure}</strong>
          <span class="hint">{label}</span>
        </li>
      ))}
    </ul>
  )
}

function UsageTable({ rows, grouping, currency }: { rows: readonly UsageRow[]; grouping: Grouping; currency: string }) {
  const figures: [title: string, of: (row: Figures) => string][] = [
    ['Calls', row => formatNumber(row.requests)],
    ['Errors', row => formatNumber(row.errors)],
    ['Prompt', row => formatNumber(row.prompt_tokens)],
    ['Cached', row => formatNumber(row.cached_tokens)],
    ['Completion', row => formatNumber(row.completion_tokens)],
    [`Cost (${currency})`, row => (row.cost === null ? 'no price' : costText(row.cost))],
  ]
  return (
    <div class="plain-table-scroll" tabIndex={0} role="group" aria-label="Usage, scrollable">
      <table class="plain-table" aria-label="Usage">
        <thead>
          <tr>
            <th scope="col">{GROUPINGS.find(({ value }) => value === grouping)!.label}</th>
            {figures.map(([title]) => (
              <th key={title} scope="col" class="number">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(row => (
            <tr key={nameOf(row, grouping)}>
              <th scope="row">{nameOf(row, grouping)}</th>
              {figures.map(([title, of]) => (
                <td key={title} class="number">
                  {of(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

const ENDED_BY = { client: 'the client disconnected', fault: 'a fault', server: 'the instance' }

function CutStreams({ cut }: { cut: readonly CutCall[] }) {
  return (
    <section class="request-section" aria-labelledby="usage-cut">
      <h3 id="usage-cut">Cut streams</h3>
      <ul class="usage-cut" aria-label="Cut streams">
        {cut.map(({ id, at, provider, model, request_id: requestId, cut: place }) => (
          <li key={id}>
            <a href={hashOf('traffic', { filter: `id:${requestId}` })}>{formatTime(at).slice(0, -4)}</a>{' '}
            {[provider, model].filter(Boolean).join(', ')}: after {formatNumber(place.after_tokens)} of{' '}
            {formatNumber(place.of_tokens)} tokens ({formatNumber(place.after_events)}{' '}
            {place.after_events === 1 ? 'event' : 'events'}), ended by {ENDED_BY[place.by]}
          </li>
        ))}
      </ul>
    </section>
  )
}

function nameOf({ provider, model, key, key_id: keyId, session }: UsageRow, grouping: Grouping): string {
  if (grouping === 'session') return session ?? ''
  if (grouping === 'key') return [key, keyId].filter(Boolean).join(' ')
  return [provider, model ?? 'no model'].join(', ')
}

/** Enough digits for the cost of a single call. */
function costText(cost: number): string {
  return cost.toLocaleString('en-US', { maximumFractionDigits: cost < 1 ? 6 : 2 })
}
