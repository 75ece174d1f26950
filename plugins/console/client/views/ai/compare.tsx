/** Sends the same prompt to two models and shows responses and timings side by side. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { formatMs } from '../../lib/protocol/http.ts'
import { Composer } from '../../ui/composer.tsx'
import { Fold } from '../../ui/fold.tsx'
import { Empty, Notice } from '../../ui/notice.tsx'
import { Panel } from '../../ui/view.tsx'
import { formatRate, RunFacts, RunView } from './conversation.tsx'
import { Details } from './details.tsx'
import { ModelFields } from './model-fields.tsx'
import { NOT_STARTED, perform, speedOf } from './run.ts'
import { problemOf, type ModelTarget, type Prepared, type Provider, type Setup } from './setup.ts'
import type { Run, Turn } from './types.ts'

export interface CompareProps {
  /** The first prompt, to send with one key press; empty: none. */
  initialPrompt: string
  providers: readonly Provider[]
  targets: readonly [ModelTarget, ModelTarget]
  onTargets(targets: readonly [ModelTarget, ModelTarget]): void
  setup: Setup
  prepare(target: ModelTarget, turns: readonly Turn[]): Prepared
  code(target: ModelTarget, turns: readonly Turn[]): string
}

const NAMES = ['A', 'B'] as const

export function Compare({ initialPrompt, providers, targets, onTargets, setup, prepare, code }: CompareProps) {
  const [prompt, setPrompt] = useState('')
  const [runs, setRuns] = useState<readonly [Run | null, Run | null]>([null, null])
  const [problem, setProblem] = useState<string | null>(null)
  const running = useRef<AbortController | null>(null)
  useEffect(() => () => running.current?.abort(), [])
  const isRunning = runs.some(run => run?.state === 'waiting' || run?.state === 'receiving')

  function submit(text: string): void {
    const found = problemOf(setup)
    setProblem(found)
    if (found !== null) return
    const controller = new AbortController()
    running.current?.abort()
    running.current = controller
    setRuns([NOT_STARTED, NOT_STARTED])
    setPrompt(text)
    targets.forEach((target, side) => {
      const show = (run: Run) => {
        if (running.current === controller) setRuns(([a, b]) => (side === 0 ? [run, b] : [a, run]))
      }
      try {
        const { request, format } = prepare(target, [{ role: 'user', text }])
        void perform({ ...request, signal: controller.signal }, format, show)
      } catch (error) {
        show({ ...NOT_STARTED, state: 'failed', error: (error as Error).message })
      }
    })
  }

  return (
    <div class="ai-compare">
      <Panel title="Prompt" class="ai-prompt">
        {problem !== null && <Notice kind="bad">{problem}</Notice>}
        <Composer
          keeps
          initialText={initialPrompt}
          isRunning={isRunning}
          onSend={submit}
          onStop={() => running.current?.abort()}
        />
        {runs[0]?.state === 'done' && runs[1]?.state === 'done' && <ComparisonTable runs={[runs[0], runs[1]]} />}
      </Panel>
      <div class="ai-sides">
        {NAMES.map((name, side) => (
          <Panel key={name} title={`Side ${name}`}>
            <ModelFields
              providers={providers}
              target={targets[side]!}
              suffix={` ${name}`}
              onTarget={target => onTargets(side === 0 ? [target, targets[1]] : [targets[0], target])}
            />
            {runs[side] == null ? (
              <Empty title="No prompt sent yet">Both sides get the same prompt at the same time.</Empty>
            ) : (
              <div class="ai-side">
                <div class="ai-facts">
                  <RunFacts run={runs[side]} />
                </div>
                <RunView run={runs[side]} />
                <Fold title="Request" class="ai-section">
                  {() => (
                    <Details run={runs[side]!} code={() => code(targets[side]!, [{ role: 'user', text: prompt }])} />
                  )}
                </Fold>
              </div>
            )}
          </Panel>
        ))}
      </div>
    </div>
  )
}

/** Timings of both sides as numbers and bars. */
function ComparisonTable({ runs }: { runs: readonly [Run, Run] }) {
  const rows = [
    { title: 'Time to first token', values: runs.map(({ firstTokenMs }) => firstTokenMs), format: formatMs },
    { title: 'Total time', values: runs.map(({ ms }) => ms), format: formatMs },
    { title: 'Tokens per second', values: runs.map(run => speedOf(run)?.perSecond ?? null), format: formatRate },
  ]
  return (
    <table class="ai-comparison" aria-label="Comparison">
      <thead>
        <tr>
          <th scope="col">Metric</th>
          {NAMES.map(name => (
            <th key={name} scope="col">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(({ title, values, format }) => {
          const most = Math.max(...values.map(value => value ?? 0))
          return (
            <tr key={title}>
              <th scope="row">{title}</th>
              {values.map((value, side) => (
                <td key={side}>
                  <span class="number">{value === null ? 'none' : format(value)}</span>
                  <span class="ai-bar" aria-hidden="true">
                    <span style={{ width: `${most === 0 ? 0 : (100 * (value ?? 0)) / most}%` }} />
                  </span>
                </td>
              ))}
            </tr>
          )
        })}
      </tbody>
    </table>
  )
}
