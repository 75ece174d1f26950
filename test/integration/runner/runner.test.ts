/**
 * The test runner: what counts as passed and as failed, whatever a file does to the process that it shares.
 * Takes long: it runs tests.
 */
import t from 'tap'
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { Progress } from '../../runner/progress.ts'
import { tierOf } from '../../runner/tiers.ts'

const TEST = join(import.meta.dirname, '..', '..')

async function run(...args: string[]): Promise<{ code: number | null; output: string; lines: string[] }> {
  const child = spawn(
    process.execPath,
    ['--import', 'tsx', join(TEST, 'run.ts'), `--folder=${join(TEST, 'fixtures', 'runner')}`, ...args],
    { cwd: join(TEST, '..'), stdio: ['ignore', 'pipe', 'inherit'] },
  )
  let output = ''
  child.stdout.on('data', chunk => {
    output += chunk
  })
  const code = await new Promise<number | null>(resolve => child.on('close', resolve))
  return { code, output, lines: output.trimEnd().split('\n') }
}

t.test('each file counts for itself, and those that come behind a broken one still run', async t => {
  const { code, output, lines } = await run('--jobs=2', '--timeout=20')
  const counts = new Map(
    lines.flatMap(line => {
      const [, status, file, passed, failed] = /^(ok|FAILED) +(.*): (\d+) passed, (\d+) failed/.exec(line) ?? []
      return status === undefined ? [] : [[file, [status, Number(passed), Number(failed)]]]
    }),
  )
  t.strictSame(Object.fromEntries(counts), {
    'a-passes.test.ts': ['ok', 3, 0],
    'asserts-nothing.test.ts': ['FAILED', 0, 1],
    'cannot-be-bundled.test.ts': ['FAILED', 0, 1],
    'dies.test.ts': ['FAILED', 1, 1],
    'fails.test.ts': ['FAILED', 1, 1],
    'hangs.test.ts': ['FAILED', 1, 1],
    'measures-first.test.ts': ['ok', 5, 0],
    'measures-second.test.ts': ['ok', 5, 0],
    'measures-unsteady.test.ts': ['ok', 1, 0],
    'meets.test.ts': ['ok', 1, 0],
    'mostly-waits.test.ts': ['ok', 1, 0],
    'never-ends.test.ts': ['FAILED', 1, 1],
    'rejects-late.test.ts': ['ok', 1, 0],
    '(between files)': ['FAILED', 0, 1],
    'runs-alone.test.ts': ['ok', 1, 0],
    'skips.test.ts': ['ok', 0, 0],
    'throws.test.ts': ['FAILED', 1, 1],
    'unsteady.test.ts': ['ok', 1, 0],
    'z-passes.test.ts': ['ok', 1, 0],
  })
  t.match(output, 'a failure to be shown', 'what failed')
  t.match(output, 'thrown while loading')
  t.match(output, 'nobody waits for this', 'also of a test that has ended')
  t.match(output, 'hangs.test.ts: it ran for more than 20 s')
  t.match(output, 'asserts-nothing.test.ts: it asserted nothing')
  t.match(output, 'no-such-file.ts')
  t.match(output, 'skipped: no such program is installed')
  t.match(output, '1 skipped')
  const times = / +\d+\.\d s \( *\d+\.\d s of processor time\) {2}/.source
  t.match(output, new RegExp(`Slowest files:\n${times}(hangs|never-ends)\\.test\\.ts\n`))
  t.match(output, new RegExp(`Tiers:\n${times}main: 19 files, 25 passed, 8 failed\n`))
  t.equal(lines.at(-1), '25 passed, 8 failed')
  t.equal(code, 1)
})

t.test('files that measure come last, one at a time', async t => {
  const { output, lines } = await run('--jobs=3', 'a-pass', 'measures', 'z-pass')
  t.equal(lines.at(-1), '15 passed, 0 failed', output)
  const ended = lines.flatMap(line => /^ok +(.*)\.test\.ts: .* (\d of 5)$/.exec(line)?.slice(1).join(' ') ?? [])
  t.strictSame(ended.slice(-3), ['measures-first 3 of 5', 'measures-second 4 of 5', 'measures-unsteady 5 of 5'], output)
})

t.test('a file that measures runs again if it fails, other files if wanted', async t => {
  for (const [args, unsteady, last] of [
    [[], ['measures-unsteady'], '11 passed, 1 failed'],
    [['--again'], ['measures-unsteady', 'unsteady'], '12 passed, 0 failed'],
  ] as const) {
    process.env.SVC_TEST_UNSTEADY = t.testdir()
    const { code, output, lines } = await run(...args, 'measures', 'unsteady')
    delete process.env.SVC_TEST_UNSTEADY
    t.equal(lines.at(-1), last, output)
    const named = lines.flatMap(line => /^unsteady: (.*)\.test\.ts failed, and passed/.exec(line)?.[1] ?? [])
    t.strictSame(named.sort(), unsteady, output)
    t.equal(code, last.endsWith(' 0 failed') ? 0 : 1)
  }
  const { lines } = await run('--again', 'a-pass', 'fails')
  t.equal(lines.at(-1), '4 passed, 1 failed', 'what fails again has failed')
})

t.test('each line says how far the run is', async t => {
  let now = 0
  const progress = new Progress(8, () => now)
  const lines = Array.from({ length: 8 }, (_, index) => {
    now = (index + 1) * 40_000
    return progress.next()
  })
  t.strictSame(lines, [
    '1 of 8',
    '2 of 8',
    '3 of 8',
    '4 of 8',
    '5 of 8, about 2 min left',
    '6 of 8, about 80 s left',
    '7 of 8, about 40 s left',
    '8 of 8',
  ])
})

t.test('parts of names select files; without a failure the code is 0', async t => {
  const { code, lines } = await run('a-pass', 'z-pass')
  t.equal(lines.filter(line => line.startsWith('ok ')).length, 2)
  t.equal(lines.at(-1), '4 passed, 0 failed')
  t.equal(code, 0)
})

t.test('a file that mostly waits runs in addition to the jobs', async t => {
  const { output, lines } = await run('--jobs=1', '--timeout=60', 'meets', 'mostly-waits')
  t.equal(lines.at(-1), '2 passed, 0 failed', output)
})

t.test('a run in which nothing passes has failed', async t => {
  const { code, lines } = await run('skips')
  t.equal(lines.at(-1), '0 passed, 0 failed')
  t.equal(code, 1)
})

t.test('folders belong to tiers', async t => {
  for (const [name, tier] of [
    ['unit/core/path.test.ts', 'main'],
    ['integration/toolbox/echo.test.ts', 'main'],
    ['integration/attacks/slow.test.ts', 'fuzz'],
    ['integration/kit/package.test.ts', 'docs'],
    ['sdk/stripe.test.ts', 'sdk'],
    ['browser/shell.test.ts', 'browser'],
    ['soak/soak.test.ts', 'fuzz'],
    ['requirements/requirements.test.ts', 'docs'],
    ['new/folder.test.ts', 'main'],
  ] as const)
    t.equal(tierOf(name), tier, name)
  t.equal(tierOf('integration/host/reload.test.ts', '/** Reloads. Takes long: many reloads. */'), 'long')
})
