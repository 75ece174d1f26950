/** What the core keeps in registers and logs, seen by two servers that share their state. */
import t from 'tap'
import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isIssuedBy } from '../../../core/pki/verification.ts'
import { StateRegistry } from '../../../core/state/state-registry.ts'
import { launch } from '../../../core/testing/launch.ts'
import type { InspectorEntry } from '../../../core/contract/plugin.ts'
import type { TestServer } from '../../support/server.ts'
import { until } from '../../support/until.ts'

const states = new StateRegistry({ isStrict: true, isShared: true })
t.teardown(() => states.close())
const options = { states, plugins: ['auth', 'status', 'transfer'] }
const first = await launch({ ...options, env: { SVC_INSTANCE_ID: 'one' } })
const second = await launch({ ...options, env: { SVC_INSTANCE_ID: 'two' } })
t.teardown(() => Promise.all([first.stop(), second.stop()]))

const post = (url: string) => fetch(url, { method: 'POST' })
const json = async (response: Response) => (await response.json()) as Record<string, unknown>

t.test('health is switched for all replicas [STATE-32]', async t => {
  t.match(await json(await post(`${first.url}/health/unhealthy`)), { healthy: false })
  t.equal((await fetch(`${second.url}/health`)).status, 503)
  const toggled = await Promise.all([post(`${first.url}/health/toggle`), post(`${second.url}/health/toggle`)])
  const seen = await Promise.all(toggled.map(json))
  t.same(seen.map(({ healthy }) => healthy).sort(), [false, true], 'each toggle reports what it has set')
  t.equal((await fetch(`${first.url}/health`)).status, 503)
  await post(`${second.url}/health/healthy`)
  t.equal((await fetch(`${first.url}/health`)).status, 200)
})

t.test('plugins are switched for all replicas [STATE-32]', async t => {
  const generations = () => [first, second].map(({ host }) => host.current().number)
  const before = generations()
  const off = await post(`${first.url}/_svc/plugins/status/disable`)
  t.equal(off.status, 200)
  await until(async () => (await fetch(`${second.url}/status/204`)).status === 404)
  t.match(
    second.plugins().find(({ name }) => name === 'status'),
    { state: 'disabled', disabled_by: 'api' },
  )
  await fetch(`${second.url}/_svc/plugins/status/override`, { method: 'DELETE' })
  await until(async () => (await fetch(`${first.url}/status/204`)).status === 204)
  t.same(
    generations(),
    before.map(number => number + 2),
    'each switch is built once',
  )
})

t.test('all replicas have the demo CA of the first one, and HTTPS pairs of their own [STATE-32]', async t => {
  const ca = async (url: string) => (await fetch(`${url}/auth/mtls/get-ca-cert?format=pem`)).text()
  const shared = await ca(first.url)
  t.equal(await ca(second.url), shared)
  t.equal(readFileSync(join(first.folder, 'certs', 'ca.crt'), 'latin1'), shared)
  const leaves = [first, second].map(
    ({ folder }) => new X509Certificate(readFileSync(join(folder, 'certs', 'server.crt'))),
  )
  for (const leaf of leaves) t.ok(isIssuedBy(leaf, new X509Certificate(shared)))
  t.not(leaves[0]!.serialNumber, leaves[1]!.serialNumber)
  const client = async (url: string) => (await fetch(`${url}/auth/mtls/get-client-cert?format=pem`)).text()
  t.equal(await client(first.url), await client(second.url))
})

t.test('captured requests are those of all replicas, newest first [STATE-33]', async t => {
  const list = async (server: TestServer, query: string) => {
    for (const { flush } of [first, second]) flush()
    const response = await fetch(`${server.url}/_svc/requests?${query}`)
    const { requests } = (await response.json()) as { requests: InspectorEntry[] }
    return requests
  }
  const send = (server: TestServer, session: string) =>
    fetch(`${server.url}/status/204`, { headers: { 'X-Svc-Session': session } })
  await send(first, 'a')
  first.flush()
  await send(second, 'a')
  await send(second, 'b')
  for (const server of [first, second]) {
    const shown = await list(server, 'session=a')
    t.strictSame(
      shown.map(({ replica, status, ended }) => ({ replica, status, ended })),
      [
        { replica: 'two', status: 204, ended: 'complete' },
        { replica: 'one', status: 204, ended: 'complete' },
      ],
    )
    const [newest] = shown
    t.strictSame(await json(await fetch(`${server.url}/_svc/requests/${newest!.id}`)), newest)
    t.match(await json(await fetch(`${server.url}/_svc/requests/${newest!.request_id}`)), { id: newest!.id })
  }
  const { inspector } = await json(await fetch(`${first.url}/_svc/status`))
  t.ok((inspector as { stored: number }).stored >= 3)
  t.match(await json(await fetch(`${first.url}/_svc/requests?session=a`, { method: 'DELETE' })), { cleared: 2 })
  t.same(await list(second, 'session=a'), [])
  t.equal((await list(second, 'session=b')).length, 1)
})

t.test('how a response ended is seen at every replica [STATE-33]', async t => {
  const slow = await fetch(`${first.url}/drip?duration=5&numbytes=5`, { headers: { 'X-Svc-Session': 'slow' } })
  const ofSlow = async () => {
    for (const { flush } of [first, second]) flush()
    const { requests } = (await (await fetch(`${second.url}/_svc/requests?session=slow`)).json()) as {
      requests: InspectorEntry[]
    }
    return requests[0]
  }
  t.match(await until(ofSlow), { ended: 'open', replica: 'one' })
  await slow.body!.cancel()
  await until(async () => (await ofSlow())?.ended === 'client_left')
})

t.test('a feed has the requests of all replicas, and continues after an entry of another one [STATE-33]', async t => {
  const send = async (server: TestServer) => {
    await fetch(`${server.url}/status/204`, { headers: { 'X-Svc-Session': 'feed' } })
    server.flush()
  }
  const open = async (server: TestServer, last?: string) => {
    const ids: string[] = []
    const stop = new AbortController()
    const response = await fetch(`${server.url}/_svc/requests/stream?session=feed`, {
      headers: last === undefined ? {} : { 'Last-Event-ID': last },
      signal: stop.signal,
    })
    const reading = (async () => {
      let text = ''
      for await (const bytes of response.body!) {
        text += Buffer.from(bytes).toString()
        ids.splice(0, ids.length, ...[...text.matchAll(/^id: (.*)$/gm)].map(match => match[1]!))
      }
    })().catch(() => {})
    return {
      ids,
      async close() {
        stop.abort()
        await reading
      },
    }
  }
  await send(first)
  const feed = await open(second)
  await send(first)
  await send(second)
  await until(() => feed.ids.length === 2)
  const resumed = await open(first, feed.ids[0])
  await until(() => resumed.ids.length === 1)
  t.same(resumed.ids, [feed.ids[1]])
  await resumed.close()
  await send(second)
  await until(() => feed.ids.length === 3)
  await feed.close()
  const last = feed.ids.at(-1)
  const again = await open(second, last)
  await send(first)
  await until(() => again.ids.length === 1)
  t.notOk(feed.ids.includes(again.ids[0]!), 'and nothing twice')
  await again.close()
})

t.test('waits and verifications see the requests of all replicas [STATE-33]', async t => {
  const send = (server: TestServer) => fetch(`${server.url}/status/204`, { headers: { 'X-Svc-Session': 'wait' } })
  const verify = (server: TestServer, body: object) =>
    fetch(`${server.url}/_svc/verify?session=wait`, { method: 'POST', body: JSON.stringify(body) })
  await send(second)
  second.flush()
  t.equal((await verify(first, { exactly: 1 })).status, 200)
  const waiting = verify(first, { exactly: 3, within_ms: 20_000, settle_ms: 200 })
  await send(second)
  await send(first)
  t.match(await json(await waiting), { verified: true, count: 3 })
  const listed = await fetch(`${second.url}/_svc/requests?session=wait&replica=two&wait_for=2&timeout_ms=20000`)
  t.match(await json(listed), { count: 2, satisfied: true })
})
