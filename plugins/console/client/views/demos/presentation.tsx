/**
 * The presenter's page: one step at a time, by the keyboard alone. A step is explained first; the space bar sends it, and once more goes on
 * to the next one.
 */
import { useEffect, useRef, useState } from 'preact/hooks'
import { callJson } from '../../lib/instance/api.ts'
import { announce } from '../../lib/shell/announce.ts'
import { useLoad } from '../../lib/shell/hooks.ts'
import { useKeys } from '../../lib/shell/keys.ts'
import { isPresenting } from '../../lib/shell/presenter.ts'
import { go, route, setParams } from '../../lib/shell/router.ts'
import { Button } from '../../ui/button.tsx'
import { Loading, Notice } from '../../ui/notice.tsx'
import { RunProblem } from '../request/run-problem.tsx'
import { BothSides } from './both-sides.tsx'
import { StepChart } from './chart.tsx'
import { Diagram } from './diagram.tsx'
import { RunReports } from './page.tsx'
import { DemoText, Results, VerdictBadge, withVariables } from './parts.tsx'
import { useDemoRun } from './run.ts'
import { isOver, isTapOpen } from './run-state.ts'
import { currentSetup, DIRECT, runBody } from './setup.ts'
import { VERDICT_WORDS, type StepText, type Verdict, type WholeDemo } from './types.ts'

export function Presentation({ name }: { name: string }) {
  const loaded = useLoad(signal => callJson<WholeDemo>(`_svc/demos/${encodeURIComponent(name)}`, { signal }), [name])
  useEffect(() => {
    const before = isPresenting.peek()
    isPresenting.value = true
    return () => {
      isPresenting.value = before
    }
  }, [])
  return (
    <>
      {loaded.error !== null && <Notice kind="bad">{loaded.error}</Notice>}
      {loaded.value === undefined && loaded.isLoading && <Loading />}
      {loaded.value !== undefined && <Stage demo={loaded.value} />}
    </>
  )
}

function Stage({ demo }: { demo: WholeDemo }) {
  const { params } = route.value
  const setup = currentSetup()
  const runId = params.get('run')
  const run = useDemoRun(runId)
  const controlId = params.get('control')
  const control = useDemoRun(controlId)
  const [problem, setProblem] = useState<unknown>(null)
  const last = demo.steps.length
  const number = Math.min(Math.max(1, Number(params.get('step')) || 1), last)
  const step = run?.steps[number] ?? null
  const written = demo.steps[number - 1]!
  const ask = step?.ask ?? askOf(written)
  /** The step that is sent as soon as the run waits for it. */
  const wanted = useRef<number | null>(null)

  const post = (path: string, json?: object): Promise<{ id: string }> =>
    callJson(`_svc/demos/runs${path}`, { method: 'POST', admin: true, ...(json === undefined ? {} : { json }) })
  const attempt = async (act: () => Promise<unknown>): Promise<void> => {
    setProblem(null)
    try {
      await act()
    } catch (error) {
      wanted.current = null
      setProblem(error)
    }
  }
  const show = (next: number): void => setParams({ step: String(Math.min(Math.max(1, next), last)) })
  const leave = (): void => {
    const [target, set, tap, id] = [params.get('target'), params.get('set'), params.get('tap'), runId]
    if (run !== null && !isOver(run)) void attempt(() => post(`/${runId}/stop`))
    go(`demos/${demo.demo}`, { target, set, tap, run: id })
  }

  async function start(more: object = {}): Promise<void> {
    // What a step asks of a person is done while the run waits for it.
    wanted.current = ask === null ? number : null
    await attempt(async () => {
      if (run !== null && !isOver(run)) await post(`/${runId}/stop`)
      const { id } = await post('', runBody(demo.demo, setup, { stepwise: true, step: number, ...more }))
      setParams({ run: id })
    })
  }

  // The run waits before each step; one that was sent begins.
  const isWaiting = run?.state === 'waiting' && run.step === wanted.current
  useEffect(() => {
    if (!isWaiting) return
    wanted.current = null
    void attempt(() => post(`/${runId}/next`))
  }, [isWaiting, runId])

  const isShown = step !== null && step.state !== 'waiting'
  const isRunning = step?.state === 'running'
  function forward(): void {
    if (isRunning || wanted.current !== null) return
    if (isShown) {
      if (number < last) show(number + 1)
      return
    }
    // A run that is over, or has passed this step, begins again here.
    if (run === null || isOver(run) || run.step !== number) return void start()
    wanted.current = null
    void attempt(() => post(`/${runId}/next`))
  }

  async function compare(): Promise<void> {
    if (isRunning) return
    if (controlId !== null) return setParams({ control: null })
    await attempt(async () => {
      const { id } = await post('', runBody(demo.demo, { ...setup, target: DIRECT }, { yes: true }))
      setParams({ control: id })
    })
  }

  useKeys({
    ' ': forward,
    ArrowRight: forward,
    b: () => show(number - 1),
    ArrowLeft: () => show(number - 1),
    r: () => void start(),
    c: () => void compare(),
    Escape: leave,
  })
  useEffect(() => {
    if (step?.verdict != null) announce(`Step ${number}: ${VERDICT_WORDS[step.verdict]}`)
  }, [step?.verdict, number])

  const values = { ...demo.variables, ...setup.set }
  const text = (one: string | undefined): string => withVariables(one ?? '', values)
  return (
    <div class="present">
      <header class="present-head">
        <h1 tabIndex={-1}>{demo.title}</h1>
        <p>
          Step {number} of {last}
        </p>
      </header>
      <section class="present-step" aria-labelledby="present-title">
        <h2 id="present-title">{step?.title ?? text(written.title)}</h2>
        <DemoText text={step?.say || text(written.say)} class="present-say" />
        {ask !== null && !isShown && <DemoText text={text(ask)} class="present-ask" />}
        {(step?.look || written.look) && <DemoText text={step?.look || text(written.look)} class="present-look" />}
      </section>
      <Diagram step={step} lanes={demo.lanes} isDirect={setup.target === DIRECT} />
      {step !== null && <StepChart step={step} />}
      {setup.isTapped && runId !== null && run !== null && <BothSides id={runId} isOpen={isTapOpen(run)} />}
      {problem !== null && (
        <RunProblem
          section="demos"
          error={problem}
          url={setup.target}
          onRun={id => setParams({ run: id })}
          onAllow={() => void start({ allow_target: true })}
        />
      )}
      <div class="present-verdicts" role="status">
        {isRunning && <p class="present-verdict">Running…</p>}
        {step?.verdict != null && (
          <Outcome title={controlId === null ? '' : 'Through the gateway'} verdict={step.verdict} />
        )}
        {controlId !== null && (
          <Outcome title="Without the gateway" verdict={control?.steps[number]?.verdict ?? null} />
        )}
        {/* A run without any step, for example because the gateway does not forward. */}
        {step === null && run?.verdict === 'not-judged' && <Outcome title="" verdict="not-judged" />}
      </div>
      {step !== null && <Results results={step.results} />}
      {step === null && run?.reason != null && <p class="present-reason">{run.reason}</p>}
      {run?.error != null && <Notice kind="bad">{run.error}</Notice>}
      {controlId !== null && control !== null && <ControlResults {...{ number, control }} />}
      {run !== null && isOver(run) && run.verdict !== null && runId !== null && number === last && (
        <section class="present-summary" aria-label="Summary">
          <p>
            The demo: <VerdictBadge verdict={run.verdict} /> {run.reason}
          </p>
          <div class="actions">
            <RunReports id={runId} />
          </div>
        </section>
      )}
      <nav class="present-keys" aria-label="Presentation">
        <Button onClick={() => show(number - 1)} disabled={number === 1}>
          Back <kbd>b</kbd>
        </Button>
        <Button kind="primary" busy={isRunning} onClick={forward} disabled={isShown && number === last}>
          {isShown ? 'Next step' : 'Send'} <kbd>space</kbd>
        </Button>
        <Button onClick={() => void start()}>
          Again <kbd>r</kbd>
        </Button>
        <Button aria-pressed={controlId !== null} onClick={() => void compare()}>
          Without the gateway <kbd>c</kbd>
        </Button>
        <Button onClick={leave}>
          Leave <kbd>Esc</kbd>
        </Button>
      </nav>
    </div>
  )
}

function askOf({ ask }: StepText): string | null {
  return ask === undefined ? null : typeof ask === 'string' ? ask : ask.text
}

function Outcome({ title, verdict }: { title: string; verdict: Verdict | null }) {
  return (
    <p class={`present-verdict ${verdict ?? ''}`}>
      {title !== '' && <small>{title}: </small>}
      {verdict === null ? 'Running…' : VERDICT_WORDS[verdict]}
    </p>
  )
}

/** What the same step gave without the gateway. */
function ControlResults({ number, control }: { number: number; control: NonNullable<ReturnType<typeof useDemoRun>> }) {
  const step = control.steps[number]
  return (
    <section class="present-control" aria-label="Without the gateway">
      {control.error !== null && <Notice kind="bad">{control.error}</Notice>}
      {step !== undefined && <Results results={step.results} />}
      {step === undefined && control.reason !== null && <p>{control.reason}</p>}
    </section>
  )
}
