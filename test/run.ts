/**
 * Runs tests. The last line of the output is `N passed, N failed`.
 *
 *     run.ts [--tier=<tier>] [--jobs=N] [--timeout=<seconds per file>] [--folder=<folder>] [--again] [--verbose]
 *            [part of a file name ...]
 *
 * Tiers: main, long, docs, sdk, browser, programs, fuzz, probe, replicas, all. Without arguments, the tier main runs; with parts of
 * file names, the matching files of all tiers run. In the tier `replicas`, all integration tests run with three replicas, too;
 * among all tiers, a selection of them, and no programs; and of the SDK tier, only files whose packages need a newer Node run on that, too.
 * `SVC_TEST_REPLICAS` is their number; set with parts of file names, those files run with
 * replicas. `--jobs` sets how many files run at once, besides those that mostly wait. Each job runs its files in one process,
 * except those described in `test/runner/tiers.ts`. Files that measure time or memory run at the end, one at a time; if one fails,
 * it measures again, at most twice. With `--again`, other files that failed run once more, alone. A file that passes then counts as
 * passed, and the summary names it as unsteady. `--verbose` prints the output of all files, with the time of each test, instead of
 * the output of failed files only.
 */
import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { removeBundles } from './runner/bundle.ts'
import { Progress } from './runner/progress.ts'
import { queuesOf, runQueue, titleOf, type Item } from './runner/queue.ts'
import { printFile, printSummary, printTotals, printUnsteady, type TestResult } from './runner/report.ts'
import { hasStateServer, replicaFiles } from './runner/replica-files.ts'
import { printReplicas } from './runner/replica-report.ts'
import { missingRound, planRounds, WITH_REPLICAS } from './runner/rounds.ts'
import { TIERS, findTestFiles } from './runner/tiers.ts'

const { values, positionals: parts } = parseArgs({
  allowPositionals: true,
  options: {
    tier: { type: 'string' },
    jobs: { type: 'string' },
    folder: { type: 'string' },
    timeout: { type: 'string' },
    again: { type: 'boolean' },
    verbose: { type: 'boolean' },
  },
})
const tier = values.tier ?? (parts.length > 0 || values.folder !== undefined ? 'all' : 'main')
if (tier !== 'all' && !(TIERS as readonly string[]).includes(tier))
  throw new Error(`unknown tier "${tier}": use ${TIERS.join(', ')} or all`)
/** One more than the number of cores, since tests spend much time waiting. */
const jobs = numberOption('jobs', availableParallelism() + 1)
/** How many of the files that mostly wait run at once, in addition. */
const WAITING_JOBS = availableParallelism() + 2
/** A file that takes longer is assumed to hang, also on a busy machine. */
const timeoutMs = numberOption('timeout', 660) * 1000

function numberOption(name: 'jobs' | 'timeout', byDefault: number): number {
  const value = Number(values[name] ?? byDefault)
  if (!(Number.isInteger(value) && value > 0))
    throw new Error(`--${name} must be a positive integer, not "${values[name]}"`)
  return value
}

const startedAt = performance.now()
const seconds = (): number => (performance.now() - startedAt) / 1000
const files = findTestFiles(resolve(values.folder ?? import.meta.dirname)).filter(
  file =>
    (tier === 'all' ? parts.length > 0 || file.tier !== 'programs' : file.tier === tier) &&
    (parts.length === 0 || parts.some(part => file.name.includes(part))),
)
const hasReplicas = parts.length === 0 && values.folder === undefined && (tier === 'all' || tier === 'replicas')
const replicated = hasReplicas
  ? replicaFiles(findTestFiles(import.meta.dirname), tier === 'replicas' ? 'all' : 'selection')
  : undefined
const rounds = await planRounds(files, { replicated, twice: tier === 'all' && parts.length === 0 ? 'newest' : 'all' })
process.stdout.write(
  `${rounds.reduce((sum, round) => sum + round.files.length, 0)} files bundled in ${seconds().toFixed(1)} s\n`,
)

/** How often a file that measures runs again if it fails. */
const MEASURED_AGAIN = 2
let results: TestResult[] = []
const unsteady = new Set<string>()
const items = rounds.flatMap(round => round.files.map(file => ({ round, file })))
const queues = queuesOf(items)
const progress = new Progress(items.length)

/** Runs those of the files that failed again, one at a time. */
async function runAgain(candidates: readonly Item[]): Promise<void> {
  const failed = new Set(results.filter(result => result.failed > 0).map(({ file }) => file))
  const again = candidates.filter(item => failed.has(titleOf(item)))
  for (const item of again) {
    const title = titleOf(item)
    progress.add(1)
    results = results.filter(({ file }) => file !== title)
    await runQueue([item], { timeoutMs, report })
    if (results.some(({ file, failed: count }) => file === title && count === 0)) unsteady.add(title)
  }
}

function report(result: TestResult): void {
  results.push(result)
  process.stdout.write(printFile(result, { hasOutput: values.verbose === true || result.failed > 0, progress }))
}

try {
  const how = { timeoutMs, report }
  await Promise.all([
    ...Array.from({ length: Math.min(jobs, queues.busy.length) }, () => runQueue(queues.busy, how)),
    ...Array.from({ length: Math.min(WAITING_JOBS, queues.waiting.length) }, () => runQueue(queues.waiting, how)),
  ])
  await runQueue(queues.measuring, how)
  for (let time = 0; time < MEASURED_AGAIN; time++)
    await runAgain(items.filter(({ file }) => file.measures || (time === 0 && values.again === true)))
} finally {
  await removeBundles()
}
process.stdout.write(printSummary(results, seconds()))
process.stdout.write(printUnsteady([...unsteady]))
process.stdout.write(missingRound(files) ?? '')
if (tier === 'all' && parts.length === 0)
  process.stdout.write('not run: the tier programs, which installs 1.7 GB (`npm run test:programs`)\n')
if (replicated !== undefined)
  process.stdout.write(
    printReplicas(
      replicated,
      results.filter(({ file }) => file.endsWith(WITH_REPLICAS)),
    ),
  )
process.stdout.write(printTotals(results))
const hasFailed = results.some(result => result.failed > 0) || !results.some(result => result.passed > 0)
// Without a state store, the tests of replicas have not passed.
process.exitCode = hasFailed || (tier === 'replicas' && !hasStateServer()) ? 1 : 0
