/** A gateway in front of several upstreams: with a shared store, and without. Runs alone: it measures times. */
import t from 'tap'
import { connect as connectSocket } from 'node:net'
import { launch } from '../../core/testing/launch.ts'
import { BackChannel, instancesOf } from '../../plugins/probe/client/back-channel.ts'
import { CATALOG } from '../../plugins/probe/checks/index.ts'
import { goneText } from '../../plugins/probe/report/upstream-text.ts'
import type { ArrivalRecord } from '../../plugins/probe/upstream/arrival-record.ts'
import { startConnectionBalancer } from '../support/balancer.ts'
import { startProcess } from '../support/process.ts'
import { NEEDS_SERVER, startStateServer } from '../support/state-store.ts'
import { until } from '../support/until.ts'
import { startProxy } from './proxies/reference-proxy.ts'
import { addressOf, checksNamed, findings, probeThrough } from './probe-through.ts'

async function channelTo(url: string): Promise<BackChannel> {
  return new BackChannel(await addressOf(url), null)
}

/** Sends a GET on a connection of its own, and reads the answer to the end. */
function get(port: number, path: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connectSocket(port, '127.0.0.1')
    let text = ''
    socket.on('data', data => void (text += data.toString()))
    socket.on('close', () => resolve(text)).on('error', reject)
    socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`)
  })
}

t.test('with a shared store one upstream is enough [PRB-23]', NEEDS_SERVER, async t => {
  const store = await startStateServer(t)
  const start = (id: string) =>
    launch({
      plugins: ['probe', 'mcp'],
      env: { SVC_STATE_STORE: store.url, SVC_STATE_STORE_TIMEOUT_MS: '10000', SVC_INSTANCE_ID: id },
    })
  const [one, two] = [await start('one'), await start('two')]
  t.teardown(() => Promise.all([one.stop(), two.stop()]))
  const count = async (): Promise<number> =>
    ((await (await fetch(`${two.url}/_svc/replicas`)).json()) as { count: number }).count
  await until(async () => (await count()) === 2)

  const opened = await fetch(`${one.url}/_svc/probe/sessions`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: '{"ttl_s":60}',
  })
  const session = (await opened.json()) as { id: string; nonce: string; instances: string[] }
  t.strictSame(session.instances.toSorted(), ['one', 'two'])
  const path = `/_svc/probe/sessions/${session.id}`
  const script = [
    { do: 'receive' },
    { do: 'bytes', bytes: 'HTTP/1.1 299 Own\r\nContent-Length: 0\r\n\r\n' },
    { do: 'end' },
  ]
  const put = await fetch(`${two.url}${path}/steps`, {
    method: 'PUT',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify([{ step: 1, script }]),
  })
  t.equal(put.status, 204)
  for (const { ports } of [one, two])
    t.match(await get(ports.http!, `/probe/${session.nonce}/any/1`), /^HTTP\/1\.1 299 Own/)
  const answer = await fetch(`${two.url}${path}/arrivals?steps=1`)
  const { arrivals, clock_ms: now } = (await answer.json()) as { arrivals: ArrivalRecord[]; clock_ms: number }
  t.strictSame(arrivals.map(({ instance, step }) => `${instance} ${step}`).toSorted(), ['one 1', 'two 1'])
  t.ok(arrivals.every(({ head_at_ms: at }) => at <= now && at > now - 60_000))
  t.equal((await fetch(`${two.url}${path}`, { method: 'DELETE' })).status, 204)
  await until(async () => (await fetch(`${one.url}${path}/arrivals`)).status === 404)

  const balancer = await startConnectionBalancer([one.ports.http!, two.ports.http!])
  t.teardown(() => balancer.stop())
  const proxy = await startProxy(balancer.port)
  t.teardown(() => proxy.close())
  const checks = CATALOG.filter(({ id, group }) => group === 'headers' || group === 'targets' || id === 'RCH-NONCE')
  const run = await probeThrough(proxy.url, balancer.url, { checks })
  t.strictSame(findings(run), [])
  t.match(run.results.find(({ check }) => check.id === 'RCH-NONCE')!.values.instances, { length: 2 })
})

/** Calls `change` once, before arrivals of steps behind those of reaching both ends are collected. */
class ChangingChannel extends BackChannel {
  change: (() => Promise<void>) | null = null
  override async arrivals(steps: readonly number[]): Promise<ArrivalRecord[]> {
    const { change } = this
    if (change !== null && steps.some(step => step > 40)) {
      this.change = null
      await change()
    }
    return super.arrivals(steps)
  }
}

t.test(
  'a replica that joins answers for the session, and one that ends is reported [PRB-27]',
  NEEDS_SERVER,
  async t => {
    const store = await startStateServer(t)
    const start = async (id: string) => {
      const server = await launch({
        plugins: ['probe'],
        env: { SVC_STATE_STORE: store.url, SVC_STATE_STORE_TIMEOUT_MS: '10000', SVC_INSTANCE_ID: id },
      })
      t.teardown(() => server.stop())
      return server
    }
    const one = await start('one')
    const post = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{"ttl_s":60}' }
    const session = (await (await fetch(`${one.url}/_svc/probe/sessions`, post)).json()) as {
      id: string
      nonce: string
    }
    const path = `/_svc/probe/sessions/${session.id}`
    const addStep = (step: number): Promise<Response> =>
      fetch(`${one.url}${path}/steps`, {
        ...post,
        method: 'PUT',
        body: JSON.stringify([
          {
            step,
            script: [{ do: 'bytes', bytes: `HTTP/1.1 299 Step ${step}\r\nContent-Length: 0\r\n\r\n` }, { do: 'end' }],
          },
        ]),
      })
    t.equal((await addStep(1)).status, 204)
    const two = await start('two')
    t.match(await get(two.ports.http!, `/probe/${session.nonce}/any/1`), /^HTTP\/1\.1 299 Step 1/)
    t.equal((await addStep(2)).status, 204)
    t.match(await get(two.ports.http!, `/probe/${session.nonce}/any/2`), /^HTTP\/1\.1 299 Step 2/)
    t.match(await get(two.ports.http!, `/probe/${session.nonce}/any/3`), /^HTTP\/1\.1 200 /, 'no script: the default')
    const seen = async (): Promise<{ arrivals: ArrivalRecord[]; instances: string[]; gone: string[] }> =>
      (await (await fetch(`${one.url}${path}/arrivals`)).json()) as Awaited<ReturnType<typeof seen>>
    await until(async () => (await seen()).arrivals.length === 3)
    t.match(await seen(), { arrivals: [{ instance: 'two' }], instances: ['one', 'two'], gone: [] })
    await two.stop()
    await until(async () => (await seen()).gone.length === 1)
    t.match(await seen(), { arrivals: [], instances: ['one'], gone: ['two'] })

    const three = await start('three')
    t.match(await get(three.ports.http!, `/probe/${session.nonce}/any/2`), /^HTTP\/1\.1 299 Step 2/)
    t.equal((await fetch(`${one.url}${path}`, { method: 'DELETE' })).status, 204)
    await until(async () => (await get(three.ports.http!, `/probe/${session.nonce}/any/2`)).startsWith('HTTP/1.1 404 '))

    const ports = [one.ports.http!, three.ports.http!]
    const balancer = await startConnectionBalancer(ports)
    t.teardown(() => balancer.stop())
    const proxy = await startProxy(balancer.port)
    t.teardown(() => proxy.close())
    const channel = new ChangingChannel(await addressOf(one.url), null)
    channel.change = async () => {
      const four = await start('four')
      ports.splice(1, 1, four.ports.http!)
      await three.stop()
    }
    const run = await probeThrough(proxy.url, one.url, {
      checks: CATALOG.filter(({ group }) => group === 'headers' || group === 'targets'),
      channel,
      repeat: 3,
    })
    t.strictSame(findings(run), [], 'nothing is blamed on the gateway')
    t.ok(run.isComplete)
    t.strictSame(instancesOf([channel]), { instances: ['one', 'three', 'four'], gone: ['three'] })
    t.match(
      goneText({ upstream: { mode: 'url', base_url: '', ...instancesOf([channel]) } }),
      /^three ended during the run/,
    )
  },
)

for (const isNoticed of [true, false])
  t.test(
    `a replica that is killed costs the gateway nothing, ${isNoticed ? 'which leaves it out' : 'which still sends requests there'} [PRB-27]`,
    NEEDS_SERVER,
    async t => {
      const store = await startStateServer(t)
      const start = async (id: string) => {
        const env = { SVC_STATE_STORE: store.url, SVC_INSTANCE_ID: id, SVC_LOG_LEVEL: 'warn' }
        const server = startProcess(t, { yaml: 'plugins: { enable: [probe] }\n', env })
        const port = await server.port('HTTP')
        return { ...server, number: port, url: `http://127.0.0.1:${port}` }
      }
      const one = await start('one')
      const two = await start('two')
      const known = async (): Promise<number> =>
        ((await (await fetch(`${one.url}/_svc/replicas`)).json()) as { count: number }).count
      await until(async () => (await known()) === 2)
      const ports = [one.number, two.number]
      const balancer = await startConnectionBalancer(ports)
      t.teardown(() => balancer.stop())
      const proxy = await startProxy(balancer.port)
      t.teardown(() => proxy.close())
      const channel = new ChangingChannel(await addressOf(one.url), null)
      channel.change = async () => {
        if (isNoticed) ports.pop()
        two.child.kill('SIGKILL')
        await two.exited
      }
      const checks = CATALOG.filter(({ group, id }) => group === 'headers' || id.startsWith('FRM-CL'))
      const run = await probeThrough(proxy.url, one.url, { checks, channel, isHostile: true, repeat: 2 })
      t.ok(run.isComplete)
      t.equal(run.lost, null)
      t.equal(run.results.length, checks.length)
      t.strictSame(instancesOf([channel]).gone, ['two'])
      const found = findings(run).filter(text => !/^\S+ error: /.test(text))
      t.strictSame(found, [], 'nothing is counted against the gateway')
      const errors = run.results.flatMap(({ verdict, reason }) => (verdict === 'error' ? (reason ?? '') : []))
      if (isNoticed) t.strictSame(errors, [])
      t.strictSame(
        errors.filter(reason => !/two ended during the run, and the gateway still sends requests there/.test(reason)),
        [],
      )
    },
  )

t.test('an upstream that ends is an error of all checks that remain [PRB-27]', async t => {
  const server = await launch({ plugins: ['probe'] })
  t.teardown(() => server.stop())
  const proxy = await startProxy(server.ports.http!)
  t.teardown(() => proxy.close())
  const channel = new ChangingChannel(await addressOf(server.url), null)
  channel.change = () => server.stop()
  const run = await probeThrough(proxy.url, server.url, {
    checks: CATALOG.filter(({ group }) => group === 'headers' || group === 'framing'),
    channel,
    isHostile: true,
    repeat: 3,
  })
  t.notOk(run.isComplete)
  const errors = run.results.filter(({ verdict }) => verdict === 'error')
  t.ok(errors.length > 10)
  t.strictSame(
    errors.filter(({ reason }) => !/^upstream lost$|can't be reached|broke off/.test(reason ?? '')),
    [],
  )
  t.strictSame(
    run.results.filter(({ verdict }) => ['fail', 'warn', 'flaky'].includes(verdict)),
    [],
  )
  t.equal(run.results.length, CATALOG.filter(({ group }) => group === 'headers' || group === 'framing').length)
})

t.test('without a store every upstream is named [PRB-23]', async t => {
  const [one, two] = [
    await launch({ plugins: ['probe'], env: { SVC_INSTANCE_ID: 'one' } }),
    await launch({ plugins: ['probe'], env: { SVC_INSTANCE_ID: 'two' } }),
  ]
  t.teardown(() => Promise.all([one.stop(), two.stop()]))
  const balancer = await startConnectionBalancer([one.ports.http!, two.ports.http!])
  t.teardown(() => balancer.stop())
  const proxy = await startProxy(balancer.port)
  t.teardown(() => proxy.close())
  const checks = CATALOG.filter(({ group }) => group === 'headers')
  await t.rejects(
    probeThrough(proxy.url, one.url, { checks }),
    /1 is known: repeat --upstream for two|another svc \(two\)/,
  )
  const run = await probeThrough(proxy.url, one.url, { checks, others: [await channelTo(two.url)] })
  t.strictSame(findings(run), [])

  // The same process by two names.
  const twice = await probeThrough(proxy.url, one.url, {
    checks: checksNamed(['HDR-VIA']),
    others: [await channelTo(two.url), await channelTo(one.url.replace('127.0.0.1', 'localhost'))],
  })
  t.strictSame(
    twice.results.map(({ verdict }) => verdict),
    ['pass'],
  )
})

t.test('workers without a store cannot be distinguished [PRB-23]', async t => {
  const server = await launch({ plugins: ['probe'], env: { SVC_WORKERS: '2' } })
  t.teardown(() => server.stop())
  const response = await fetch(`${server.url}/_svc/probe/sessions`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: '{}',
  })
  t.strictSame([response.status, ((await response.json()) as { error: string }).error], [409, 'state_store_required'])
  await t.rejects((await channelTo(server.url)).open(60), /SVC_WORKERS\): set SVC_STATE_STORE=local/)
})

t.test('nonces of another session are 26 characters [PRB-23]', async t => {
  const server = await launch({ plugins: ['probe'] })
  t.teardown(() => server.stop())
  for (const body of [
    { nonce: 'a'.repeat(26) },
    { nonce: 'A'.repeat(26), field: 'a'.repeat(26) },
    { nonce: 1, field: 2 },
  ]) {
    const response = await fetch(`${server.url}/_svc/probe/sessions`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    })
    t.equal(response.status, 400)
    t.match(await response.json(), { error: 'invalid_body', details: /26 characters/ })
  }
})
