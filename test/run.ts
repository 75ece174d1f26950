/**
 * Runs tests. The last line of the output is `N passed, N failed`.
 *
 *     run.ts [--tier=<tier>] [--jobs=N] [--timeout=<seconds per file>] [--folder=<folder>] [--verbose] [part of a file name ...]
 *
 * Tiers: main, docs, sdk, browser, programs, fuzz, probe, replicas, all. Without arguments, the tier main runs; with parts of file names, the
 * matching files of all tiers run. In the tier `replicas`, all integration tests run with three replicas, too; among all
 * tiers, a selection of them. `SVC_TEST_REPLICAS` is their number; set with parts of file names, those files run with replicas. `--jobs` sets how many files run at once, besides those that mostly wait. Each job
 * runs its files in one process, except those described in `test/runner/tiers.ts`. `--verbose` prints the output of all files,
 * with the time of each test, instead of the output of failed files only.
 */
import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { removeBundles } from './runner/bundle.ts'
import { Worker, runThroughLoader } from './runner/processes.ts'
import { printFile, printSummary, printTotals, type TestResult } from './runner/report.ts'
import { hasStateServer, replicaFiles } from './runner/replica-files.ts'
import { printReplicas } from './runner/replica-report.ts'
import { missingRound, planRounds, WITH_REPLICAS, type Round } from './runner/rounds.ts'
import { TIERS, findTestFiles } from './runner/tiers.ts'

const { values, positionals: parts } = parseArgs({
  allowPositionals: true,
  options: {
    tier: { type: 'string' },
    jobs: { type: 'string' },
    folder: { type: 'string' },
    timeout: { type: 'string' },
    verbose: { type: 'boolean' },
  },
})
const tier = values.tier ?? (parts.length > 0 || values.folder !== undefined ? 'all' : 'main')
if (tier !== 'all' && !(TIERS as readonly string[]).includes(tier))
  throw new Error(`unknown tier "${tier}": use ${TIERS.join(', ')} or all`)
/** One more than the number of cores, since tests spend much time waiting. */
const jobs = numberOption('jobs', availableParallelism() + 1)
/** How many of the files that mostly wait run at once, in addition. */
const WAITING_JOBS = 2
/** A file that takes longer is assumed to hang. */
const timeoutMs = numberOption('timeout', 300) * 1000
/** A process is replaced after this many files, since not all memory of finished files is freed. */
const FILES_OF_A_PROCESS = 60

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
    (tier === 'all' || file.tier === tier) && (parts.length === 0 || parts.some(part => file.name.includes(part))),
)
const hasReplicas = parts.length === 0 && values.folder === undefined && (tier === 'all' || tier === 'replicas')
const replicated = hasReplicas
  ? replicaFiles(findTestFiles(import.meta.dirname), tier === 'replicas' ? 'all' : 'selection')
  : undefined
const rounds = await planRounds(files, replicated)
process.stdout.write(
  `${rounds.reduce((sum, round) => sum + round.files.length, 0)} files bundled in ${seconds().toFixed(1)} s\n`,
)

const NO_SERVERS = { withReplicas: 0, oneProcess: new Set<string>() }
const results: TestResult[] = []
const items = rounds.flatMap(round => round.files.map(file => ({ round, file })))
type Item = (typeof items)[number]
const waiting = items.filter(({ file }) => file.waits)
/** Files that run alone come first, since they take the longest. */
const busy = [
  ...items.filter(({ file }) => !file.waits && file.mode !== 'shared'),
  ...items.filter(({ file }) => !file.waits && file.mode === 'shared'),
]

function report(result: TestResult): void {
  results.push(result)
  process.stdout.write(printFile(result, values.verbose === true || result.failed > 0))
}

/** Runs files from a queue until it is empty. */
async function runFiles(queue: Item[]): Promise<void> {
  let current: { worker: Worker; round: Round; hasFailed: boolean } | undefined
  const close = async (): Promise<void> => {
    const problem = await current?.worker.close(current.hasFailed)
    if (problem !== undefined)
      report({
        file: '(between files)',
        tier: 'main',
        passed: 0,
        failed: 1,
        skipped: new Map(),
        servers: NO_SERVERS,
        output: problem,
        seconds: 0,
      })
    current = undefined
  }
  for (let item = queue.shift(); item !== undefined; item = queue.shift()) {
    const {
      round,
      file: { name, path, mode, tier },
    } = item
    if (mode === 'loader') {
      report({ ...(await runThroughLoader(name, path, timeoutMs, round.env)), file: name + round.label, tier })
      continue
    }
    const broken = round.bundles.broken.get(path)
    if (broken !== undefined) {
      report({
        file: name + round.label,
        tier,
        passed: 0,
        failed: 1,
        skipped: new Map(),
        servers: NO_SERVERS,
        output: `${broken}\n`,
        seconds: 0,
      })
      continue
    }
    if (current?.round !== round || !current.worker.isAlive || current.worker.files >= FILES_OF_A_PROCESS) await close()
    current ??= { worker: new Worker(round.node, round.bundles.worker, round.env), round, hasFailed: false }
    const result = await current.worker.run(name, round.bundles.scriptOf(path), timeoutMs)
    if (result === null) {
      await close()
      queue.unshift(item)
      continue
    }
    current.hasFailed ||= result.failed > 0
    report({ ...result, file: name + round.label, tier })
    if (mode === 'alone') await close()
  }
  await close()
}

try {
  await Promise.all([
    ...Array.from({ length: Math.min(jobs, busy.length) }, () => runFiles(busy)),
    ...Array.from({ length: Math.min(WAITING_JOBS, waiting.length) }, () => runFiles(waiting)),
  ])
} finally {
  await removeBundles()
}
process.stdout.write(printSummary(results, seconds()))
process.stdout.write(missingRound(files) ?? '')
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
