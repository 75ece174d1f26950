/** A run of a demo as its events say: what each step has sent and received so far. */
import type { ExpectationResult, RunState, Verdict } from './types.ts'

/** Number of requests by status; `error` words count as statuses. */
export type Statuses = Readonly<Record<string, number>>

export interface StepState {
  number: number
  title: string
  say: string
  look: string
  ask: string | null
  chart: string | null
  state: 'waiting' | 'running' | 'done'
  sent: number
  responses: Statuses
  /** Milliseconds of the answers that came one by one. */
  times: readonly number[]
  tokens: number
  /** By lane; `''`: without a lane. */
  arrivals: Readonly<Record<string, Statuses>>
  results: readonly ExpectationResult[]
  verdict: Verdict | null
  /** Of all arrivals, once the step is judged. */
  arrived: number | null
}

export interface FollowedRun {
  state: RunState
  /** Number of the step that runs or is waited for. */
  step: number | null
  steps: Readonly<Record<number, StepState>>
  verdict: Verdict | null
  reason: string | null
  control: { verdict: Verdict; wanted: Verdict; steps: { number: number; verdict: Verdict }[] } | null
  /** Why the run failed, or why it cannot be followed. */
  error: string | null
}

export const NOTHING: FollowedRun = {
  state: 'running',
  step: null,
  steps: {},
  verdict: null,
  reason: null,
  control: null,
  error: null,
}

interface Counted {
  status: number | null
  error?: string | null
  lane?: string | null
  count: number
}

export type EventData = Record<string, never> & {
  step: number
  count: number
  more?: Counted[]
  ms: number
  tokens?: number | null
  state: string
  verdict: Verdict
  arrived: number
}

/** The run after an event. */
export function afterEvent(run: FollowedRun, event: string, data: EventData): FollowedRun {
  if (event === 'step') return afterStep(run, data as unknown as StepState)
  if (event === 'end') {
    const { state, error } = data as unknown as FollowedRun
    return { ...run, state, error }
  }
  if (event === 'verdict' && data.step === undefined) {
    const { verdict, reason, control } = data as unknown as FollowedRun
    return { ...run, verdict, reason, control }
  }
  const step = run.steps[data.step]
  if (step === undefined) return run
  return { ...run, steps: { ...run.steps, [data.step]: { ...step, ...changed(step, event, data) } } }
}

function afterStep(run: FollowedRun, given: StepState): FollowedRun {
  const begun: StepState = {
    ...given,
    sent: 0,
    responses: {},
    times: [],
    tokens: 0,
    arrivals: {},
    results: [],
    verdict: null,
    arrived: null,
  }
  return {
    ...run,
    state: given.state === 'waiting' ? 'waiting' : 'running',
    step: given.number,
    steps: { ...run.steps, [given.number]: begun },
  }
}

function changed(step: StepState, event: string, data: EventData): Partial<StepState> {
  const counted: Counted[] = data.more ?? [{ ...(data as unknown as Counted), count: 1 }]
  switch (event) {
    case 'sent':
      return { sent: step.sent + data.count }
    case 'response':
      return {
        responses: counted.reduce(withStatus, step.responses),
        times: data.more === undefined ? [...step.times, data.ms] : step.times,
        tokens: step.tokens + (data.tokens ?? 0),
      }
    case 'arrival':
      return {
        arrivals: counted.reduce<StepState['arrivals']>((arrivals, one) => {
          const lane = one.lane ?? ''
          return { ...arrivals, [lane]: withStatus(arrivals[lane] ?? {}, one) }
        }, step.arrivals),
      }
    case 'result':
      return { results: [...step.results, data as unknown as ExpectationResult] }
    default:
      return { state: 'done', verdict: data.verdict, arrived: data.arrived }
  }
}

function withStatus(statuses: Statuses, { status, error, count }: Counted): Statuses {
  const key = error != null ? error : String(status ?? 'nothing')
  return { ...statuses, [key]: (statuses[key] ?? 0) + count }
}

export function totalOf(statuses: Statuses): number {
  return Object.values(statuses).reduce((sum, count) => sum + count, 0)
}

export function isOver({ state }: Pick<FollowedRun, 'state'>): boolean {
  return state !== 'running' && state !== 'waiting'
}

/** Whether clients of the run are forwarded to the gateway: from its first step to its end. */
export function isTapOpen(run: Pick<FollowedRun, 'state' | 'step'>): boolean {
  return run.step !== null && !isOver(run)
}
