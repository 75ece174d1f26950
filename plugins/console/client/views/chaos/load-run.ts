/** The current or last load test, and a run kept for comparison. It continues while other views are open. */
import { sleep } from '../../../../../core/toolkit/sleep.ts'
import { signal } from '@preact/signals'
import { announce } from '../../lib/shell/announce.ts'
import { explain } from '../../lib/instance/api.ts'
import { openFeed } from '../../lib/traffic/feed.ts'
import { CONSOLE_HEADER } from '../../lib/instance/gateway.ts'
import { headerOf, type Entry } from '../../lib/protocol/http.ts'
import { runLoad, type LoadPlan, type Sample } from '../../lib/load/load.ts'
import type { Arrivals } from '../../lib/load/load-report.ts'

export interface Run {
  plan: LoadPlan
  /** `finishing`: all requests have ended, and the inspector is still reporting which of them arrived. */
  state: 'running' | 'finishing' | 'done' | 'stopped' | 'failed'
  samples: readonly Sample[]
  arrivals: Arrivals
  error: string | null
}

export const currentRun = signal<Run | null>(null)
/** Drawn below later runs for comparison. */
export const keptRun = signal<Run | null>(null)

/** Minimum time between two renders. */
const DRAW_MS = 100
/** How long to wait for the inspector's feed, before and after the load test. */
const FEED_MS = 1000
/** Paths that the inspector never captures, so that missing arrivals mean nothing. */
const NEVER_CAPTURED = /^\/(?:_svc|ui)(?:[/?]|$)/

let stopping: AbortController | null = null

export function isRunning(run: Run | null): boolean {
  return run?.state === 'running'
}

export function stopRun(): void {
  stopping?.abort()
}

/** Starts a run and stops the previous one. */
export async function startRun(plan: LoadPlan): Promise<void> {
  stopRun()
  const controller = new AbortController()
  stopping = controller
  const watch = NEVER_CAPTURED.test(plan.request.path) ? null : watchArrivals()
  const samples: Sample[] = []
  let drawnAt = 0
  let timer: ReturnType<typeof setTimeout> | undefined

  function draw(state: Run['state'], error: string | null = null): void {
    clearTimeout(timer)
    timer = undefined
    drawnAt = performance.now()
    if (stopping === controller)
      currentRun.value = {
        plan,
        state,
        samples: [...samples],
        arrivals: watch?.isLive() ? new Map(watch.arrivals) : null,
        error,
      }
  }
  function drawSoon(): void {
    timer ??= setTimeout(() => draw('running'), Math.max(0, drawnAt + DRAW_MS - performance.now()))
  }

  draw('running')
  try {
    await watch?.begin(controller.signal)
    const byNumber = new Map<number, Sample>()
    await runLoad(plan, {
      signal: controller.signal,
      onSample(sample) {
        byNumber.set(sample.number, sample)
        samples.push(sample)
        drawSoon()
      },
      onTiming(number, timing) {
        const sample = byNumber.get(number)
        if (sample !== undefined && sample.error === null) Object.assign(sample, timing)
      },
    })
    draw('finishing')
    await watch?.finish(samples)
    draw(controller.signal.aborted ? 'stopped' : 'done')
  } catch (error) {
    controller.abort()
    draw('failed', explain(error))
  } finally {
    watch?.stop()
  }
  if (stopping === controller) announce(`${samples.length} requests completed`)
}

/** Records which requests of the console reach the instance, from the inspector's feed. */
function watchArrivals() {
  const arrivals = new Map<string, number[]>()
  const feed = openFeed({ isFromNow: true, onEntries: entries => entries.forEach(note) })
  function note({ headers, status }: Entry): void {
    const id = headerOf(headers, CONSOLE_HEADER)
    if (id !== null) arrivals.set(id, [...(arrivals.get(id) ?? []), status])
  }
  const never = new AbortController().signal
  return {
    arrivals,
    isLive: () => feed.state.value.kind === 'live',
    stop: feed.stop,
    async begin(signal: AbortSignal): Promise<void> {
      const until = performance.now() + FEED_MS
      while (feed.state.value.kind === 'connecting' && performance.now() < until && !signal.aborted)
        await sleep(10, { signal })
    },
    /** Waits until all arrivals are reported, or no more come. */
    async finish(samples: readonly Sample[]): Promise<void> {
      const isMissing = () => samples.some(({ id, limit }) => id !== null && limit === null && !arrivals.has(id))
      let known = -1
      while (feed.state.value.kind === 'live' && isMissing() && known !== arrivals.size) {
        known = arrivals.size
        for (const until = performance.now() + FEED_MS; performance.now() < until && known === arrivals.size; )
          await sleep(50, { signal: never })
      }
    },
  }
}
