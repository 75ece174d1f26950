/** `notify`: requests that rules send after the response. */
import t, { type Test } from 'tap'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import type { InspectorEntry } from '../../../core/contract/plugin.ts'
import { serve, type TestServer } from '../../support/server.ts'
import { putRule, send } from '../../support/rules.ts'
import { until } from '../../support/until.ts'

interface Hook {
  host: string
  received: { method: string; url: string; headers: http.IncomingHttpHeaders; body: string }[]
}

async function startHook(
  t: Test,
  answer: (response: http.ServerResponse) => void = r => void r.writeHead(202).end(),
): Promise<Hook> {
  const received: Hook['received'] = []
  const server = http.createServer((request, response) => {
    let body = ''
    request.on('data', chunk => (body += chunk))
    request.on('end', () => {
      received.push({ method: request.method!, url: request.url!, headers: request.headers, body })
      answer(response)
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.closeAllConnections()
    return new Promise(resolve => server.close(resolve))
  })
  return { host: `127.0.0.1:${(server.address() as AddressInfo).port}`, received }
}

async function entryOf(server: TestServer, path: string, query = ''): Promise<InspectorEntry | undefined> {
  const { json } = await send(server, `/_svc/requests?path=${path}${query}`)
  return (json as { requests: InspectorEntry[] }).requests[0]
}

async function notified(server: TestServer, path: string): Promise<InspectorEntry['notified']> {
  await until(async () => {
    const list = (await entryOf(server, path))?.notified ?? []
    return list.length > 0 && list.every(({ status, error }) => status !== null || error !== null)
  })
  return (await entryOf(server, path))!.notified
}

t.test('requests go to allowed hosts after the response, filled from the request [NOTIFY-1]', async t => {
  const hook = await startHook(t)
  const server = await serve(t, { plugins: ['echo'], settings: { notify: { allow: [hook.host] } } })
  t.strictSame(server.problems(), [])
  await putRule(server, 'hook', {
    match: { path: '/orders/{id}' },
    then: {
      respond: { status: 201 },
      notify: [
        {
          url: `http://${hook.host}/hook/{{request.path.id}}?t=1`,
          headers: { 'X-Tenant': '{{request.header.x-tenant|none}}' },
          body: { id: '{{request.path.id}}', from: '{{request.body.name}}', n: '{{count}}' },
        },
        { method: 'put', url: `http://${hook.host}/text`, body: 'done', delay: 20 },
        { method: 'GET', url: `http://${hook.host}/get` },
      ],
    },
  })
  t.equal((await send(server, 'POST /orders/7', { body: { name: 'Ada' }, headers: { 'X-Tenant': 'a' } })).status, 201)
  t.match(await notified(server, '/orders/7'), [
    { url: `http://${hook.host}/hook/7?t=1`, status: 202, error: null },
    { status: 202 },
    { status: 202 },
  ])
  const byPath = (path: string) => hook.received.find(({ url }) => url.startsWith(path))
  t.match(byPath('/hook'), {
    method: 'POST',
    headers: { 'x-tenant': 'a', 'content-type': 'application/json', 'x-svc-notify': 'hook' },
  })
  t.strictSame(JSON.parse(byPath('/hook')!.body), { id: '7', from: 'Ada', n: 1 })
  t.match(byPath('/text'), { method: 'PUT', body: 'done', headers: { 'content-type': 'text/plain; charset=utf-8' } })
  t.match(byPath('/get'), { method: 'GET', body: '' })
  const metrics = (await send(server, '/_svc/metrics')).text
  t.match(metrics, /svc_rule_hits_total\{action="respond"\} 1/)
})

t.test('other hosts, and routes that take no deliveries, get nothing [NOTIFY-2]', async t => {
  const hook = await startHook(t)
  const server = await serve(t, { plugins: ['echo', 'bins', 'proxy', 'status'] })
  const urls = [
    `http://${hook.host}/x`,
    '/_svc/reload',
    '/_svc%2freload',
    '/status/200',
    '/proxy/x',
    '/ui',
    '/nowhere',
    '{{request.query.to}}',
    '//127.0.0.1/x',
  ]
  for (const [index, url] of urls.entries()) {
    const reply = await send(server, `PUT /_svc/rules/n${index}`, {
      body: { match: { path: `/echo/${index}` }, then: { notify: [{ url }] } },
    })
    if (url.startsWith('//')) {
      t.match(reply, { status: 400, json: { at: 'then.notify[0].url' } })
      continue
    }
    await send(server, `/echo/${index}?to=http://${hook.host}/y`)
    t.match(await notified(server, `/echo/${index}`), [{ status: null, error: 'not_allowed' }], url)
  }
  t.equal(hook.received.length, 0)
})

t.test('a path of this instance is called in nobody’s name, and captured for the session [NOTIFY-3]', async t => {
  const server = await serve(t, { plugins: ['echo', 'bins'] })
  await putRule(server, 'own', {
    match: { path: '/echo' },
    then: { notify: [{ url: '/echo/hook', body: { n: '{{count}}' }, headers: { 'X-Api-Key': 'k' } }] },
  })
  await send(server, '/echo', { session: 's1' })
  const [one] = await notified(server, '/echo')
  t.match(one, { url: '/echo/hook' })
  const captured = await entryOf(server, '/echo/hook')
  t.match(captured, { method: 'POST', session: 's1', body: '{"n":1}', notified: [] })
  t.equal(captured!.status, one!.status)
})

t.test('what a rule has sent causes nothing else [NOTIFY-4]', async t => {
  const port: { value: number } = { value: 0 }
  const hook = await startHook(t, response => {
    // What a gateway would do: it passes the request on to the instance.
    const { headers } = hook.received.at(-1)!
    const request = http.request(
      { port: port.value, path: '/echo', headers: { 'x-svc-notify': headers['x-svc-notify']! } },
      answer => answer.resume().on('end', () => response.end()),
    )
    request.end()
  })
  const server = await serve(t, { plugins: ['echo'], settings: { notify: { allow: [hook.host] } } })
  port.value = server.ports.http!
  await putRule(server, 'loop', { match: { path: '/echo' }, then: { notify: [{ url: `http://${hook.host}/` }] } })
  await send(server, '/echo')
  await until(
    async () =>
      ((await send(server, '/_svc/requests?path=/echo')).json as { requests: object[] }).requests.length === 2,
  )
  t.equal(hook.received.length, 1)
})

t.test('failures, full queues and what is too large are words, and do not change the response [NOTIFY-5]', async t => {
  const hook = await startHook(t, response => response.destroy())
  const server = await serve(t, { plugins: ['echo'], settings: { notify: { allow: [hook.host] } } })
  const url = `http://${hook.host}/`
  await putRule(server, 'broken', { match: { path: '/echo/a' }, then: { notify: [{ url }] } })
  t.equal((await send(server, '/echo/a')).status, 200)
  t.match(await notified(server, '/echo/a'), [{ error: 'failed' }])
  await putRule(server, 'large', {
    match: { path: '/echo/b' },
    then: { notify: [{ url, body: '{{request.body}}{{request.body}}' }] },
  })
  t.equal((await send(server, 'POST /echo/b', { body: 'x'.repeat(900_000) })).status, 200)
  t.match(await notified(server, '/echo/b'), [{ error: 'too_large' }])
  await putRule(server, 'slow', {
    match: { path: '/echo/c' },
    then: { notify: Array.from({ length: 5 }, () => ({ url, delay: 60_000 })) },
  })
  for (let index = 0; index < 21; index++) await send(server, '/echo/c')
  t.match((await entryOf(server, '/echo/c'))?.notified, Array(5).fill({ error: 'too_many' }))
})

t.test('wrong values are errors with their place [NOTIFY-6]', async t => {
  const server = await serve(t, { plugins: ['echo'], settings: { notify: { allow: ['http://x/', 3] } } })
  t.match(server.problems(), [{ at: 'notify.allow[0]', message: /host or host:port/ }])
  const url = '/bins/x'
  const rows: [value: unknown, at: string][] = [
    [Array(6).fill({ url }), 'then.notify'],
    [[], 'then.notify'],
    [{ url }, 'then.notify'],
    [[{}], 'then.notify[0].url'],
    [[{ url: 'bins/x' }], 'then.notify[0].url'],
    [[{ url: 'ftp://x/' }], 'then.notify[0].url'],
    [[{ url, method: 'TRACE' }], 'then.notify[0].method'],
    [[{ url, delay: 60_001 }], 'then.notify[0].delay'],
    [[{ url, headers: { Host: 'x' } }], 'then.notify[0].headers.Host'],
    [[{ url, body: '{{reqest.path}}' }], 'then.notify[0].body'],
    [[{ url, to: 1 }], 'then.notify[0].to'],
  ]
  for (const [notify, at] of rows)
    t.match(await send(server, 'PUT /_svc/rules/x', { body: { then: { notify } } }), {
      status: 400,
      json: { error: 'invalid_rule', at },
    })
})

t.test('public instances: two requests, and hosts for rules of files only [NOTIFY-7]', async t => {
  const hook = await startHook(t)
  const url = `http://${hook.host}/`
  const server = await serve(t, {
    plugins: ['echo'],
    env: { SVC_PUBLIC_MODE: 'true' },
    settings: {
      notify: { allow: [hook.host] },
      rules: [{ name: 'file', match: { path: '/echo/file' }, then: { notify: [{ url }] } }],
    },
  })
  const session = 's1'
  t.equal(
    (await send(server, 'PUT /_svc/rules/x', { session, body: { then: { notify: Array(3).fill({ url }) } } })).status,
    400,
  )
  await putRule(server, 'mine', { match: { path: '/echo/mine' }, then: { notify: [{ url }] } }, session)
  await send(server, '/echo/mine', { session })
  await send(server, '/echo/file', { session })
  await until(() => hook.received.length > 0)
  await until(async () => (await entryOf(server, '/echo/mine', '&session=s1'))?.notified[0]?.error === 'not_allowed')
  t.strictSame(
    hook.received.map(({ headers }) => headers['x-svc-notify']),
    ['file'],
  )
})

t.test('a stop does not wait for what is due later, and drops it [NOTIFY-8]', async t => {
  const hook = await startHook(t)
  const server = await serve(t, { plugins: ['echo'], settings: { notify: { allow: [hook.host] } } })
  await putRule(server, 'late', {
    match: { path: '/echo' },
    then: { notify: [{ url: `http://${hook.host}/late`, delay: 60_000 }] },
  })
  await send(server, '/echo')
  await server.stop()
  t.strictSame(hook.received, [])
})
