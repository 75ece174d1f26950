/**
 * Runs tests, and ends with the line `N passed, N failed`.
 *
 *     run.ts [--tier=<tier>] [--jobs=N] [--folder=<folder>] [part of a file name ...]
 *
 * Tiers: main, docs, sdk, browser, fuzz, all. Without arguments the tier main runs; with parts of file names, the
 * files of all tiers whose names contain one of them. `--jobs` says how many files run at once. Files share processes, one
 * for each job; see `test/runner/tiers.ts` for those that do not.
 */
import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { bundleTests } from './runner/bundle.ts'
import { Worker, runThroughLoader } from './runner/processes.ts'
import { printFile, printSummary, printTotals } from './runner/report.ts'
import type { TestResult } from './runner/report.ts'
import { TIERS, findTestFiles } from './runner/tiers.ts'

const { values, positionals: parts } = parseArgs({
  allowPositionals: true,
  options: { tier: { type: 'string' }, jobs: { type: 'string' }, folder: { type: 'string' }, timeout: { type: 'string' } },
})
const tier = values.tier ?? (parts.length > 0 || values.folder !== undefined ? 'all' : 'main')
if (tier !== 'all' && !(TIERS as readonly string[]).includes(tier)) throw new Error(`--tier is one of ${TIERS.join(', ')} and all`)
/** One more than cores: much of a test's time is waiting. */
const jobs = Number(values.jobs ?? availableParallelism() + 1)
if (!(Number.isInteger(jobs) && jobs > 0)) throw new Error('--jobs is a number from 1')
/** A file that takes longer hangs. */
const timeoutMs = Number(values.timeout ?? 300) * 1000
/** Memory of files that have ended is not all given back. */
const FILES_OF_A_PROCESS = 60

const startedAt = performance.now()
const folder = resolve(values.folder ?? import.meta.dirname)
const files = findTestFiles(folder).filter(file => (tier === 'all' || file.tier === tier) && (parts.length === 0 || parts.some(part => file.name.includes(part))))
const bundles = await bundleTests(files.filter(file => file.mode !== 'loader').map(file => file.path))
process.stdout.write(`${files.length} files bundled in ${((performance.now() - startedAt) / 1000).toFixed(1)} s\n`)

const results: TestResult[] = []
/** Files that run alone come first, since they are the long ones. */
const queue = [...files.filter(file => file.mode !== 'shared'), ...files.filter(file => file.mode === 'shared')]

function report(result: TestResult): void {
  results.push(result)
  process.stdout.write(printFile(result))
}

async function runFiles(): Promise<void> {
  let worker: Worker | undefined
  let hasFailed = false
  const closeWorker = async (): Promise<void> => {
    const problem = worker?.isAlive ? await worker.close(hasFailed) : undefined
    if (problem !== undefined) report({ file: '(between files)', tier: 'main', passed: 0, failed: 1, skipped: new Map(), output: problem, seconds: 0 })
    worker = undefined
    hasFailed = false
  }
  for (let file = queue.shift(); file !== undefined; file = queue.shift()) {
    const { name, path, mode } = file
    if (mode === 'loader') {
      report({ ...await runThroughLoader(name, path, timeoutMs), tier: file.tier })
      continue
    }
    if (worker !== undefined && (!worker.isAlive || worker.files >= FILES_OF_A_PROCESS)) await closeWorker()
    worker ??= new Worker(bundles.worker)
    const result = await worker.run(name, bundles.scriptOf(path), timeoutMs)
    hasFailed ||= result.failed > 0
    report({ ...result, tier: file.tier })
    if (mode === 'alone') await closeWorker()
  }
  await closeWorker()
}

try {
  await Promise.all(Array.from({ length: Math.min(jobs, files.length) }, runFiles))
} finally {
  await bundles.remove()
}
process.stdout.write(printSummary(results, (performance.now() - startedAt) / 1000))
process.stdout.write(printTotals(results))
process.exitCode = results.some(result => result.failed > 0) || !results.some(result => result.passed > 0) ? 1 : 0
