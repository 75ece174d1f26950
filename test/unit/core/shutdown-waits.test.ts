/** A process that awaits the end of its server gets there, although nothing else keeps it running. */
import { execFile } from 'node:child_process'
import { pathToFileURL } from 'node:url'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'

const ROOT = join(import.meta.dirname, '../../..')
const MODULE = pathToFileURL(join(ROOT, 'core/server/shutdown.ts')).href

const PROGRAM = `
import { shutDown } from ${JSON.stringify(MODULE)}
const never = new Promise(() => {})
const targets = {
  listeners: [],
  streams: { endAll() {} },
  host: { stopped: () => never, close: () => never },
  notifier: { waiting: 0, drop() {} },
}
await shutDown(targets, never, { drain: 10, cut: 10, closing: 10 })
console.log('ended')
`

t.test('a host that does not stop does not end the process early', async t => {
  const args = ['--import', 'tsx', '--input-type=module', '--eval', PROGRAM]
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: ROOT })
  t.equal(stdout, 'ended\n')
})
