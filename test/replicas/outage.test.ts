/** Servers whose state store goes away, comes back empty, or is full. */
import t from 'tap'
import { launch } from '../../core/testing/launch.ts'
import { NEEDS_SERVER, startStateServer } from '../support/state-store.ts'
import { until } from '../support/until.ts'

const plugins = ['echo', 'bins', 'reliability', 'mcp', 'a2a', 'identity', 'graphql', 'llm-openai', 'mocks']

/** `GET /_svc/replicas`, in part. */
interface Shown {
  count: number
  store: { up: boolean }
}

t.test('a server that starts before its store [STATE-36]', NEEDS_SERVER, async t => {
  const store = await startStateServer(t)
  await store.kill()
  const server = await launch({
    plugins: ['echo', 'mocks', 'identity', 'mcp', 'a2a'],
    env: { SVC_STATE_STORE: store.url, SVC_INSTANCE_ID: 'early' },
  })
  t.teardown(() => server.stop())
  const status = async (path: string) => (await fetch(`${server.url}${path}`)).status
  t.same([await status('/echo'), await status('/_svc/ready'), await status('/oauth/jwks')], [200, 200, 200])
  const waiting = await fetch(`${server.url}/mock/petstore/v1/pets`)
  t.same(
    [waiting.status, waiting.headers.get('x-svc-state-store'), waiting.headers.get('retry-after')],
    [503, 'away', '1'],
  )
  t.match(await waiting.json(), { error: 'state_unavailable', retry_after_secs: 1 }, 'not 404: the plugin comes back')
  t.match(server.lines.join(''), /did not respond; routes that need no state are served/)
  await store.start()
  await until(async () => (await status('/mock/petstore/v1/pets')) === 200, 'the mocks')
  t.same(
    server.plugins().filter(({ state }) => state === 'failed'),
    [],
  )
})

t.test('two servers and their store', NEEDS_SERVER, async t => {
  const store = await startStateServer(t)
  const start = (id: string) =>
    launch({
      plugins,
      env: {
        SVC_STATE_STORE: store.url,
        SVC_INSTANCE_ID: id,
        SVC_STATE_STORE_TIMEOUT_MS: '1500',
        SVC_LOG_LEVEL: 'info',
      },
    })
  const [one, two] = await Promise.all([start('one'), start('two')])
  t.teardown(() => Promise.all([one.stop(), two.stop()]))
  const rpc = (path: string, method: string, headers: Record<string, string> = {}, params: object = {}) =>
    fetch(`${one.url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
      body: JSON.stringify({ jsonrpc: '2.0', id: 7, method, params }),
    })
  const initialize = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 't', version: '1' } }
  /** Both servers use the store again, and know each other. */
  const isBack = () =>
    until(async () => {
      const shown = await Promise.all(
        [one, two].map(async ({ url }) => (await fetch(`${url}/_svc/replicas`)).json() as Promise<Shown>),
      )
      return shown.every(({ count, store: { up } }) => up && count === 2)
    }, 'the return of the store')

  await t.test('responses and the control plane show the replicas [STATE-40]', async t => {
    t.equal((await fetch(`${one.url}/echo`)).headers.get('x-svc-replica'), 'one')
    await until(async () => {
      const { count } = (await (await fetch(`${two.url}/_svc/replicas`)).json()) as { count: number }
      return count === 2
    })
    const shown = (await (await fetch(`${two.url}/_svc/replicas`)).json()) as {
      self: string
      replicas: { replica: string }[]
    }
    t.match(shown, { store: { up: true, prefix: 'svc', cluster: false, version: /^\d/ } })
    t.match(
      shown.replicas.find(({ replica }) => replica === shown.self),
      { instance_id: 'two', healthy: true, self: true },
    )
    t.match(await (await fetch(`${one.url}/_svc/status`)).json(), { replicas: 2, state_store: { up: true } })
    const post = async (path: string) => (await fetch(`${one.url}${path}`, { method: 'POST' })).status
    t.equal(await post('/health/unhealthy?scope=replica'), 200)
    t.same([(await fetch(`${one.url}/health`)).status, (await fetch(`${two.url}/health`)).status], [503, 200])
    t.equal(await post('/health/healthy'), 200)
    t.same([(await fetch(`${one.url}/health`)).status, (await fetch(`${two.url}/health`)).status], [200, 200])
    t.equal(await post('/health/healthy?scope=none'), 400)
  })

  await t.test(
    'while it is unavailable, what needs no state is served, and the rest fails in the words of its protocol [STATE-36]',
    async t => {
      const opened = await rpc('/mcp', 'initialize', {}, initialize)
      const session = { 'mcp-session-id': opened.headers.get('mcp-session-id')! }
      await store.kill()
      await until(() => [one, two].every(({ lines }) => lines.some(line => line.includes('is unavailable'))))
      t.equal((await fetch(`${one.url}/echo`)).status, 200)
      t.equal((await fetch(`${one.url}/_svc/ready`)).status, 200)
      t.match(await (await fetch(`${one.url}/_svc/replicas`)).json(), { count: 1, store: { up: false } })
      const flaky = await fetch(`${one.url}/flaky/recover/1`)
      t.equal(flaky.status, 503)
      t.equal(flaky.headers.get('x-svc-state-store'), 'away')
      t.equal(flaky.headers.get('retry-after'), '1')
      t.same(await flaky.json(), { error: 'state_unavailable', retry_after_secs: 1 })
      t.equal((await fetch(`${one.url}/bin`, { method: 'POST' })).status, 503)
      t.equal((await fetch(`${one.url}/health/unhealthy`, { method: 'POST' })).status, 503)
      const call = await rpc('/mcp', 'tools/list', session)
      t.equal(call.status, 503)
      t.match(await call.json(), { id: 7, error: { code: -32603, message: 'The state store is unavailable' } })
      t.equal((await rpc('/mcp', 'initialize', {}, initialize)).status, 503)
      const token = await fetch(`${one.url}/oauth/token`, {
        method: 'POST',
        headers: { Authorization: `Basic ${Buffer.from('svc:svc-secret').toString('base64')}` },
        body: new URLSearchParams({ grant_type: 'refresh_token', refresh_token: 'x' }),
      })
      t.equal(token.status, 503)
      t.match(await token.json(), { error: 'temporarily_unavailable' })
      const own = await fetch(`${one.url}/oauth/token`, {
        method: 'POST',
        headers: { Authorization: `Basic ${Buffer.from('svc:svc-secret').toString('base64')}` },
        body: new URLSearchParams({ grant_type: 'client_credentials' }),
      })
      t.equal(own.status, 200, 'client credentials need no state')
      t.equal((await fetch(`${one.url}/oauth/jwks`)).status, 200)
      const { inspector } = (await (await fetch(`${one.url}/_svc/status`)).json()) as { inspector: { stored: number } }
      t.ok(inspector.stored >= 1, 'captured requests of this replica')
      t.match(await (await fetch(`${one.url}/_svc/requests`)).json(), { partial: true })
      await store.start()
      await isBack()
      const lost = await rpc('/mcp', 'tools/list', session)
      t.equal(lost.status, 404, 'the store came back empty')
      t.equal((await rpc('/mcp', 'initialize', {}, initialize)).status, 200)
    },
  )

  await t.test('registers are stored again when it comes back empty [STATE-36]', async t => {
    await fetch(`${one.url}/health/unhealthy`, { method: 'POST' })
    t.equal((await fetch(`${two.url}/health`)).status, 503)
    await store.kill()
    await store.start()
    await isBack()
    await until(() => store.command('HEXISTS', 'svc:{deployment}:g', '_core/health.1') === '1')
    t.equal((await fetch(`${two.url}/health`)).status, 503)
    await until(async () => (await fetch(`${two.url}/health/healthy`, { method: 'POST' })).status === 200)
    t.equal((await fetch(`${one.url}/health`)).status, 200)
  })

  await t.test('mocks respond without the store, and are stored again [MOCK-101]', async t => {
    const put = (name: string, body: string): Promise<Response> =>
      fetch(`${one.url}/_svc/mocks/${name}`, { method: 'PUT', body })
    const document = JSON.stringify({
      openapi: '3.1.0',
      info: { title: 'Kept', version: '1' },
      paths: { '/a': { get: { responses: { 204: { description: 'done' } } } } },
    })
    t.equal((await put('kept', document)).status, 201)
    const rules = [
      { when: [{ in: 'count', op: 'gte', value: 1 }], ...(JSON.parse('{"then":{"status":202}}') as object) },
    ]
    t.equal((await put('counting', JSON.stringify({ spec: JSON.parse(document) as object, rules }))).status, 201)
    const statuses = (path: string): Promise<number[]> =>
      Promise.all([one, two].map(async ({ url }) => (await fetch(`${url}/mock/${path}`)).status))
    t.same(await statuses('counting/a'), [202, 202])
    await store.kill()
    await until(async () => {
      const { store: shown } = (await (await fetch(`${one.url}/_svc/replicas`)).json()) as Shown
      return !shown.up
    }, 'the outage')
    t.same(await statuses('petstore/v1/pets/7'), [200, 200])
    t.same(await statuses('kept/a'), [204, 204])
    t.same(await statuses('counting/a'), [503, 503], 'rules need the state of a session')
    await store.start()
    await isBack()
    await until(async () => (await statuses('counting/a')).every(status => status === 202), 'the return of the state')
    t.same(await statuses('kept/a'), [204, 204])
    await until(() => store.command('HEXISTS', 'svc:{mocks/mocks.1}:v', 'kept') === '1', 'the mock is stored again')
    t.equal((await fetch(`${two.url}/_svc/mocks/kept/spec`)).status, 200)
    t.equal((await fetch(`${two.url}/_svc/mocks/kept`, { method: 'DELETE' })).status, 200)
    t.same(await statuses('kept/a'), [404, 404])
  })

  await t.test('no replica is taken for gone because of an outage [STATE-36]', async t => {
    t.ok(one.lines.some(line => line.includes('joined')) || two.lines.some(line => line.includes('joined')))
    t.same(
      [...one.lines, ...two.lines].filter(line => line.includes('is gone')),
      [],
    )
  })

  await t.test('a store that is full refuses writes and answers the rest [STATE-37]', async t => {
    const made = (await (await fetch(`${one.url}/bin`, { method: 'POST' })).json()) as { id: string }
    store.command('CONFIG', 'SET', 'maxmemory', '1')
    const refused = await fetch(`${one.url}/bin`, { method: 'POST' })
    t.equal(refused.status, 503)
    t.equal(refused.headers.get('x-svc-state-store'), 'full')
    t.equal(refused.headers.get('retry-after'), '5')
    t.same(await refused.json(), { error: 'state_full', retry_after_secs: 5 })
    t.equal((await fetch(`${two.url}/bin/${made.id}/requests`)).status, 200)
    t.equal((await fetch(`${two.url}/echo`)).status, 200)
    store.command('CONFIG', 'SET', 'maxmemory', '0')
    t.equal((await fetch(`${one.url}/bin`, { method: 'POST' })).status, 201)
  })
})
