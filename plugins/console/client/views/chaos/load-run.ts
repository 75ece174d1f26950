/** The load that runs, or ran last, and one that is kept. It goes on while other views are on screen. */
import { signal } from '@preact/signals'
import { announce } from '../../lib/shell/announce.ts'
import { explain } from '../../lib/instance/api.ts'
import { openFeed } from '../../lib/traffic/feed.ts'
import { CONSOLE_HEADER } from '../../lib/instance/gateway.ts'
import { headerOf, type Entry } from '../../lib/protocol/http.ts'
import { pause, runLoad, type LoadPlan, type Shot } from '../../lib/load/load.ts'
import type { Arrivals } from '../../lib/load/load-report.ts'

export interface Run {
  plan: LoadPlan
  /** `settling`: all were answered, and those that arrived are still being told. */
  state: 'running' | 'settling' | 'done' | 'stopped' | 'failed'
  shots: readonly Shot[]
  arrivals: Arrivals
  error: string | null
}

export const currentRun = signal<Run | null>(null)
/** Laid under the next ones. */
export const keptRun = signal<Run | null>(null)

/** Between two drawings. */
const DRAW_MS = 100
/** The inspector's feed is waited for so long, before the load and after it. */
const FEED_MS = 1000
/** Never in the inspector, so that nothing follows from its silence. */
const NEVER_CAPTURED = /^\/(?:_svc|ui)(?:[/?]|$)/

let stopping: AbortController | null = null

export function isRunning(run: Run | null): boolean {
  return run?.state === 'running'
}

export function stopRun(): void {
  stopping?.abort()
}

/** Takes the place of the run before. */
export async function startRun(plan: LoadPlan): Promise<void> {
  stopRun()
  const controller = new AbortController()
  stopping = controller
  const watch = NEVER_CAPTURED.test(plan.request.path) ? null : watchArrivals()
  const shots: Shot[] = []
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
        shots: [...shots],
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
    const byNumber = new Map<number, Shot>()
    await runLoad(plan, {
      signal: controller.signal,
      onShot(shot) {
        byNumber.set(shot.number, shot)
        shots.push(shot)
        drawSoon()
      },
      onTiming(number, timing) {
        const shot = byNumber.get(number)
        if (shot !== undefined && shot.error === null) Object.assign(shot, timing)
      },
    })
    draw('settling')
    await watch?.settle(shots)
    draw(controller.signal.aborted ? 'stopped' : 'done')
  } catch (error) {
    controller.abort()
    draw('failed', explain(error))
  } finally {
    watch?.stop()
  }
  if (stopping === controller) announce(`${shots.length} requests answered`)
}

/** Which requests of the console arrive, by the inspector's feed. */
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
        await pause(10, signal)
    },
    /** Until all have been told, or nothing more comes. */
    async settle(shots: readonly Shot[]): Promise<void> {
      const isMissing = () => shots.some(({ id, limit }) => id !== null && limit === null && !arrivals.has(id))
      let known = -1
      while (feed.state.value.kind === 'live' && isMissing() && known !== arrivals.size) {
        known = arrivals.size
        for (const until = performance.now() + FEED_MS; performance.now() < until && known === arrivals.size; )
          await pause(50, never)
      }
    },
  }
}
