/** One demo: what to prepare at the gateway, its configuration, variables, and a run. */
import { useState } from 'preact/hooks'
import { call, callJson } from '../../lib/instance/api.ts'
import { useAction, useLoad } from '../../lib/shell/hooks.ts'
import { go, hashOf, route, setParams } from '../../lib/shell/router.ts'
import { Button } from '../../ui/button.tsx'
import { Code } from '../../ui/code.tsx'
import { Checkbox, TextField } from '../../ui/field.tsx'
import { Empty, Loading, Notice } from '../../ui/notice.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { Panel, ViewHeader } from '../../ui/view.tsx'
import { ReportLinks } from '../../ui/report-links.tsx'
import { RunProblem } from '../request/run-problem.tsx'
import { BothSides } from './both-sides.tsx'
import { DemoText, StepList, VerdictBadge, withVariables } from './parts.tsx'
import { useDemoRun } from './run.ts'
import { type FollowedRun, isOver, isTapOpen } from './run-state.ts'
import { currentSetup, DIRECT, keepSetup, runBody, type Setup } from './setup.ts'
import type { Variable, WholeDemo } from './types.ts'

export function DemoPage({ name }: { name: string }) {
  const loaded = useLoad(signal => callJson<WholeDemo>(`_svc/demos/${encodeURIComponent(name)}`, { signal }), [name])
  const demo = loaded.value
  const runId = route.value.params.get('run')
  const run = useDemoRun(runId)
  return (
    <>
      <ViewHeader title={demo?.title ?? 'Demo'} about={demo?.shows}>
        <a class="button" href={hashOf('demos')}>
          All demos
        </a>
      </ViewHeader>
      {loaded.error !== null && <Notice kind="bad">{loaded.error}</Notice>}
      {demo === undefined && loaded.isLoading && <Loading />}
      {demo !== undefined && demo.reason !== null && (
        <Notice kind="warn" title="Not available">
          {demo.reason}
        </Notice>
      )}
      {demo !== undefined && (
        <div class="demo-split">
          <div class="stack">
            <StartForm demo={demo} runId={run !== null && !isOver(run) ? runId : null} />
            <Preparation demo={demo} />
          </div>
          <Panel title="Run" actions={runId !== null && run !== null && isOver(run) && <RunReports id={runId} />}>
            {run === null ? <Steps demo={demo} /> : <RunResult run={run} />}
            {runId !== null && run !== null && currentSetup().isTapped && (
              <BothSides id={runId} isOpen={isTapOpen(run)} />
            )}
          </Panel>
        </div>
      )}
    </>
  )
}

function StartForm({ demo, runId }: { demo: WholeDemo; runId: string | null }) {
  const setup = currentSetup()
  const { target, set, isTapped } = setup
  const [control, setControl] = useState(false)
  const [isBusy, setBusy] = useState(false)
  const [problem, setProblem] = useState<unknown>(null)
  const isDirect = target === DIRECT

  async function start(isAllowed = false): Promise<void> {
    setBusy(true)
    setProblem(null)
    try {
      const more = { control: control && !isDirect, yes: true, ...(isAllowed ? { allow_target: true } : {}) }
      const json = runBody(demo.demo, setup, more)
      const { id } = await callJson<{ id: string }>('_svc/demos/runs', { method: 'POST', admin: true, json })
      setParams({ run: id })
    } catch (error) {
      setProblem(error)
    }
    setBusy(false)
  }

  const stop = useAction(() => callJson(`_svc/demos/runs/${runId}/stop`, { method: 'POST', admin: true }))
  const present = (): void => {
    const params = route.value.params
    go(`demos/${demo.demo}/present`, { target: params.get('target'), set: params.get('set'), tap: params.get('tap') })
  }
  return (
    <Panel title="Start">
      <form
        class="stack"
        onSubmit={event => {
          event.preventDefault()
          void start()
        }}
      >
        <TextField
          mono
          label="Gateway URL"
          value={isDirect ? '' : target}
          onValue={value => keepSetup({ target: value })}
          disabled={isDirect}
          placeholder="http://localhost:8000"
          hint="The gateway has to forward to this instance."
        />
        <Checkbox
          label="Without a gateway"
          checked={isDirect}
          onChecked={isChosen => {
            setParams({ target: isChosen ? DIRECT : null })
          }}
          hint={`What one would see without the feature: ${demo.control === 'seen' ? 'seen' : 'not seen'}.`}
        />
        <Variables demo={demo} set={set} />
        {!isDirect && (
          <>
            <Checkbox label="Compare with a run without the gateway" checked={control} onChecked={setControl} />
            <Checkbox
              label="Watch both sides"
              checked={isTapped}
              onChecked={is => keepSetup({ isTapped: is })}
              hint="A client, for example a coding agent, reaches the gateway through this instance."
            />
          </>
        )}
        <div class="actions">
          <Button kind="primary" icon="presenter" disabled={!demo.available || target.trim() === ''} onClick={present}>
            Present
          </Button>
          <Button
            icon="play"
            type="submit"
            busy={isBusy}
            disabled={!demo.available || runId !== null || target.trim() === ''}
          >
            Run all steps
          </Button>
          <Button kind="danger" icon="stop" disabled={runId === null} onClick={() => void stop.run()}>
            Stop
          </Button>
        </div>
        {problem !== null && (
          <RunProblem
            section="demos"
            error={problem}
            url={target}
            onRun={id => setParams({ run: id })}
            onAllow={() => void start(true)}
          />
        )}
      </form>
    </Panel>
  )
}

function Variables({ demo, set }: { demo: WholeDemo; set: Setup['set'] }) {
  const change = (name: string, value: Variable): void => {
    const next = { ...set, [name]: value }
    if (value === demo.variables[name] || value === '') delete next[name]
    keepSetup({ set: next })
  }
  return (
    <>
      {Object.entries(demo.variables).map(([name, fallback]) => {
        const value = set[name] ?? fallback
        if (typeof fallback === 'boolean')
          return <Checkbox key={name} label={name} checked={value === true} onChecked={is => change(name, is)} />
        const isNumber = typeof fallback === 'number'
        return (
          <TextField
            key={name}
            mono
            label={name}
            type={isNumber ? 'number' : 'text'}
            {...(isNumber ? { step: 'any' } : {})}
            value={String(value)}
            onValue={text => change(name, isNumber && text !== '' ? Number(text) : text)}
          />
        )
      })}
    </>
  )
}

/** What to configure at the gateway, and the files that do it. */
function Preparation({ demo }: { demo: WholeDemo }) {
  const [through, setThrough] = useState('http://localhost:8000')
  const [upstream, setUpstream] = useState('http://svc:8080')
  const gateways = Object.entries(demo.gateways)
  const { set } = currentSetup()
  const text = withVariables(demo.presenter, { ...demo.variables, ...set })
  return (
    <Panel title="Prepare the gateway">
      <div class="stack">
        <DemoText text={text} />
        {demo.lanes.length > 0 && (
          <p>
            Upstreams of the gateway, all of them this instance:{' '}
            {demo.lanes.map((lane, index) => (
              <span key={lane}>
                {index > 0 && ', '}
                <code>{`/s/lane-${lane}`}</code>
              </span>
            ))}
          </p>
        )}
        {gateways.length > 0 && (
          <>
            <div class="stack">
              <TextField mono label="Gateway listens at" value={through} onValue={setThrough} />
              <TextField mono label="It reaches svc at" value={upstream} onValue={setUpstream} />
            </div>
            <Tabs
              label="Configurations"
              tabs={gateways.flatMap(([gateway, files]) =>
                (['snippet', 'compose'] as const)
                  .filter(kind => files[kind] !== null)
                  .map(kind => ({
                    key: `${gateway}-${kind}`,
                    title: kind === 'snippet' ? gateway : `${gateway}, Compose`,
                    content: () => (
                      <Configuration
                        key={`${gateway}-${kind}`}
                        path={`_svc/demos/${encodeURIComponent(demo.demo)}/gateways/${encodeURIComponent(gateway)}`}
                        query={{ through, upstream, ...(kind === 'compose' ? { compose: 'true' } : {}) }}
                        note={files.note}
                      />
                    ),
                  })),
              )}
            />
          </>
        )}
      </div>
    </Panel>
  )
}

function Configuration({ path, query, note }: { path: string; query: Record<string, string>; note: string | null }) {
  const address = `${path}?${new URLSearchParams(query)}`
  const loaded = useLoad(async signal => (await call(address, { signal })).text(), [address])
  return (
    <div class="stack">
      {note !== null && <DemoText text={note} />}
      {loaded.error !== null && <Notice kind="bad">{loaded.error}</Notice>}
      {loaded.value !== undefined && <Code text={loaded.value} label="configuration" />}
    </div>
  )
}

function Steps({ demo }: { demo: WholeDemo }) {
  const values = { ...demo.variables, ...currentSetup().set }
  return (
    <>
      <Empty title="No run yet">
        <p>These are the steps.</p>
      </Empty>
      <ol class="demo-steps">
        {demo.steps.map(({ title, say = '' }, index) => (
          <li key={index}>
            <h3>
              {index + 1}. {withVariables(title, values)}
            </h3>
            <DemoText text={withVariables(say, values)} />
          </li>
        ))}
      </ol>
    </>
  )
}

function RunResult({ run }: { run: FollowedRun }) {
  return (
    <div class="stack" role="status">
      {run.error !== null && <Notice kind="bad">{run.error}</Notice>}
      {run.verdict !== null && (
        <p class="demo-verdict">
          <VerdictBadge verdict={run.verdict} /> {run.reason ?? 'All that had to be seen was seen.'}
        </p>
      )}
      {run.control !== null && (
        <p>
          Without the gateway: <VerdictBadge verdict={run.control.verdict} />
          {run.control.verdict === run.control.wanted ? ', as it must be' : ', which the demo does not expect'}
        </p>
      )}
      {!isOver(run) && <Loading what={`Step ${run.step ?? 1}`} />}
      <StepList run={run} />
    </div>
  )
}

const FORMATS = [
  { title: 'HTML', path: '/report.html', type: 'text/html', file: 'report.html' },
  { title: 'JUnit', path: '/report.xml', type: 'application/xml', file: 'report.xml' },
  { title: 'JSON', path: '', type: 'application/json', file: 'report.json' },
] as const

export function RunReports({ id }: { id: string }) {
  return <ReportLinks run={`_svc/demos/runs/${encodeURIComponent(id)}`} formats={FORMATS} />
}
