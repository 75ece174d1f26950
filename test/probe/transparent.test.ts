/**
 * The reference proxy passes everything, and a tunnel has no findings.
 * Runs alone: it measures times. Mostly waits: for silence.
 */
import { connect, createServer } from 'node:net'
import t from 'tap'
import { launch } from '../../core/testing/launch.ts'
import { startProxy } from './proxies/reference-proxy.ts'
import { findings, probeThrough, quickChecks } from './probe-through.ts'

t.test('the reference proxy passes everything, hostile forms too [PRB-9]', async t => {
  const server = await launch({ plugins: ['probe', 'mcp', 'a2a', 'identity'] })
  t.teardown(() => server.stop())
  const proxy = await startProxy(server.ports.http!)
  t.teardown(() => proxy.close())
  const run = await probeThrough(proxy.url, server.url, { isHostile: true, repeat: 3 })
  t.strictSame(findings(run), [])
  t.ok(run.isComplete)
  t.ok(run.requests < 4_000)
  const skipped = run.results
    .filter(({ verdict }) => verdict === 'skip')
    .map(({ check, reason }) => `${check.id} ${reason}`)
  // The server has no models, so there are no pairs of wires, no realtime sockets, and no subgraphs.
  t.strictSame(
    skipped.filter(
      text =>
        !/^CCH-.* no reuse seen$|-H2-|^GRPC-.* --h2$|not in --routes|no TLS with the upstream$|^(?:TRN|GRD)-|^(?:RT|GQL)-.* the plugin "[a-z-]+" of svc is disabled$|not routed: the gateway names no model$/.test(
          text,
        ),
    ),
    [],
    'nothing else is skipped',
  )
})

t.test('a proxy that waits 250 ms with everything has no findings [PRB-9]', async t => {
  const server = await launch({ plugins: ['probe'] })
  t.teardown(() => server.stop())
  const proxy = await startProxy(server.ports.http!, { holdMs: 250 })
  t.teardown(() => proxy.close())
  const run = await probeThrough(proxy.url, server.url, {
    checks: quickChecks().filter(({ group }) => group !== 'framing'),
  })
  t.strictSame(findings(run), [])
})

t.test('rules for intermediaries do not bind a tunnel [PRB-10]', async t => {
  const server = await launch({ plugins: ['probe'] })
  t.teardown(() => server.stop())
  const tunnel = createServer(client => {
    const upstream = connect(server.ports.http!, '127.0.0.1')
    client.pipe(upstream)
    upstream.pipe(client)
    client.on('error', () => upstream.destroy())
    upstream.on('error', () => client.destroy())
  })
  await new Promise<void>(resolve => tunnel.listen(0, '127.0.0.1', resolve))
  t.teardown(() => tunnel.close())
  for (const url of [`http://127.0.0.1:${(tunnel.address() as { port: number }).port}`, server.url]) {
    const run = await probeThrough(url, server.url, { checks: quickChecks() })
    t.equal(run.reached.isTunnel, true)
    t.strictSame(findings(run), [])
    t.ok(
      run.results
        .filter(({ check }) => check.group === 'headers')
        .every(({ reason }) => reason === 'nothing that reads HTTP was seen'),
    )
  }
})
