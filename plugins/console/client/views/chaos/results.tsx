/** Results of the load test: figures, statuses, latencies over time, and what rejected requests. */
import { useMemo } from 'preact/hooks'
import type { ComponentChildren } from 'preact'
import { formatMs, formatNumber, reasonPhrase } from '../../lib/protocol/http.ts'
import { breakerBands, inOrder, reportOf, type Band, type Report, type Sender } from '../../lib/load/load-report.ts'
import { isPresenting } from '../../lib/shell/presenter.ts'
import { Badge, StatusBadge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Empty, Loading, Notice } from '../../ui/notice.tsx'
import { Panel } from '../../ui/view.tsx'
import { LatencyPlot, SampleMark, SAMPLE_CLASSES } from './latency-plot.tsx'
import { currentRun, isRunning, keptRun, stopRun, type Run } from './load-run.ts'

export function Results({ onStart }: { onStart(): void }) {
  const run = currentRun.value
  const kept = keptRun.value
  return (
    <Panel
      title="Results"
      class="chaos-results"
      actions={
        run !== null && (
          <>
            <StateBadge run={run} />
            {isRunning(run) && (
              <Button small icon="stop" kind="danger" onClick={stopRun}>
                Stop
              </Button>
            )}
            {!isRunning(run) && run !== kept && run.samples.length > 0 && (
              <Button
                small
                icon="pin"
                onClick={() => {
                  keptRun.value = run
                }}
              >
                Keep this run
              </Button>
            )}
            {kept !== null && (
              <Button
                small
                kind="quiet"
                icon="close"
                onClick={() => {
                  keptRun.value = null
                }}
              >
                Discard kept run
              </Button>
            )}
          </>
        )
      }
    >
      {run === null ? (
        <Empty title="No load test yet">
          <p>
            The plot shows each request with its start time and latency. You can keep a run and compare it with the next
            one.
          </p>
          <Button kind="primary" icon="play" onClick={onStart}>
            Run these settings
          </Button>
        </Empty>
      ) : (
        <RunView run={run} kept={kept} />
      )}
    </Panel>
  )
}

const STATES: Record<Run['state'], readonly [text: string, tone: 'accent' | 'good' | 'warn' | 'bad']> = {
  running: ['running', 'accent'],
  finishing: ['done, checking arrivals', 'accent'],
  done: ['done', 'good'],
  stopped: ['stopped', 'warn'],
  failed: ['failed', 'bad'],
}

function StateBadge({ run }: { run: Run }) {
  const [text, tone] = STATES[run.state]
  return <Badge tone={tone}>{text}</Badge>
}

function RunView({ run, kept }: { run: Run; kept: Run | null }) {
  const isFinal = run.state !== 'running' && run.state !== 'finishing'
  const report = useMemo(() => reportOf(run.samples, run.arrivals, isFinal), [run])
  // The kept run is the current one until the next run starts.
  const other = kept === run ? null : kept
  const otherReport = useMemo(() => other && reportOf(other.samples, other.arrivals, true), [other])
  const bands = useMemo(() => (isFinal ? breakerBands(run.samples, run.arrivals) : []), [run])
  if (run.samples.length === 0 && !isFinal) return <Loading what="Waiting for the first response" />
  return (
    <>
      {run.error !== null && <Notice kind="bad">{run.error}</Notice>}
      <Figures report={report} total={run.plan.total} other={otherReport} />
      <LatencyPlot
        samples={run.samples}
        kept={other?.samples ?? []}
        bands={bands}
        height={isPresenting.value ? 420 : 280}
        label={describe(report, bands)}
      />
      <Legend report={report} hasKept={other !== null} />
      {bands.length > 0 && <Bands bands={bands} />}
      <div class="chaos-tables">
        <section>
          <h3>Statuses</h3>
          <Histogram report={report} other={otherReport} />
        </section>
        <section>
          <h3>Rejected by</h3>
          <Senders report={report} />
        </section>
      </div>
    </>
  )
}

function describe({ count, latency }: Report, bands: readonly Band[]): string {
  const text =
    latency === null
      ? `${count} requests without a response`
      : `Latency of ${count} requests over time: median ${formatMs(latency.p50)}, maximum ${formatMs(latency.max)}`
  return bands.length === 0 ? text : `${text}; circuit breaker: ${bands.map(({ state }) => state).join(', ')}`
}

function Figures({ report, total, other }: { report: Report; total: number; other: Report | null }) {
  const figures: readonly (readonly [name: string, of: (report: Report) => ComponentChildren, title?: string])[] = [
    [
      'Completed',
      ({ count }) => (count === total ? formatNumber(count) : `${formatNumber(count)} of ${formatNumber(total)}`),
    ],
    [
      'Per second',
      ({ perSecond }) =>
        perSecond === null ? '–' : perSecond < 10 ? perSecond.toFixed(1) : formatNumber(Math.round(perSecond)),
    ],
    [
      'p50',
      ({ latency }) => (latency === null ? '–' : formatMs(latency.p50)),
      'Half of the responses arrived within this time',
    ],
    ['p90', ({ latency }) => (latency === null ? '–' : formatMs(latency.p90))],
    ['p99', ({ latency }) => (latency === null ? '–' : formatMs(latency.p99))],
    [
      'Errors',
      ({ errors }) => formatNumber(errors),
      'Requests without a complete response: no connection, aborted or timed out',
    ],
    [
      'Retries seen',
      ({ retries }) => (retries === null ? '–' : formatNumber(retries)),
      'Requests that reached the instance again after the first time, because a gateway or the browser retried them',
    ],
  ]
  return (
    <dl class="chaos-figures">
      {figures.map(([name, of, title]) => (
        <div key={name} title={title}>
          <dt>{name}</dt>
          <dd>{of(report)}</dd>
          {other && (
            <dd class="chaos-kept">
              <span class="off-screen">kept run: </span>
              {name === 'Completed' ? formatNumber(other.count) : of(other)}
            </dd>
          )}
        </div>
      ))}
    </dl>
  )
}

function Legend({ report, hasKept }: { report: Report; hasKept: boolean }) {
  const classes = [...new Set(report.histogram.map(({ sampleClass }) => sampleClass))]
  return (
    <ul class="chaos-legend" aria-label="Plot legend">
      {classes.map(sampleClass => (
        <li key={sampleClass}>
          <SampleMark sampleClass={sampleClass} />
          {SAMPLE_CLASSES[sampleClass].title}
        </li>
      ))}
      {hasKept && (
        <li>
          <svg class="chaos-mark" viewBox="-6 -6 12 12" aria-hidden="true">
            <circle r="4" fill="none" stroke="var(--text-2)" stroke-width="1.5" />
          </svg>
          kept run
        </li>
      )}
    </ul>
  )
}

function Bands({ bands }: { bands: readonly Band[] }) {
  return (
    <ol class="chaos-bands" aria-label="Circuit breaker">
      {bands.map(({ state, fromMs, toMs, count }, at) => (
        <li key={at} class={state}>
          <strong>{state}</strong> {(fromMs / 1000).toFixed(1)} to {(toMs / 1000).toFixed(1)} s{' '}
          <span class="quiet-text">
            {count} {count === 1 ? 'request' : 'requests'}
          </span>
        </li>
      ))}
    </ol>
  )
}

function Histogram({ report, other }: { report: Report; other: Report | null }) {
  const keys = new Map(
    [...report.histogram, ...(other?.histogram ?? [])].sort(inOrder).map(({ key, sampleClass }) => [key, sampleClass]),
  )
  const countIn = (of: Report | null, key: string) => of?.histogram.find(line => line.key === key)?.count ?? 0
  const most = Math.max(1, ...report.histogram.map(({ count }) => count))
  return (
    <table class="chaos-histogram" aria-label="Statuses">
      <thead class={other ? '' : 'off-screen'}>
        <tr>
          <th scope="col">Status</th>
          <th scope="col">
            <span class="off-screen">Share</span>
          </th>
          <th scope="col" class="number">
            Now
          </th>
          {other && (
            <th scope="col" class="number">
              Kept
            </th>
          )}
        </tr>
      </thead>
      <tbody>
        {[...keys].map(([key, sampleClass]) => (
          <tr key={key}>
            <th scope="row">
              <SampleMark sampleClass={sampleClass} />
              {key} <span class="quiet-text">{reasonPhrase(Number(key))}</span>
            </th>
            <td>
              <span
                class="chaos-bar"
                style={{
                  width: `${(countIn(report, key) / most) * 100}%`,
                  background: `var(${SAMPLE_CLASSES[sampleClass].color})`,
                }}
              />
            </td>
            <td class="number">{formatNumber(countIn(report, key))}</td>
            {other && <td class="number quiet-text">{formatNumber(countIn(other, key))}</td>}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function senderText({ who, detail }: Sender): ComponentChildren {
  switch (who) {
    case 'limit':
      return (
        <>
          svc: limit <code>{detail}</code>
        </>
      )
    case 'fault':
      return (
        <>
          svc: <code>X-Svc-Fail</code>
        </>
      )
    case 'instance':
      return 'svc: the endpoint'
    case 'gateway':
      return 'a gateway: the request did not reach svc'
    case 'replaced':
      return <>a gateway: svc returned {detail}</>
    case 'pending':
      return 'not reported by the instance yet'
    case 'unknown':
      return 'unknown: arrivals are not visible for this path or credential'
  }
}

function Senders({ report: { senders } }: { report: Report }) {
  if (senders.length === 0) return <p class="quiet-text">No responses with status 400 or above.</p>
  return (
    <table class="chaos-senders" aria-label="Rejected by">
      <thead class="off-screen">
        <tr>
          <th scope="col">Status</th>
          <th scope="col">Rejected by</th>
          <th scope="col">Responses</th>
        </tr>
      </thead>
      <tbody>
        {senders.map(({ status, sender, count }) => (
          <tr key={`${status} ${sender.who} ${sender.detail}`}>
            <th scope="row">
              <StatusBadge status={status} />
            </th>
            <td>{senderText(sender)}</td>
            <td class="number">{formatNumber(count)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
