/** The demo of the endpoint picker, whose engines have ports (sheet demos, 4 and 11). */
import { join } from 'node:path'
import t from 'tap'
import { readDemos } from '../../../plugins/demos/catalog/read-folder.ts'
import { picking } from '../../support/demo-guards.ts'
import { startDemoProxy, type ProxySwitches } from '../../support/demo-proxy.ts'
import { demoRunner } from '../../support/demo-runner.ts'
import { startEngines } from '../../support/engines.ts'

const FOLDER = join(import.meta.dirname, '../../../plugins/demos/demos')

t.test('requests go to the idle engine, and what was picked serves', async t => {
  const { server, ports, grpcPort } = await startEngines(t)
  const { demos } = await readDemos(FOLDER)
  const { demo } = demos.find(one => one.demo.demo === 'inference-routing')!
  const [first, second] = ports.map(port => `127.0.0.1:${port}`)
  const runner = (busyMs: number) => demoRunner(server.url, demo, { set: { first, second, busy_ms: busyMs } })
  const run = await runner(0)
  const through = async (switches: ProxySwitches) => run(await startDemoProxy(t, server.url, switches))
  // Only with the feature it matters that the stream is longer than all others together, however busy the machine is.
  const right = await runner(20_000)
  const gateway = await startDemoProxy(t, server.url, { handle: picking(grpcPort) })
  t.match(await right(gateway), { verdict: 'seen', reason: null })
  t.match(await through({}), { verdict: 'not-seen', reason: /step 1, One request/ })
  const wrong = await through({ handle: picking(grpcPort, ports[0]) })
  t.equal(wrong.verdict, 'not-seen')
  t.match(wrong.steps[2], { title: 'What was picked is what serves', verdict: 'not-seen' })
  t.match(await run(null), { verdict: 'not-seen' })
})
