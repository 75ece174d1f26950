/** Gateways that send without an end are left in time. Runs alone: it measures times. */
import { connect, createServer, type AddressInfo } from 'node:net'
import t, { type Test } from 'tap'
import { launch } from '../../core/testing/launch.ts'
import { startProxy } from './proxies/reference-proxy.ts'
import { checksNamed, findings, probeThrough } from './probe-through.ts'

const DRIP_MS = 200

/** Forwards to a port, and sends more behind what comes back from a path: at once, or a byte now and then. */
async function endless(t: Test, port: number, path: string, how: 'fast' | 'slow'): Promise<string> {
  const server = createServer(client => {
    const upstream = connect(port, '127.0.0.1')
    client.on('error', () => {}).on('close', () => upstream.destroy())
    upstream.on('error', () => {}).on('close', () => client.destroy())
    let isHit = false
    client.on('data', data => {
      isHit ||= data.includes(path)
      upstream.write(data)
    })
    upstream.on('data', data => {
      if (!isHit) return void client.write(data)
      client.write('HTTP/1.1 200 OK\r\n\r\n')
      const timer = setInterval(() => client.write('x'.repeat(how === 'fast' ? 2 * 1024 * 1024 : 1)), DRIP_MS)
      client.on('close', () => clearInterval(timer))
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

t.test('an answer without an end is a warning, and of the first requests an error [PRB-25]', async t => {
  const server = await launch({ plugins: ['probe'] })
  t.teardown(() => server.stop())
  // Without it, nothing that reads HTTP is seen.
  const proxy = await startProxy(server.ports.http!)
  t.teardown(() => proxy.close())
  const options = { checks: checksNamed(['HDR-CASE', 'HDR-VIA']), timeoutMs: 1_000 }
  const run = async (path: string, how: 'fast' | 'slow'): Promise<string[]> =>
    findings(await probeThrough(await endless(t, proxy.port, path, how), server.url, options))
  t.strictSame(await run('/hdr-case/', 'slow'), ['HDR-CASE warn: the answer of the gateway does not end'])
  t.strictSame(await run('/hdr-case/', 'fast'), ['HDR-CASE warn: the gateway sent more than 8 MiB'])
  await t.rejects(run('/probe/', 'slow'), /the gateway does not end its answers/)
})
