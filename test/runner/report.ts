/** Prints a line for each file, the output of failed files, and a summary. */
import type { Progress } from './progress.ts'
import type { FileResult } from './results.ts'
import { TIERS, type Tier } from './tiers.ts'

const SLOWEST = 20

/** Name of the result of what happens after a process has run its files. */
export const BETWEEN_FILES = '(between files)'

export type TestResult = FileResult & { tier: Tier }

/** Of a file that ran, the line says how far the run is. */
export function printFile(
  { file, passed, failed, skipped, output, seconds, cpuSeconds = 0 }: FileResult,
  { hasOutput, progress }: { hasOutput: boolean; progress: Progress },
): string {
  const skips = [...skipped].map(
    ([reason, count]) => `        skipped: ${reason}${count > 1 ? ` (${count} times)` : ''}\n`,
  )
  const counts = `${file}: ${passed} passed, ${failed} failed (${seconds.toFixed(1)} s, ${cpuSeconds.toFixed(1)} s of processor time)`
  const far = file === BETWEEN_FILES ? '' : ` - ${progress.next()}`
  return `${hasOutput ? `${output}\n` : ''}${failed > 0 ? 'FAILED' : 'ok    '} ${counts}${far}\n${skips.join('')}`
}

/** The time of a tier is the sum over its files, several of which run at once; `seconds` is the time of the whole run. */
export function printSummary(results: readonly TestResult[], seconds: number): string {
  const slowest = results.toSorted((one, other) => other.seconds - one.seconds).slice(0, SLOWEST)
  const tiers = TIERS.map(tier => ({ tier, files: results.filter(result => result.tier === tier) })).filter(
    ({ files }) => files.length > 0,
  )
  const skipped = sum(results, result => sum([...result.skipped.values()], count => count))
  return [
    '',
    `Slowest files:`,
    ...slowest.map(({ file, ...times }) => `${secondsOf(times)}  ${file}`),
    '',
    'Tiers:',
    ...tiers.map(({ tier, files }) => {
      const times = { seconds: sum(files, file => file.seconds), cpuSeconds: sum(files, file => file.cpuSeconds ?? 0) }
      const [passed, failed] = [sum(files, file => file.passed), sum(files, file => file.failed)]
      return `${secondsOf(times)}  ${tier}: ${files.length} files, ${passed} passed, ${failed} failed`
    }),
    '',
    `${results.length} files in ${seconds.toFixed(1)} s`,
    ...(skipped > 0 ? [`${skipped} skipped, see above: not counted as passed`] : []),
    '',
  ].join('\n')
}

/** A line for each file that failed, and passed when it ran again. */
export function printUnsteady(files: readonly string[]): string {
  return files.map(file => `unsteady: ${file} failed, and passed when it ran again alone\n`).join('')
}

/** The time that something took, and the processor time that it used. */
function secondsOf({ seconds, cpuSeconds = 0 }: { seconds: number; cpuSeconds?: number }): string {
  return `${seconds.toFixed(1).padStart(7)} s (${cpuSeconds.toFixed(1).padStart(5)} s of processor time)`
}

/** The last line of a run. */
export function printTotals(results: readonly FileResult[]): string {
  return `${sum(results, result => result.passed)} passed, ${sum(results, result => result.failed)} failed\n`
}

function sum<T>(items: readonly T[], numberOf: (item: T) => number): number {
  return items.reduce((total, item) => total + numberOf(item), 0)
}
