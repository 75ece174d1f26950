/** Shows on standard error how far a run is. */
import type { CommandOutput } from 'svc/plugin'
import type { CheckResult } from '../client/check-result.ts'
import { protocolText } from '../report/result-text.ts'

const REDRAW_MS = 100

export interface Progress {
  update(progress: { group: string; done: number; total: number; result: CheckResult }): void
  end(): void
}

interface ProgressOptions {
  isPlain: boolean
  isQuiet: boolean
  isVerbose: boolean
  /** Groups, each with its number of results. */
  groups: ReadonlyMap<string, number>
}

/** One line that is redrawn on a terminal, otherwise a line per group when it is done. */
export function createProgress(err: CommandOutput, { isPlain, isQuiet, isVerbose, groups }: ProgressOptions): Progress {
  let failures = 0
  let drawnAt = 0
  const ofGroups = new Map<string, { done: number; failures: number }>()
  const isLive = !isPlain && err.isTTY === true
  return {
    update({ group, done, total, result }) {
      const own = ofGroups.get(group) ?? { done: 0, failures: 0 }
      ofGroups.set(group, own)
      own.done++
      if (result.verdict === 'fail') {
        failures++
        own.failures++
      }
      if (isQuiet) return
      if (isVerbose) {
        err.write(
          `${isLive ? '\r\u001b[K' : ''}${result.verdict.padEnd(5)} ${result.check.id}${protocolText(result)} (${result.tookMs} ms)\n`,
        )
        return
      }
      if (!isLive) {
        if (own.done === groups.get(group))
          err.write(
            `${group}: ${own.done} ${own.done === 1 ? 'check' : 'checks'}, ${own.failures} failed (${done} of ${total})\n`,
          )
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
