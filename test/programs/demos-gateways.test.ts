/** The configurations that come with demos show them in real gateways, and their Compose files have the same (sheet demos, 11). */
import { join } from 'node:path'
import t from 'tap'
import { parse } from 'yaml'
import { configurationOf } from '../../plugins/demos/catalog/configuration.ts'
import { readDemos } from '../../plugins/demos/catalog/read-folder.ts'
import { demoRunner } from '../support/demo-runner.ts'
import { startEngines } from '../support/engines.ts'
import { root } from '../support/examples.ts'
import { serve } from '../support/server.ts'
import { GATEWAY_PROGRAMS, startGateway, versionOf } from './support/demo-programs.ts'
import { freePort } from '../support/free-ports.ts'

/** For work on some demos: `SVC_TEST_DEMOS=retry,timeout`. */
const ONLY = process.env.SVC_TEST_DEMOS?.split(',')
const FOLDER = join(root, 'plugins', 'demos', 'demos')

for (const gateway of GATEWAY_PROGRAMS) {
  const version = versionOf(gateway)
  t.test(`demos in ${gateway.title}`, { skip: version === null && `no ${gateway.program} here` }, async t => {
    t.setTimeout(0)
    const { demos } = await readDemos(FOLDER)
    const shown = demos.filter(({ demo }) => demo.gateways[gateway.name]?.snippet != null)
    t.ok(shown.length > 0)
    for (const { demo, file } of shown.filter(one => ONLY?.includes(one.demo.demo) !== false)) {
      const engines = demo.demo === 'inference-routing' ? await startEngines(t) : null
      // The picker, and what reports are joined with, are those of one process.
      const server =
        engines?.server ??
        (await serve(t, {
          plugins: [...new Set(['demos', 'echo', 'grpc', ...demo.needs])],
          oneProcess: 'reports are read at once',
          env: demo.settings,
        }))
      const port = await freePort()
      const scheme = demo.route.certificate === null ? 'http' : 'https'
      const through = `${scheme}://127.0.0.1:${port}`
      const addresses = { gateway: gateway.name, through, upstream: server.url }
      const configuration = await configurationOf(demo, file, { ...addresses, isCompose: false })
      const { configs } = parse(await configurationOf(demo, file, { ...addresses, isCompose: true })) as {
        configs: Record<string, { content: string }>
      }
      const [config] = Object.values(configs)
      t.ok(configuration.endsWith(config!.content.replaceAll('$$', '$')), 'the Compose file has the same')
      const grpc = `address: 127.0.0.1, port_value: ${server.grpcAddress.split(':')[1]}`
      const started = configuration
        .replaceAll('address: 127.0.0.1, port_value: 50051', grpc)
        .replaceAll(/(127\.0\.0\.1:|port_value: )8443\b/g, `$1${new URL(server.httpsUrl).port}`)
      const files = Object.fromEntries(Object.entries(demo.files).map(([name, path]) => [name, `${server.url}${path}`]))
      const running = await startGateway(gateway, started, port, files)
      try {
        const [first, second] = engines?.ports.map(one => `127.0.0.1:${one}`) ?? []
        const run = await demoRunner(server.url, demo, engines === null ? {} : { set: { first, second } })
        const { verdict, reason } = await run(through)
        t.same([demo.demo, verdict, reason], [demo.demo, 'seen', null])
      } finally {
        await running.stop()
      }
    }
  })
}
