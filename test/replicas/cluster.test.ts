/** Replicas whose state store is a cluster: everything works, and goes on when a server of the cluster fails. */
import t from 'tap'
import { launch } from '../../core/testing/launch.ts'
import { NEEDS_CLUSTER, startStateCluster } from '../support/state-cluster.ts'
import { until } from '../support/until.ts'

t.test('a cluster [STATE-48]', NEEDS_CLUSTER, async t => {
  const cluster = await startStateCluster(t)
  const servers = await Promise.all(
    ['one', 'two', 'three'].map(id =>
      launch({
        plugins: ['echo', 'bins', 'reliability', 'mcp', 'a2a', 'identity', 'graphql', 'mocks', 'llm-openai'],
        env: {
          SVC_STATE_STORE: cluster.url,
          SVC_STATE_STORE_CLUSTER: 'true',
          SVC_STATE_STORE_TIMEOUT_MS: '3000',
          SVC_INSTANCE_ID: id,
          SVC_LIMIT_REQUESTS: '100000',
        },
      }),
    ),
  )
  t.teardown(() => Promise.all(servers.map(server => server.stop())))
  const [one, two, three] = servers as [(typeof servers)[0], (typeof servers)[0], (typeof servers)[0]]
  const json = async (url: string, init?: RequestInit): Promise<Record<string, unknown>> =>
    (await (await fetch(url, init)).json()) as Record<string, unknown>
  const rpc = (url: string, method: string, params: object, headers: Record<string, string> = {}) =>
    fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    })
  const initialize = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 't', version: '1' } }

  await until(async () => (await json(`${three.url}/_svc/replicas`)).count === 3, 'the replicas')
  t.match(await json(`${one.url}/_svc/replicas`), { store: { up: true, cluster: true } })

  const { id } = (await json(`${one.url}/bin`, { method: 'POST' })) as { id: string }
  t.equal((await fetch(`${two.url}/bin/${id}/x`)).status, 200)
  t.match(await json(`${three.url}/bin/${id}/requests`), { count: 1 })
  await fetch(`${one.url}/health/unhealthy`, { method: 'POST' })
  t.equal((await fetch(`${two.url}/health`)).status, 503, 'a register')
  await fetch(`${three.url}/health/healthy`, { method: 'POST' })
  t.equal((await fetch(`${one.url}/health`)).status, 200)
  const opened = await rpc(`${one.url}/mcp`, 'initialize', initialize)
  const session = { 'mcp-session-id': opened.headers.get('mcp-session-id')! }
  const called = await rpc(`${two.url}/mcp`, 'tools/call', { name: 'add', arguments: { a: 2, b: 3 } }, session)
  t.match(await called.text(), /"5"|5/)
  const send = { message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'Hello' }] } }
  const sent = (await (await rpc(`${one.url}/a2a/echo`, 'SendMessage', send, { 'A2A-Version': '1.0' })).json()) as {
    result: { task?: { id: string } }
  }
  t.ok(sent.result, 'an A2A message')
  t.match(await json(`${two.url}/_svc/usage`), { requests: { limit: 100_000 } })
  const { requests } = await json(`${three.url}/_svc/requests?limit=100`)
  t.ok(
    (requests as { path: string }[]).some(({ path }) => path === `/bin/${id}/x`),
    'the log of another replica',
  )

  await cluster.killOwnerOf('svc:{deployment}:r')
  t.equal((await fetch(`${one.url}/echo`)).status, 200, 'what needs no state')
  await until(
    async () =>
      (await Promise.all(servers.map(({ url }) => json(`${url}/_svc/replicas`)))).every(({ count }) => count === 3),
    'the failover',
  )
  t.equal((await fetch(`${two.url}/bin`, { method: 'POST' })).status, 201)
  await until(async () => (await fetch(`${three.url}/health/unhealthy`, { method: 'POST' })).status === 200)
  t.equal((await fetch(`${one.url}/health`)).status, 503, 'registers and messages after the failover')
})
