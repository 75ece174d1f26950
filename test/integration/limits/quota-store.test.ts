/** Several instances, one store: exact together, separate while it is unreachable, correct after the reconnect. */
import t, { type Test } from 'tap'
import { Agent, fetch as undiciFetch } from 'undici'
import { serveLimits } from '../../support/limits-server.ts'
import { startResp, startStore } from '../../support/redis.ts'
import type { TestServer } from '../../support/server.ts'
import { until } from '../../support/until.ts'

const KEY = 'svc-shared-key'

function startInstance(t: Test, url: string, quota: number, env: Record<string, string> = {}): Promise<TestServer> {
  return serveLimits(t, {
    SVC_SHARED_MODE: 'true',
    SVC_KEY_DAILY_REQUESTS: String(quota),
    SVC_QUOTA_STORE: url,
    ...env,
  })
}

interface View {
  quota_store: { configured: boolean; up: boolean }
  keys: { requests: { used: number; instance_used: number } }[]
}
async function viewOf(server: TestServer): Promise<View> {
  return (await (await fetch(`${server.url}/_svc/keys/usage`)).json()) as View
}

/** Sends this many requests at once to the servers in turn; returns the number admitted. */
async function admittedOf(servers: TestServer[], count: number): Promise<number> {
  const dispatcher = new Agent({ connections: 100 })
  const statuses = await Promise.all(
    Array.from({ length: count }, async (_each, index) => {
      const response = await undiciFetch(`${servers[index % servers.length]!.url}/x`, {
        dispatcher,
        headers: { 'X-Svc-Key': KEY },
      })
      await response.arrayBuffer()
      return response.status
    }),
  )
  await dispatcher.close()
  const odd = statuses.filter(status => status !== 200 && status !== 429)
  if (odd.length > 0) throw new Error(`answered ${odd.join()}`)
  return statuses.filter(status => status === 200).length
}

const isUp = (server: TestServer) => until(async () => (await viewOf(server)).quota_store.up, 'the store is up')
const isDown = (server: TestServer) => until(async () => !(await viewOf(server)).quota_store.up, 'the store is down')
const usedOf = async (server: TestServer) => (await viewOf(server)).keys[0]!.requests.used

t.test('two instances admit exactly the quota together, 200 clients at once [STORE-1, PLAN-5]', async t => {
  const store = await startStore(t)
  t.comment(store.kind)
  const servers = await Promise.all([startInstance(t, store.url, 83), startInstance(t, store.url, 83)])
  t.equal(await admittedOf(servers, 200), 83)
  const views = await Promise.all(servers.map(viewOf))
  for (const { keys, quota_store } of views)
    t.match([keys[0]!.requests.used, quota_store], [83, { configured: true, up: true }])
  t.equal(views[0]!.keys[0]!.requests.instance_used + views[1]!.keys[0]!.requests.instance_used, 83)
  t.match(await (await fetch(`${servers[0]!.url}/_svc/metrics`)).text(), /svc_quota_store_up 1\n/)
})

t.test(
  'a killed store neither disables the limit nor rejects everything, and counts are correct after the reconnect [STORE-2]',
  async t => {
    const store = await startStore(t)
    const servers = (await Promise.all([startInstance(t, store.url, 50), startInstance(t, store.url, 50)])) as [
      TestServer,
      TestServer,
    ]
    t.equal(await admittedOf(servers, 20), 20)
    const knowsAll = (server: TestServer) => until(async () => (await usedOf(server)) === 20, 'the count of both')
    await Promise.all(servers.map(knowsAll))
    await store.kill()
    await Promise.all(servers.map(isDown))
    t.equal(await admittedOf(servers, 10), 10, 'each goes on')
    t.ok((await admittedOf([servers[0]], 100)) <= 30, 'each holds the quota by what it knows')
    t.match(await (await fetch(`${servers[0].url}/_svc/metrics`)).text(), /svc_quota_store_up 0\n/)
    const alone = (await Promise.all(servers.map(viewOf))).map(({ keys }) => keys[0]!.requests.instance_used)
    await store.start()
    await Promise.all(servers.map(isUp))
    t.equal(await usedOf(servers[0]), alone[0]! + alone[1]!, 'nothing lost, nothing doubled')
    t.equal(await usedOf(servers[1]), alone[0]! + alone[1]!)
    t.equal(await admittedOf(servers, 20), Math.max(0, 50 - alone[0]! - alone[1]!))
    t.equal(servers[0].lines.filter(line => line.includes('is unreachable')).length, 1, 'one warning')
  },
)

t.test('a store that lost its data does not grant a fresh quota [STORE-2]', async t => {
  const store = await startStore(t)
  const server = await startInstance(t, store.url, 10)
  t.equal(await admittedOf([server], 6), 6)
  await store.lose()
  await isDown(server)
  t.equal(await admittedOf([server], 2), 2)
  await store.start()
  await isUp(server)
  t.equal(await usedOf(server), 8)
  t.equal(await admittedOf([server], 20), 2)
})

t.test('the store gets only the documented commands, keys and expiry [STORE-1]', async t => {
  const store = await startResp(t)
  await store.start()
  const server = await startInstance(t, store.url, 2)
  await isUp(server)
  store.commands.length = 0
  t.equal(await admittedOf([server], 1), 1)
  t.strictSame(store.commands, ['MULTI', 'INCR', 'EXPIREAT', 'EXEC'])
  t.equal(await admittedOf([server], 3), 1)
  await until(() => [...store.values.values()][0] === 2, 'refused ones are undone')
  await viewOf(server)
  t.strictSame([...new Set(store.commands)].toSorted(), ['DECR', 'EXEC', 'EXPIREAT', 'INCR', 'MGET', 'MULTI'])
  const [key] = [...store.values.keys()] as [string]
  const day = new Date().toISOString().slice(0, 10)
  t.match(key, new RegExp(`^svc:quota:${day.replaceAll('-', '')}:k-[\\da-f]{12}$`))
  t.equal(store.expiries.get(key), Date.parse(`${day}T00:00:00Z`) / 1000 + 86_400 + 3_600)
  store.commands.length = 0
  await store.kill()
  await isDown(server)
  await store.start()
  await isUp(server)
  t.strictSame(
    [...new Set(store.commands)].filter(name => !['CLIENT', 'HELLO', 'MGET'].includes(name)),
    [],
    'nothing to tell',
  )
})

t.test('a store that does not respond is disconnected, and no request waits for it [STORE-2]', async t => {
  const store = await startResp(t)
  await store.start()
  const server = await startInstance(t, store.url, 100)
  await isUp(server)
  store.isStuck = true
  t.equal(await admittedOf([server], 20), 20)
  t.notOk((await viewOf(server)).quota_store.up)
  t.equal(await admittedOf([server], 20), 20)
  store.isStuck = false
  await isUp(server)
  t.equal(await usedOf(server), 40)
})

t.test('a start without the store, and an invalid URL, do not prevent serving [STORE-2]', async t => {
  const store = await startResp(t)
  const server = await startInstance(t, store.url.replace('//', '//user:store-secret@'), 3)
  t.equal(await admittedOf([server], 5), 3)
  await store.start()
  await isUp(server)
  t.equal(await usedOf(server), 3)
  t.notMatch(server.lines.join('') + (await (await fetch(`${server.url}/_svc/config`)).text()), /store-secret/)
  const none = await startInstance(t, 'http://127.0.0.1:1', 3)
  t.match(none.lines.join(''), /invalid SVC_QUOTA_STORE/)
  t.match((await viewOf(none)).quota_store, { configured: false, up: false })
  t.equal(await admittedOf([none], 5), 3)
})
