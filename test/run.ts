/**
 * Runs all tests, each file in a process of its own, and ends with the line `N passed, N failed`.
 * Arguments: parts of file names; without any, everything runs. `--jobs=N` says how many files run at once.
 */
import { readdirSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { delimiter, dirname, join, relative } from 'node:path'
import { spawn } from 'node:child_process'
import { Parser } from 'tap-parser'
import { bundleTest } from './support/bundle.ts'

const folder = import.meta.dirname
const wanted = process.argv.slice(2).filter(argument => !argument.startsWith('--'))
/** One more than cores: much of a test's time is waiting. */
const jobs = Number(process.argv.find(argument => argument.startsWith('--jobs='))?.slice('--jobs='.length) ?? availableParallelism() + 1)
/** Milliseconds; a file that takes longer hangs. */
const FILE_TIMEOUT_MS = 300_000

/** npm puts the bin folder of the packages first, and one of them is a newer Node that some official tools need. */
const PATH = `${dirname(process.execPath)}${delimiter}${process.env.PATH}`

interface Result { file: string; passed: number; failed: number; output: string; seconds: number }

function testFiles(): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile() && entry.name.endsWith('.test.ts') && !entry.parentPath.includes('fixtures'))
    .map(entry => relative(folder, join(entry.parentPath, entry.name)))
    .filter(file => wanted.length === 0 || wanted.some(part => file.includes(part)))
    .sort()
}

async function runFile(file: string): Promise<Result> {
  const startedAt = performance.now()
  const script = await bundleTest(join(folder, file))
  return new Promise(resolve => {
    const child = spawn(process.execPath, script === null ? ['--import', 'tsx', join(folder, file)] : [script], { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, PATH, TAP: '1', TAP_TIMEOUT: '240', FORCE_COLOR: '0' } })
    const timer = setTimeout(() => child.kill('SIGKILL'), FILE_TIMEOUT_MS)
    const parser = new Parser()
    let output = ''
    let passed = 0
    let failed = 0
    const count = (assertion: { ok: boolean }): void => void (assertion.ok ? passed++ : failed++)
    // Leaves count; a subtest's own line repeats them.
    const watch = (level: Parser): void => {
      let isNested = false
      level.on('child', child => { isNested = true; watch(child) })
      level.on('assert', assertion => {
        if (isNested) isNested = false
        else count(assertion)
      })
    }
    watch(parser)
    for (const stream of [child.stdout, child.stderr]) stream.on('data', chunk => { output += chunk })
    child.stdout.pipe(parser)
    child.on('close', code => {
      clearTimeout(timer)
      // A file that dies, hangs or asserts nothing has failed, whatever it printed before.
      if ((code !== 0 || passed + failed === 0) && failed === 0) failed++
      resolve({ file, passed, failed, output, seconds: (performance.now() - startedAt) / 1000 })
    })
  })
}

const files = testFiles()
const totals = { passed: 0, failed: 0 }
const queue = [...files]
await Promise.all(Array.from({ length: Math.max(1, jobs) }, async () => {
  for (let file = queue.shift(); file !== undefined; file = queue.shift()) {
    const result = await runFile(file)
    totals.passed += result.passed
    totals.failed += result.failed
    if (result.failed > 0) process.stdout.write(`${result.output}\n`)
    process.stdout.write(`${result.failed > 0 ? 'FAILED' : 'ok    '} ${file}: ${result.passed} passed, ${result.failed} failed (${result.seconds.toFixed(1)} s)\n`)
  }
}))
process.stdout.write(`${totals.passed} passed, ${totals.failed} failed\n`)
process.exitCode = totals.failed > 0 || totals.passed === 0 ? 1 : 0
