/**
 * Runs tests, and ends with the line `N passed, N failed`.
 *
 *     run.ts [--tier=<tier>] [--jobs=N] [--timeout=<seconds of a file>] [--folder=<folder>] [--verbose] [part of a file name ...]
 *
 * Tiers: main, docs, sdk, browser, fuzz, all. Without arguments the tier main runs; with parts of file names, the
 * files of all tiers whose names contain one of them. `--jobs` says how many files run at once. Files share processes, one
 * for each job; see `test/runner/tiers.ts` for those that do not. `--verbose` prints
 * the output of all files, which has the time of each test, instead of those that fail.
 */
import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { removeBundles } from './runner/bundle.ts'
import { Worker, runThroughLoader } from './runner/processes.ts'
import { printFile, printSummary, printTotals } from './runner/report.ts'
import type { TestResult } from './runner/report.ts'
import { missingRound, planRounds } from './runner/rounds.ts'
import type { Round } from './runner/rounds.ts'
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
  throw new Error(`--tier is one of ${TIERS.join(', ')} and all`)
/** More than cores: much of a test's time is waiting. */
const jobs = numberOption('jobs', availableParallelism() + 1)
/** A file that takes longer hangs. */
const timeoutMs = numberOption('timeout', 300) * 1000
/** Memory of files that have ended is not all given back. */
const FILES_OF_A_PROCESS = 60

function numberOption(name: 'jobs' | 'timeout', byDefault: number): number {
  const value = Number(values[name] ?? byDefault)
  if (!(Number.isInteger(value) && value > 0)) throw new Error(`--${name} is a number from 1`)
  return value
}

const startedAt = performance.now()
const seconds = (): number => (performance.now() - startedAt) / 1000
const files = findTestFiles(resolve(values.folder ?? import.meta.dirname)).filter(
  file =>
    (tier === 'all' || file.tier === tier) && (parts.length === 0 || parts.some(part => file.name.includes(part))),
)
const rounds = await planRounds(files)
process.stdout.write(`${files.length} files bundled in ${seconds().toFixed(1)} s\n`)

const results: TestResult[] = []
const items = rounds.flatMap(round => round.files.map(file => ({ round, file })))
/** Files that run alone come first, since they are the long ones. */
const queue = [
  ...items.filter(({ file }) => file.mode !== 'shared'),
  ...items.filter(({ file }) => file.mode === 'shared'),
]

function report(result: TestResult): void {
  results.push(result)
  process.stdout.write(printFile(result, values.verbose === true || result.failed > 0))
}

/** Takes file after file from the queue. */
async function runFiles(): Promise<void> {
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
      report({ ...(await runThroughLoader(name, path, timeoutMs)), tier })
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
        output: `${broken}\n`,
        seconds: 0,
      })
      continue
    }
    if (current?.round !== round || !current.worker.isAlive || current.worker.files >= FILES_OF_A_PROCESS) await close()
    current ??= { worker: new Worker(round.node, round.bundles.worker), round, hasFailed: false }
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
  await Promise.all(Array.from({ length: Math.min(jobs, queue.length) }, runFiles))
} finally {
  await removeBundles()
}
process.stdout.write(printSummary(results, seconds()))
process.stdout.write(missingRound(files) ?? '')
process.stdout.write(printTotals(results))
process.exitCode = results.some(result => result.failed > 0) || !results.some(result => result.passed > 0) ? 1 : 0
