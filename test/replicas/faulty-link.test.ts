/**
 * Two servers whose connection to the state store is slow, or breaks: once, repeatedly, in the middle of a reply.
 * Mostly waits: for the servers to connect again.
 */
import t from 'tap'
import { createHash } from 'node:crypto'
import { launch } from '../../core/testing/launch.ts'
import { call as callMcp, openSession } from '../support/mcp.ts'
import { authorization, demoClient, encode, getCode, locationOf, logIn, post, call as visit } from '../support/oauth.ts'
import { NEEDS_SERVER, startStateServer } from '../support/state-store.ts'
import { startStoreProxy } from '../support/store-proxy.ts'
import { until } from '../support/until.ts'

/** No stall of a busy machine lasts as long as the first, and the second is far longer. */
const TIMEOUT_MS = 2500
const SLOW_MS = 10_000
const V1 = { 'A2A-Version': '1.0', 'Content-Type': 'application/json' }

type Json = ReturnType<typeof JSON.parse>

t.test('replicas behind a faulty link to their store', NEEDS_SERVER, async t => {
  const store = await startStateServer(t)
  const proxy = await startStoreProxy(t, store.url)
  const start = (id: string) =>
    launch({
      plugins: [
        'echo',
        'bins',
        'reliability',
        'mcp',
        'mcp-extensions',
        'a2a',
        'identity',
        'auth',
        'graphql',
        'llm-openai',
        'mocks',
      ],
      env: {
        SVC_STATE_STORE: proxy.url,
        SVC_INSTANCE_ID: id,
        SVC_STATE_STORE_TIMEOUT_MS: String(TIMEOUT_MS),
        SVC_LOG_LEVEL: 'info',
      },
    })
  const [one, two] = await Promise.all([start('one'), start('two')])
  t.teardown(() => Promise.all([one.stop(), two.stop()]))
  const both = [one, two]
  const fetchJson = async (url: string, init?: RequestInit): Promise<Json> => (await fetch(url, init)).json()
  const countLines = (text: string): number[] =>
    both.map(({ lines }) => lines.filter(line => line.includes(text)).length)
  const outages = (): number[] => countLines(' is unavailable: ')
  /** Both servers have entered the return of the store in the log, and know each other. */
  const isUp = async (): Promise<boolean> => {
    const shown = await Promise.all(both.map(({ url }) => fetchJson(`${url}/_svc/replicas`)))
    const [left, returned] = [outages(), countLines(' is available')]
    return shown.every(({ count, store: { up } }, at) => up && count === 2 && returned[at] === left[at]! + 1)
  }
  const isBack = () => until(isUp, 'the return of the store')
  /** Resolves when both servers have noticed that something happened to their connections. */
  const noticed = (before: number[]) =>
    until(() => outages().every((count, index) => count > before[index]!), 'the outage')
  const cut = async (): Promise<void> => {
    const before = outages()
    proxy.cut()
    await noticed(before)
  }
  const send = (url: string, metadata: object = {}, method = 'SendMessage'): Promise<Response> =>
    fetch(url, {
      method: 'POST',
      headers: V1,
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 7,
        method,
        params: { message: { messageId: 'm-1', role: 'ROLE_USER', parts: [{ text: 'hello' }], metadata } },
      }),
    })
  await isBack()

  const bin = (await fetchJson(`${one.url}/bin`, { method: 'POST' })).id as string
  const session = await openSession(`${one.url}/mcp`)
  const { refresh_token, access_token } = await logIn(one.url, { scope: 'openid offline_access' })
  const code = await getCode(one.url)
  const refresh = () => post(`${one.url}/oauth/token`, { grant_type: 'refresh_token', refresh_token })
  const bearer = { Authorization: `Bearer ${access_token}` }
  const query = '{ __typename }'
  const sha256Hash = createHash('sha256').update(query).digest('hex')
  const askGraphQl = (body: object): Promise<Json> =>
    fetchJson(`${two.url}/graphql`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ ...body, extensions: { persistedQuery: { version: 1, sha256Hash } } }),
    })
  const chat = (): Promise<Response> =>
    fetch(`${one.url}/ai/openai/v1/chat/completions`, {
      method: 'POST',
      body: JSON.stringify({ model: 'svc-gpt', messages: [{ role: 'user', content: 'hello' }] }),
    })

  await t.test(
    'a store that takes 10 s for each reply is unavailable: each protocol has its answer [STATE-36]',
    async t => {
      proxy.delay(SLOW_MS)
      const first = await fetch(`${one.url}/flaky/recover/1`)
      t.equal(first.status, 503)
      t.equal(proxy.delivered, 0, 'the response does not wait for the reply')
      await noticed([0, 0])
      t.equal((await fetch(`${one.url}/echo`)).status, 200)
      t.equal((await fetch(`${one.url}/_svc/ready`)).status, 200)
      for (const [method, path] of [
        ['POST', '/bin'],
        ['GET', `/bin/${bin}/requests`],
        ['GET', '/flaky/recover/1'],
        ['POST', '/health/unhealthy'],
        ['POST', '/_svc/plugins/echo/disable'],
        ['POST', '/_svc/mocks/petstore/disable'],
      ] as const) {
        const response = await fetch(one.url + path, { method })
        t.equal(response.status, 503, path)
        t.equal(response.headers.get('x-svc-state-store'), 'away', path)
        t.equal(response.headers.get('retry-after'), '1', path)
        t.match(await response.json(), { error: 'state_unavailable', retry_after_secs: 1 }, path)
      }

      const form = { ...authorization(), username: 'alice', password: 'alice', action: 'approve' }
      const redirected = locationOf(await post(`${one.url}/oauth/authorize`, form, {}))
      t.equal(redirected.query.get('error'), 'temporarily_unavailable')
      for (const [path, fields] of [
        ['token', { grant_type: 'refresh_token', refresh_token }],
        ['token', { grant_type: 'authorization_code', code, redirect_uri: authorization().redirect_uri }],
        ['introspect', { token: access_token }],
        ['revoke', { token: refresh_token }],
      ] as const) {
        const refused = await post(`${one.url}/oauth/${path}`, fields)
        t.equal(refused.status, 503, path)
        t.match(refused.body, { error: 'temporarily_unavailable', error_description: String }, path)
        t.equal(refused.headers.get('x-svc-state-store'), 'away', path)
      }
      t.equal((await post(`${one.url}/oauth/token`, { grant_type: 'client_credentials' })).status, 200)
      t.equal((await fetch(`${one.url}/oauth/jwks`)).status, 200)
      t.equal((await visit(`${one.url}/auth/jwt`, { headers: bearer })).status, 200, 'verified without state')
      t.equal((await visit(`${one.url}/oauth/userinfo`, { headers: bearer })).status, 503, 'it may be revoked')

      const error = { code: -32603, message: 'The state store is unavailable' }
      const called = await session.request('tools/list', {}, { id: 9 })
      t.match([called.status, called.answer], [503, { id: 9, error }])
      t.equal((await callMcp(`${one.url}/mcp`, 'tools/list')).status, 200, 'stateless MCP')
      const sent = await send(`${one.url}/a2a/echo`)
      t.equal(sent.status, 200)
      t.equal(sent.headers.get('x-svc-state-store'), 'away')
      t.match(await sent.json(), { id: 7, error: { code: -32603, data: [{ reason: 'STATE_UNAVAILABLE' }] } })
      const posted = await fetch(`${one.url}/a2a/echo/v1/message:send`, {
        method: 'POST',
        headers: V1,
        body: JSON.stringify({ message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'hello' }] } }),
      })
      t.equal(posted.status, 503)
      t.match(await posted.json(), { error: { status: 'UNAVAILABLE' } })

      t.equal((await chat()).status, 200, 'the mock LLM')
      t.match(await askGraphQl({}), { errors: [{ message: 'PersistedQueryNotFound' }] })
      t.match(await askGraphQl({ query }), { data: { __typename: 'Query' } })
      t.match(await fetchJson(`${one.url}/_svc/requests`), { partial: true })
    },
  )

  await t.test('when the replies are in time again, nothing is lost [STATE-36]', async t => {
    proxy.delay(0)
    await isBack()
    t.equal((await session.request('tools/list')).status, 200)
    t.equal((await fetch(`${two.url}/bin/${bin}/requests`)).status, 200)
    t.equal((await refresh()).status, 200, 'the refresh token was not used up')
    const fields = { grant_type: 'authorization_code', code, redirect_uri: authorization().redirect_uri }
    t.equal((await visit(`${two.url}/oauth/token`, formOf(fields))).status, 200, 'nor the code')
    t.equal((await visit(`${two.url}/oauth/userinfo`, { headers: bearer })).status, 200)
    await until(async () => (await fetchJson(`${two.url}/ai/usage`)).totals.requests === 1, 'the call in the ledger')
  })

  await t.test('an MCP task that ends while it is unavailable has its result afterwards [STATE-36]', async t => {
    const extension = { capabilities: { extensions: { 'io.modelcontextprotocol/tasks': {} } } }
    const tasks = (at: number, method: string, params: Json): Promise<Json> =>
      callMcp(`${both[at]!.url}/mcp/servers/tasks`, method, params, extension)
    const { answer } = await tasks(0, 'tools/call', { name: 'slow_compute', arguments: { seconds: 1, label: 'x' } })
    const { taskId } = answer.result
    const before = outages()
    proxy.delay(SLOW_MS)
    await noticed(before)
    await new Promise(resolve => setTimeout(resolve, 1500))
    proxy.delay(0)
    await isBack()
    const ended = await until(async () => {
      const { result } = (await tasks(1, 'tasks/get', { taskId })).answer
      return result.status === 'working' ? null : result
    }, 'the end of the task')
    t.match(ended, { status: 'completed', result: { structuredContent: { label: 'x' } } })
  })

  await t.test(
    'streams stay open while it is unavailable, and get what came meanwhile, in order [STATE-36]',
    async t => {
      const response = await send(`${one.url}/a2a/echo`, { stepDelayMs: 150 }, 'SendStreamingMessage')
      const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
      let text = (await reader.read()).value ?? ''
      await cut()
      for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) text += chunk.value
      await isBack()
      const expected = await (await send(`${one.url}/a2a/echo`, {}, 'SendStreamingMessage')).text()
      t.same(kindsOf(text), kindsOf(expected))
      t.match(text, /TASK_STATE_COMPLETED/)
    },
  )

  await t.test(
    'a connection that breaks in the middle of a reply: none is mistaken for another [STATE-36]',
    async t => {
      const captured = (await fetchJson(`${one.url}/bin`, { method: 'POST' })).id as string
      t.equal((await fetch(`${one.url}/bin/${captured}/large`, { method: 'POST', body: 'x'.repeat(9000) })).status, 200)
      for (const bytes of [1, 7, 200]) {
        const before = proxy.cuts
        proxy.cutInReply(bytes)
        const read = await Promise.all(both.map(({ url }) => fetch(`${url}/bin/${captured}/requests`)))
        t.ok(proxy.cuts > before, 'a reply was cut')
        for (const response of read) {
          t.ok([200, 503].includes(response.status), `${response.status} after ${bytes} bytes`)
          if (response.status === 200) t.match(await response.json(), { count: 1, requests: [{ path: '/large' }] })
        }
        await isBack()
        t.match(await fetchJson(`${two.url}/bin/${captured}/requests`), { count: 1, requests: [{ path: '/large' }] })
      }
    },
  )

  await t.test('connections that break again and again: what was acknowledged is stored, once [STATE-36]', async t => {
    const target = (await fetchJson(`${one.url}/bin`, { method: 'POST' })).id as string
    const acknowledged: string[] = []
    const others = new Set<string>()
    let isOver = false
    const client = async (url: string, name: string): Promise<void> => {
      for (let count = 0; !isOver; count++) {
        const response = await fetch(`${url}/bin/${target}/${name}-${count}`)
        await response.text()
        if (response.status === 200) acknowledged.push(`/${name}-${count}`)
        else others.add(`${response.status} ${response.headers.get('x-svc-state-store')}`)
        await new Promise(resolve => setTimeout(resolve, 10))
      }
    }
    const clients = [client(one.url, 'a'), client(two.url, 'b'), client(two.url, 'c')]
    for (let count = 0; count < 5; count++) {
      await until(isUp, 'a connection')
      const before = acknowledged.length
      await until(() => acknowledged.length > before, 'a response')
      await cut()
    }
    await isBack()
    isOver = true
    await Promise.all(clients)
    t.same(
      [...others].filter(other => other !== '503 away'),
      [],
      'every other response says why',
    )
    const { requests } = await fetchJson(`${two.url}/bin/${target}/requests?limit=100`)
    const stored = (requests as { path: string }[]).map(({ path }) => path)
    t.equal(new Set(stored).size, stored.length, 'none twice')
    const newest = acknowledged.slice(-20)
    t.same(
      newest.filter(path => !stored.includes(path)),
      [],
    )
  })

  await t.test('the log says when the store went and came back, and no replica is taken for gone', async t => {
    const lines = both.flatMap(server => server.lines)
    t.same(
      lines.filter(line => /"level":"error"|is gone/.test(line)),
      [],
    )
  })
})

t.test('two deployments in one store, with different prefixes [STATE-36]', NEEDS_SERVER, async t => {
  const store = await startStateServer(t)
  const start = (id: string, prefix: string) =>
    launch({
      plugins: ['echo', 'bins', 'reliability', 'identity'],
      env: { SVC_STATE_STORE: store.url, SVC_STATE_STORE_PREFIX: prefix, SVC_INSTANCE_ID: id },
    })
  const [red, blue] = await Promise.all([start('red', 'red'), start('blue', 'blue')])
  t.teardown(() => Promise.all([red.stop(), blue.stop()]))
  const bin = (await (await fetch(`${red.url}/bin`, { method: 'POST' })).json()) as { id: string }
  t.equal((await fetch(`${blue.url}/bin/${bin.id}/requests`)).status, 404)
  t.equal((await fetch(`${red.url}/health/unhealthy`, { method: 'POST' })).status, 200)
  t.same([(await fetch(`${red.url}/health`)).status, (await fetch(`${blue.url}/health`)).status], [503, 200])
  t.match(await (await fetch(`${blue.url}/_svc/replicas`)).json(), { count: 1, store: { prefix: 'blue' } })
  const [ofRed, ofBlue] = await Promise.all(
    [red, blue].map(async ({ url }) => (await fetch(`${url}/oauth/jwks`)).json()),
  )
  t.notSame(ofRed, ofBlue, 'each has its own signing key')
  const names = store.command('KEYS', '*').split('\n')
  t.ok(names.some(name => name.startsWith('red:')) && names.some(name => name.startsWith('blue:')))
  t.same(
    names.filter(name => !/^(?:red|blue):/.test(name)),
    [],
  )

  await t.test('a replica that starts after the scripts were flushed', async t => {
    store.command('SCRIPT', 'FLUSH')
    const second = await start('red-2', 'red')
    t.teardown(() => second.stop())
    t.equal((await fetch(`${second.url}/bin/${bin.id}/x`)).status, 200)
    t.equal((await fetch(`${second.url}/health`)).status, 503, 'the switch of its deployment')
    t.match(await (await fetch(`${red.url}/bin/${bin.id}/requests`)).json(), { count: 1 })
  })
})

function formOf(fields: Parameters<typeof encode>[0]): RequestInit {
  return {
    method: 'POST',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded', ...demoClient },
    body: encode(fields),
  }
}

/** The kinds of events of an A2A stream, with the states. */
function kindsOf(text: string): string[] {
  return [...text.matchAll(/^data: (.*)$/gm)].map(([, data]) => {
    const { result } = JSON.parse(data!) as { result: Json }
    const [kind] = Object.keys(result)
    return `${kind} ${result.task?.status.state ?? result.statusUpdate?.status.state ?? ''}`
  })
}
