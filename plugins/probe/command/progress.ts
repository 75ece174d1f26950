/** Shows on standard error how far a run is. */
import type { CommandOutput } from 'svc/plugin'
import type { CheckResult } from '../client/check-result.ts'

const REDRAW_MS = 100

export interface Progress {
  update(progress: { group: string; done: number; total: number; result: CheckResult }): void
  end(): void
}

/** One line that is redrawn on a terminal, otherwise a line per group. */
export function createProgress(
  err: CommandOutput,
  { isPlain, isQuiet, isVerbose }: { isPlain: boolean; isQuiet: boolean; isVerbose: boolean },
): Progress {
  let failures = 0
  let drawnAt = 0
  const groups = new Map<string, number>()
  const isLive = !isPlain && err.isTTY === true
  return {
    update({ group, done, total, result }) {
      if (result.verdict === 'fail') failures++
      if (isQuiet) return
      if (isVerbose) {
        err.write(`${isLive ? '\r\u001b[K' : ''}${result.verdict.padEnd(5)} ${result.check.id} (${result.tookMs} ms)\n`)
        return
      }
      if (!isLive) {
        if (!groups.has(group)) err.write(`${group} …\n`)
        groups.set(group, (groups.get(group) ?? 0) + 1)
        return
      }
      const now = performance.now()
      if (now - drawnAt < REDRAW_MS && done < total) return
      drawnAt = now
      err.write(`\r\u001b[K${group}  ${done} of ${total}  ${failures} failed`)
    },
    end() {
      if (isLive && !isQuiet && !isVerbose) err.write('\r\u001b[K')
    },
  }
}
