/** Prints a line for each file, the output of failed files, and a summary. */
import type { FileResult } from './results.ts'
import { TIERS, type Tier } from './tiers.ts'

const SLOWEST = 10

export type TestResult = FileResult & { tier: Tier }

export function printFile({ file, passed, failed, skipped, output, seconds }: FileResult, withOutput: boolean): string {
  const skips = [...skipped].map(
    ([reason, count]) => `        skipped: ${reason}${count > 1 ? ` (${count} times)` : ''}\n`,
  )
  return `${withOutput ? `${output}\n` : ''}${failed > 0 ? 'FAILED' : 'ok    '} ${file}: ${passed} passed, ${failed} failed (${seconds.toFixed(1)} s)\n${skips.join('')}`
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
    ...slowest.map(result => `${result.seconds.toFixed(1).padStart(7)} s  ${result.file}`),
    '',
    'Tiers:',
    ...tiers.map(
      ({ tier, files }) =>
        `${sum(files, file => file.seconds)
          .toFixed(1)
          .padStart(
            7,
          )} s  ${tier}: ${files.length} files, ${sum(files, file => file.passed)} passed, ${sum(files, file => file.failed)} failed`,
    ),
    '',
    `${results.length} files in ${seconds.toFixed(1)} s`,
    ...(skipped > 0 ? [`${skipped} skipped, see above: not counted as passed`] : []),
    '',
  ].join('\n')
}

/** The last line of a run. */
export function printTotals(results: readonly FileResult[]): string {
  return `${sum(results, result => result.passed)} passed, ${sum(results, result => result.failed)} failed\n`
}

function sum<T>(items: readonly T[], numberOf: (item: T) => number): number {
  return items.reduce((total, item) => total + numberOf(item), 0)
}
