/** Gateway report: runs the checks of the probe against a gateway, and shows what the gateway changed, with evidence. */
import { useRef, useState } from 'preact/hooks'
import { callJson } from '../lib/instance/api.ts'
import { formatTime } from '../lib/protocol/http.ts'
import { useLoad } from '../lib/shell/hooks.ts'
import { route, setParams } from '../lib/shell/router.ts'
import { Button } from '../ui/button.tsx'
import { Select } from '../ui/field.tsx'
import { Empty, Notice } from '../ui/notice.tsx'
import { Panel, ViewHeader } from '../ui/view.tsx'
import { ReportLinks } from '../ui/report-links.tsx'
import { ChecksTable, Counters, isChanged, VerdictBadge } from './probe/checks-table.tsx'
import { Evidence } from './probe/evidence.tsx'
import { readReportFile } from './probe/report-file.ts'
import { RunForm } from './probe/run-form.tsx'
import { useRun } from './probe/run.ts'
import { keyOf, VERDICTS, type Progress, type Report, type Result } from './probe/types.ts'

interface OpenedReport {
  name: string
  report: Report
}

export default function GatewayReport() {
  const { params } = route.value
  const [opened, setOpened] = useState<OpenedReport | null>(null)
  const [base, setBase] = useState<OpenedReport | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const runId = opened === null ? params.get('run') : null
  const run = useRun(runId)
  const selected = params.get('check')
  const isRunning = run?.state === 'running'
  const runs = useLoad(signal => callJson<{ runs: Progress[] }>('_svc/probe/runs', { signal }), [runId, run?.state])
  // The events have no messages; the report has them, once the run has ended.
  const report = useLoad(
    async signal =>
      runId === null || isRunning ? null : callJson<Report>(`_svc/probe/runs/${encodeURIComponent(runId)}`, { signal }),
    [runId, isRunning],
  )
  const finished = opened?.report.results ?? report.value?.results
  const results: readonly Result[] = finished === undefined ? (run?.results ?? []) : findingsFirst(finished)
  const result = results.find(one => keyOf(one) === selected)
  const before = base && new Map(base.report.results.map(one => [keyOf(one), one.verdict] as const))
  const last = run?.results.findLast(({ verdict }) => ['fail', 'warn', 'flaky'].includes(verdict))

  async function take(file: File | undefined, use: (report: OpenedReport) => void): Promise<void> {
    if (file === undefined) return
    const read = await readReportFile(file)
    setProblem(typeof read === 'string' ? read : null)
    if (typeof read !== 'string') use({ name: file.name, report: read })
  }
  const open = (read: OpenedReport) => {
    setOpened(read)
    setParams({ run: null, check: null })
  }
  const show = (id: string) => {
    setOpened(null)
    setParams({ run: id, check: null })
  }

  return (
    <>
      <ViewHeader
        title="Gateway report"
        about="Sends requests through a gateway to this instance, and compares what was sent, arrived, was answered and came back."
      >
        <ReportFileButton onFile={file => void take(file, open)}>Open a report</ReportFileButton>
        <ReportFileButton onFile={file => void take(file, setBase)}>Compare with</ReportFileButton>
      </ViewHeader>
      {problem !== null && <Notice kind="bad">{problem}</Notice>}
      {run?.error != null && (
        <Notice kind="bad" title="The run failed">
          {run.error}
        </Notice>
      )}
      <div class="probe-split">
        <div class="stack">
          <RunForm runningId={isRunning ? runId : null} onStarted={show} />
          {(runs.value?.runs.length ?? 0) > 0 && (
            <Panel title="Earlier runs" class="not-presented">
              <Select
                label="Run"
                value={runId ?? ''}
                onValue={show}
                options={[
                  ...(runId === null ? [{ value: '', label: 'Choose a run' }] : []),
                  ...runs.value!.runs.map(({ id, target, started_at: at, state }) => ({
                    value: id,
                    label: `${formatTime(at).slice(0, -4)} ${target}, ${state}`,
                  })),
                ]}
              />
            </Panel>
          )}
        </div>
        <Panel
          title={opened === null ? 'Checks' : `Checks of ${opened.name}`}
          actions={
            runId !== null &&
            !isRunning && <ReportLinks run={`_svc/probe/runs/${encodeURIComponent(runId)}`} formats={FORMATS} />
          }
        >
          {run === null && opened === null ? (
            <Empty title="No run yet">
              <p>Start one, or open a report.json that svc probe wrote.</p>
            </Empty>
          ) : (
            <>
              {isRunning && (
                <p role="status">
                  {run.results.length} of {run.total === 0 ? 'the' : run.total} checks
                </p>
              )}
              <Counters results={results} />
              {last && isRunning && (
                <p class="probe-last">
                  <VerdictBadge verdict={last.verdict} /> {last.title}: {last.summary}
                </p>
              )}
              {base !== null && (
                <p class="actions">
                  Compared with {base.name}: {results.filter(one => isChanged(one, before)).length} different
                  <Button small icon="close" onClick={() => setBase(null)}>
                    Stop comparing
                  </Button>
                </p>
              )}
              <ChecksTable
                results={results}
                before={before}
                selected={selected}
                onSelect={key => setParams({ check: key === selected ? null : key })}
              />
            </>
          )}
        </Panel>
        {result && <Evidence result={result} isRunning={isRunning} />}
      </div>
    </>
  )
}

function findingsFirst(results: readonly Result[]): Result[] {
  return results.toSorted((a, b) => VERDICTS.indexOf(a.verdict) - VERDICTS.indexOf(b.verdict))
}

function ReportFileButton({ onFile, children }: { onFile(file: File | undefined): void; children: string }) {
  const chooser = useRef<HTMLInputElement>(null)
  return (
    <>
      <input
        ref={chooser}
        type="file"
        accept=".json"
        hidden
        aria-label={`${children}: file`}
        onChange={event => {
          onFile(event.currentTarget.files?.[0])
          event.currentTarget.value = ''
        }}
      />
      <Button onClick={() => chooser.current?.click()}>{children}</Button>
    </>
  )
}

const FORMATS = [
  { title: 'JSON', path: '', type: 'application/json', file: 'report.json' },
  { title: 'HTML', path: '/report.html', type: 'text/html', file: 'report.html' },
] as const
