/** What a stall of this process looks like is not taken for a fault of the gateway. Runs alone: it blocks its process. */
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import t from 'tap'
import { launch } from '../../core/testing/launch.ts'
import { defineCheck, pass, warn } from '../../plugins/probe/catalog/check.ts'
import { Changes, clock } from '../../plugins/probe/client/changes.ts'
import { LoadMonitor } from '../../plugins/probe/client/load-monitor.ts'
import { startProxy } from './proxies/reference-proxy.ts'
import { probeThrough } from './probe-through.ts'

/** Does nothing else for this long. */
function block(ms: number): void {
  const until = clock() + ms
  while (clock() < until) Math.sqrt(until)
}

t.test('what came during a stall is read before the time is over [PRB-14]', async t => {
  const sockets: Socket[] = []
  const server = createServer(socket => void sockets.push(socket))
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
  t.teardown(() => {
    client.destroy()
    server.close()
  })
  const changes = new Changes()
  let received = ''
  client.on('data', data => {
    received += data.toString()
    changes.notify()
  })
  while (sockets.length === 0) await new Promise(resolve => setImmediate(resolve))
  const deadline = clock() + 20
  const waiting = changes.waitUntil(
    () => received !== '',
    () => deadline,
  )
  sockets[0]!.write('late')
  block(100)
  t.equal(await waiting, true)
  const over = changes.waitUntil(
    () => received === 'never',
    () => clock() - 1,
  )
  t.equal(await over, false)
})

t.test('stalls are seen [PRB-14]', t => {
  const monitor = new LoadMonitor()
  t.teardown(() => monitor.stop())
  const from = clock()
  t.notOk(monitor.hasStalledSince(from))
  block(400)
  t.ok(monitor.hasStalledSince(from))
  t.notOk(monitor.hasStalledSince(clock()))
  t.end()
})

t.test('a finding of an attempt with a stall does not count, unless all have one [PRB-14]', async t => {
  const server = await launch({ plugins: ['probe'] })
  t.teardown(() => server.stop())
  const proxy = await startProxy(server.ports.http!)
  t.teardown(() => proxy.close())
  for (const [stalls, repeats, attempts] of [
    [2, ['pass'], 3],
    [9, ['warn'], 4],
  ] as const) {
    let judged = 0
    const check = defineCheck({
      id: 'TEST-BUSY',
      title: 'Busy',
      group: 'headers',
      since: '2026.1',
      level: 'hazard',
      sources: [],
      page: { sent: 'a', expected: 'b', why: 'c' },
      plan: () => ({ connections: [{ requests: [{}] }] }),
      judge() {
        judged++
        if (judged > stalls) return pass()
        block(400)
        return warn('slow')
      },
    })
    const { results } = await probeThrough(proxy.url, server.url, { checks: [check] })
    t.strictSame([results[0]!.repeats, judged], [repeats, attempts])
  }
})

t.test('a short delay is noted if every repeat has it [PRB-14]', async t => {
  const server = await launch({ plugins: ['probe'] })
  t.teardown(() => server.stop())
  const proxy = await startProxy(server.ports.http!)
  t.teardown(() => proxy.close())
  for (const [words, repeats, found] of [
    [['note', 'pass'], ['note', 'pass'], 'pass'],
    [['note', 'note', 'note'], ['note', 'note', 'note'], 'note'],
    [['note', 'warn'], ['note', 'warn'], 'note'],
    [['pass'], ['pass'], 'pass'],
    [['warn', 'note', 'warn'], ['warn', 'note', 'warn'], 'flaky'],
  ] as const) {
    const left = [...words]
    const check = defineCheck({
      id: 'TEST-LAG',
      title: 'Lag',
      group: 'headers',
      since: '2026.1',
      level: 'hazard',
      sources: [],
      when: { measuresLag: true },
      page: { sent: 'a', expected: 'b', why: 'c' },
      plan: () => ({ connections: [{ requests: [{}] }] }),
      judge: () => ({ verdict: left.shift()!, summary: '', values: {} }),
    })
    const { results } = await probeThrough(proxy.url, server.url, { checks: [check], repeat: 3 })
    t.strictSame([results[0]!.repeats, results[0]!.verdict], [repeats, found])
  }
})
