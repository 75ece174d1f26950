/** Responses that rules define. */
import t from 'tap'
import { serve } from '../../support/server.ts'
import { putRule, send } from '../../support/rules.ts'

const server = await serve(t)
const respond = (step: object, match: object = { path: '/made/**' }): Promise<unknown> =>
  putRule(server, 'made', { match, then: { respond: step } })

t.test('sends texts, JSON and bytes [RULE-22]', async t => {
  const rows: [step: object, status: number, type: string | null, body: string][] = [
    [{}, 200, null, ''],
    [{ status: 201, body: 'hi' }, 201, 'text/plain; charset=utf-8', 'hi'],
    [{ body: { a: [1] } }, 200, 'application/json', '{"a":[1]}'],
    [{ body: null }, 200, 'application/json', 'null'],
    [{ body: '{}', content_type: 'application/json' }, 200, 'application/json', '{}'],
    [{ body: 'x', headers: { 'Content-Type': 'text/css' } }, 200, 'text/css', 'x'],
    [{ body_base64: 'aGk=' }, 200, 'application/octet-stream', 'hi'],
    [{ status: 204, body: 'x' }, 204, null, ''],
    [{ status: 304, body: 'x' }, 304, null, ''],
    [{ status: 503, body: 'x', headers: { 'X-Lane': 'fast' } }, 503, 'text/plain; charset=utf-8', 'x'],
  ]
  for (const [step, status, type, body] of rows) {
    await respond(step)
    const reply = await send(server, '/made/up')
    t.equal(reply.status, status, JSON.stringify(step))
    t.equal(reply.headers.get('content-type'), type)
    t.equal(reply.text, body)
    t.equal(reply.headers.get('x-svc-rule'), 'made')
    t.equal(reply.headers.get('x-svc-fault'), null)
  }
  t.equal((await send(server, 'HEAD /made/up')).text, '')
  t.equal((await send(server, 'HEAD /made/up')).headers.get('content-length'), '1')
})

t.test('replaces references to the request [RULE-23]', async t => {
  await respond(
    {
      status: 201,
      headers: { 'X-Id': '{{request.path.id}}', 'X-Odd': '{{request.query.q}}' },
      body: {
        id: '{{request.path.id}}',
        n: '{{count}}',
        text: 'hit {{ count }} of {{session}}',
        method: '{{request.method}}',
        path: '{{request.path}}',
        q: '{{request.query.q}}',
        agent: '{{request.header.X-Agent}}',
        item: '{{request.body.items.0}}',
        missing: '{{request.body.none}}',
        other: '{{request.query.none}}{{}}',
        at: '{{now}}',
        uuid: '{{uuid}}',
      },
    },
    { path: '/orders/{id}' },
  )
  const reply = await send(server, `POST /orders/a%20b?q=${encodeURIComponent('x\r\nSet-Cookie: a=1')}`, {
    session: 's',
    headers: { 'x-agent': '{{count}}' },
    body: { items: [{ sku: 5 }] },
  })
  const { at, uuid, ...body } = reply.json as { at: string; uuid: string }
  t.match(at, /^\d{4}-.*Z$/)
  t.match(uuid, /^[\da-f]{8}-[\da-f]{4}-8[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/)
  t.strictSame(body, {
    id: 'a b',
    n: 1,
    text: 'hit 1 of s',
    method: 'POST',
    path: '/orders/a b',
    q: 'x\r\nSet-Cookie: a=1',
    agent: '{{count}}',
    item: { sku: 5 },
    missing: null,
    other: '{{}}',
  })
  t.equal(reply.headers.get('x-id'), 'a b')
  t.equal(reply.headers.get('x-odd'), 'x??Set-Cookie: a=1', 'a value cannot add a header')
  t.equal(reply.headers.get('set-cookie'), null)
  t.not((await send(server, 'POST /orders/1', { session: 's' })).json, uuid)
  await respond({ body: '{{count}}', template: false })
  t.equal((await send(server, '/made')).text, '{{count}}')
})

t.test('sends chunks at their times, and events [RULE-24]', async t => {
  await respond({ chunks: [{ text: 'a' }, { after_ms: 60, text: '{{count}}' }, { after_ms: 60, base64: 'Yg==' }] })
  const startedAt = performance.now()
  const reply = await send(server, '/made')
  t.ok(performance.now() - startedAt >= 119)
  t.equal(reply.text, 'a1b')
  t.equal(reply.headers.get('content-type'), 'text/plain; charset=utf-8')
  await respond({
    chunks: [{ event: { event: 'tick', id: '7', data: { n: '{{count}}' } } }, { event: { data: 'x\ny' } }],
  })
  const events = await send(server, '/made')
  t.equal(events.headers.get('content-type'), 'text/event-stream')
  t.equal(events.text, 'id: 7\nevent: tick\ndata: {"n":1}\n\ndata: x\ndata: y\n\n')
  await respond({ chunks: [{ text: 'a' }, { after_ms: 20_000, text: 'b' }] })
  const leaving = await fetch(`${server.url}/made`)
  await leaving.body!.cancel()
})

t.test('a chunk waits for the state of a scenario, and without it the response breaks off [RULE-24]', async t => {
  const chunks = [{ text: 'a' }, { after_scenario: { read: '1' }, text: 'b' }]
  await respond({ chunks })
  const reading = await fetch(`${server.url}/made`)
  const reader = reading.body!.getReader()
  t.equal(Buffer.from((await reader.read()).value!).toString(), 'a')
  const set = await fetch(`${server.url}/_svc/scenarios/read`, { method: 'PUT', body: '{"state":"1"}' })
  t.equal(set.status, 200)
  t.equal(Buffer.from((await reader.read()).value!).toString(), 'b')
  t.equal((await reader.read()).done, true)
  await respond({ chunks: [chunks[0], { after_scenario: { read: '2' }, within_ms: 50, text: 'b' }] })
  await t.rejects((await fetch(`${server.url}/made`)).text(), 'the state is never reached')
  for (const [chunk, at] of [
    [{ text: 'a', within_ms: 5 }, 'within_ms'],
    [{ text: 'a', after_scenario: {} }, 'after_scenario'],
    [{ text: 'a', after_scenario: { a: '1', b: '2' } }, 'after_scenario'],
    [{ text: 'a', after_scenario: { a: 1 } }, 'after_scenario.a'],
    [{ text: 'a', after_scenario: { a: '1' }, within_ms: 0 }, 'within_ms'],
  ] as const) {
    const refused = await fetch(`${server.url}/_svc/rules/wrong`, {
      method: 'PUT',
      body: JSON.stringify({ then: { respond: { chunks: [chunk] } } }),
    })
    t.match(await refused.json(), { error: 'invalid_rule', at: `then.respond.chunks[0].${at}` })
  }
})

t.test('a response cannot act with the rights of the service in a browser [RULE-25]', async t => {
  await respond({ body: '<script>1</script>', content_type: 'text/html' })
  t.match((await send(server, '/made')).headers.get('content-security-policy'), /^sandbox /)
  await respond({
    body: '<a/>',
    content_type: 'image/svg+xml',
    headers: { 'Content-Security-Policy': "default-src 'none'" },
  })
  t.match((await send(server, '/made')).headers.get('content-security-policy'), /^default-src 'none', sandbox /)
  await respond({ body: 'x' })
  t.equal((await send(server, '/made')).headers.get('content-security-policy'), null)
})
