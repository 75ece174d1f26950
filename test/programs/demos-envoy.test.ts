/** The configuration that comes with a demo shows it in Envoy (sheet demos, 11). */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { readDemos } from '../../plugins/demos/catalog/read-folder.ts'
import { demoRunner } from '../support/demo-runner.ts'
import { startEngines } from '../support/engines.ts'
import { root } from '../support/examples.ts'
import { serve } from '../support/server.ts'
import { startEnvoy } from './support/envoy.ts'
import { findProgram } from './support/program.ts'

const FOLDER = join(root, 'plugins', 'demos', 'demos')
const envoy = findProgram('envoy')
const isMissing = typeof envoy === 'string'

t.test('each snippet shows its demo', { skip: isMissing && envoy }, async t => {
  t.setTimeout(0)
  if (isMissing) return
  const { demos } = await readDemos(FOLDER)
  const shown = demos.filter(({ demo }) => demo.gateways.envoy != null)
  t.ok(shown.length > 8)
  for (const { demo } of shown) {
    const engines = demo.demo === 'inference-routing' ? await startEngines(t) : null
    // The picker, and what reports are joined with, are those of one process.
    const server =
      engines?.server ??
      (await serve(t, { plugins: ['demos', 'grpc', ...demo.needs], oneProcess: 'reports are read at once' }))
    const [first, second] = engines?.ports.map(port => `127.0.0.1:${port}`) ?? []
    const config = readFileSync(join(FOLDER, demo.gateways.envoy!.snippet!), 'utf8')
      .replaceAll('address: svc, port_value: 8080', `address: 127.0.0.1, port_value: ${new URL(server.url).port}`)
      .replaceAll(
        'address: svc, port_value: 50051',
        `address: 127.0.0.1, port_value: ${server.grpcAddress.split(':')[1]}`,
      )
      .replace('address: 0.0.0.0, port_value: 8000', 'address: 127.0.0.1, port_value: 0')
    const run = await demoRunner(server.url, demo, engines === null ? {} : { set: { first, second } })
    const { verdict, reason } = await run(
      await startEnvoy(
        t,
        envoy.path,
        `admin: { address: { socket_address: { address: 127.0.0.1, port_value: 0 } } }\n${config}`,
      ),
    )
    t.same([demo.demo, verdict, reason], [demo.demo, 'seen', null])
  }
})
