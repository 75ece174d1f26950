/** The service of esbuild runs while something is built, and is stopped then. Takes long: it starts processes. Runs alone: builds of other files would count. */
import t from 'tap'
import { execFileSync } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { createBundler } from '../../../core/host/bundler.mjs'
import { plugin, pluginFolder } from '../../support/plugins.ts'
import { startProcess } from '../../support/process.ts'
import { until } from '../../support/until.ts'

/** Programs that a process has started. */
function childrenOf(pid: number): string[] {
  const lines = execFileSync('ps', ['-A', '-o', 'ppid=,comm='], { encoding: 'utf8' }).split('\n')
  return lines
    .map(line => line.trim().split(/\s+/))
    .flatMap(([parent, name]) => (Number(parent) === pid ? [name!] : []))
}
const isBuilding = (pid: number): boolean => childrenOf(pid).some(name => name.includes('esbuild'))

t.test('a server does not keep the service running, and starts it for a reload [HOST-13]', async t => {
  const plugins = pluginFolder(t, { one: plugin('one', '1') })
  const server = startProcess(t, { env: { SVC_PLUGINS_DIR: plugins.folder, SVC_WATCH: 'false' } })
  const pid = server.child.pid!
  const url = `http://127.0.0.1:${await server.port('HTTP')}`
  await until(() => !isBuilding(pid))
  // The console is built in the background, for the first who asks for it.
  t.equal((await fetch(`${url}/ui/`)).status, 200)
  await until(() => !isBuilding(pid))
  plugins.write('one', plugin('one', '2'))
  t.equal((await fetch(`${url}/_svc/reload`, { method: 'POST' })).status, 200)
  t.equal(await (await fetch(`${url}/one`)).text(), '2')
  await until(() => !isBuilding(pid))
  t.pass('and is stopped')
})

t.test('a build that runs is not stopped [HOST-13]', async t => {
  const bundler = createBundler(0)
  const build = (): Promise<unknown> => bundler.build({ stdin: { contents: 'export const a = 1' }, write: false })
  for (let round = 0; round < 5; round++) {
    await Promise.all([build(), build().then(build)])
    await sleep(round * 5)
  }
  await t.rejects(bundler.build({ stdin: { contents: '{' }, write: false, logLevel: 'silent' }), { errors: [{}] })
  await build()
  await until(() => !isBuilding(process.pid))
  t.pass('afterwards it is')
})
