/** The test runner: what counts as passed and as failed, whatever a file does to the process that it shares. */
import t from 'tap'
import { spawn } from 'node:child_process'
import { join } from 'node:path'
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
  const { code, output, lines } = await run('--jobs=2', '--timeout=5')
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
    'meets.test.ts': ['ok', 1, 0],
    'mostly-waits.test.ts': ['ok', 1, 0],
    'never-ends.test.ts': ['FAILED', 1, 1],
    'rejects-late.test.ts': ['ok', 1, 0],
    '(between files)': ['FAILED', 0, 1],
    'runs-alone.test.ts': ['ok', 1, 0],
    'skips.test.ts': ['ok', 0, 0],
    'throws.test.ts': ['FAILED', 1, 1],
    'z-passes.test.ts': ['ok', 1, 0],
  })
  t.match(output, 'a failure to be shown', 'what failed')
  t.match(output, 'thrown while loading')
  t.match(output, 'nobody waits for this', 'also of a test that has ended')
  t.match(output, 'hangs.test.ts: it ran for more than 5 s')
  t.match(output, 'asserts-nothing.test.ts: it asserted nothing')
  t.match(output, 'no-such-file.ts')
  t.match(output, 'skipped: no such program is installed')
  t.match(output, '1 skipped')
  t.match(output, /Slowest files:\n +\d+\.\d s {2}(hangs|never-ends)\.test\.ts\n/)
  t.match(output, /Tiers:\n +\d+\.\d s {2}main: 15 files, 13 passed, 8 failed\n/)
  t.equal(lines.at(-1), '13 passed, 8 failed')
  t.equal(code, 1)
})

t.test('parts of names select files; without a failure the code is 0', async t => {
  const { code, lines } = await run('a-pass', 'z-pass')
  t.equal(lines.filter(line => line.startsWith('ok ')).length, 2)
  t.equal(lines.at(-1), '4 passed, 0 failed')
  t.equal(code, 0)
})

t.test('a file that mostly waits runs in addition to the jobs', async t => {
  const { output, lines } = await run('--jobs=1', '--timeout=10', 'meets', 'mostly-waits')
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
})
