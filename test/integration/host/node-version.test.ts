/** Scripts and tests use the Node that runs npm, not one that an npm package contains. */
import t from 'tap'
import { spawnSync } from 'node:child_process'
import { readFileSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { REPORT_FLAGS, SEMI_SPACE_FLAG } from '../../support/launcher-flags.ts'

const root = join(import.meta.dirname, '../../..')
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: Record<string, string> }

t.test('scripts run in any shell', async t => {
  for (const [name, script] of Object.entries(scripts)) {
    t.match(script, /^(?:node|npm|tsc|oxlint|biome) /, name)
    t.notMatch(script, /["'$]|\bsh /, name)
  }
  t.equal(
    readFileSync(join(root, 'bin/svc.mjs'), 'utf8').split('\n')[0],
    '#!/usr/bin/env -S node --max-semi-space-size=64',
  )
})

t.test('tests and the processes they start use the Node of npm', async t => {
  t.notMatch(realpathSync(process.execPath), /node_modules/)
  const { stdout } = spawnSync('node', ['-p', 'process.version'], { encoding: 'utf8' })
  t.equal(stdout.trim(), process.version)
})

t.test('npm start sets the size of the semi-space', async t => {
  const { stdout, stderr } = spawnSync('npm', ['start', '--silent', '--', '--version'], {
    cwd: root,
    encoding: 'utf8',
    env: { ...process.env, NODE_OPTIONS: REPORT_FLAGS },
  })
  t.match(stdout, /\d+\.\d+\.\d+/, stderr)
  t.match(stderr, SEMI_SPACE_FLAG)
})
