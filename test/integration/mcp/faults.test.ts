/** Faults of `X-Svc-Mcp-Fail`, in both kinds of revisions. */
import t from 'tap'
import { call, callTool, items, type Json, openSession } from '../../support/mcp.ts'
import { serve } from '../../support/server.ts'

t.setTimeout(600_000)

const BOTH = 'application/json, text/event-stream'
const fail = (text: string, session = 's'): { headers: Record<string, string> } => ({
  headers: { 'X-Svc-Mcp-Fail': text, 'X-Svc-Session': session, Accept: BOTH },
})
const server = await serve(t, { plugins: ['mcp', 'identity'] })
const url = `${server.url}/mcp`
const add = { name: 'add', arguments: { a: 2, b: 3 } }

t.test('refusals look like those of a protected server or of a gateway [MCPX-21]', async t => {
  const refused = async (kind: string) => call(url, 'tools/list', {}, fail(kind))
  const missing = await refused('401')
  t.equal(missing.status, 401)
  t.match(
    missing.headers.get('www-authenticate'),
    /^Bearer resource_metadata="[^"]+\/mcp\/protected", scope="mcp:tools"$/,
  )
  t.equal(missing.headers.get('x-svc-fault'), 'mcp')
  const expired = await refused('expired')
  t.match(expired.headers.get('www-authenticate'), /error="invalid_token".*error_description="token expired"/)
  const forbidden = await refused('403')
  t.equal(forbidden.status, 403)
  t.match(forbidden.headers.get('www-authenticate'), /error="insufficient_scope"/)
  for (const status of [429, 503]) {
    const reply = await refused(String(status))
    t.equal(reply.status, status)
    t.equal(reply.headers.get('retry-after'), '1')
    t.match(reply.answer, { id: 1, error: { code: -32603, message: 'injected' } })
  }
  t.match(await refused('rpc-error'), { status: 200, answer: { error: { code: -32603, message: 'injected' } } })
  t.match(await refused('session-lost'), { status: 404, answer: { error: { code: -32001 } } })
  const session = await openSession(url)
  t.equal((await session.request('tools/list', {}, fail('session-lost'))).status, 404)
  t.equal((await session.request('tools/list')).status, 404, 'the session has ended')
  const metrics = await (await fetch(`${server.url}/_svc/metrics`)).text()
  t.match(metrics, /svc_faults_injected_total\{[^}]*kind="mcp"[^}]*\} [1-9]/)
})

for (const kind of ['stateless', 'legacy']) {
  t.test(`responses are broken on the wire, ${kind} [MCPX-21]`, async t => {
    const session = kind === 'legacy' ? await openSession(url) : null
    const broken = (kind: string, method = 'tools/call', params: Record<string, unknown> = add) =>
      session
        ? session.request(method, params, { ...fail(kind), id: 7 })
        : call(url, method, params, { ...fail(kind), id: 7 })
    const sum = { result: { structuredContent: { sum: 5 } } }
    t.match((await broken('wrong-id')).answer, { id: 1007, ...sum })
    t.match((await broken('null-id')).answer, { id: null, ...sum })
    t.match((await broken('string-id')).answer, { id: '7', ...sum })
    const twice = await broken('duplicate')
    t.ok(twice.isStream)
    t.match(twice.messages, [sum, sum])
    t.match(await broken('no-answer'), { status: 200, isStream: true, messages: [] })
    const stormy = await broken('progress-storm')
    t.equal(stormy.messages.length, 501)
    t.match(stormy.messages[0], { method: 'notifications/progress', params: { progress: 500 } })
    t.match(stormy.messages[1], { params: { progress: 1 } })
    t.match(stormy.answer, sum)
    const changes = await broken('list-changed')
    t.equal(changes.messages.length, 101)
    t.match(changes.messages[0], { method: 'notifications/tools/list_changed' })
    await t.rejects(broken('bad-json'), SyntaxError)
    await t.rejects(broken('truncate'))
    t.match(await broken('wrong-type'), { status: 200, text: /"sum":5/ })
    t.match((await broken('slow')).answer, sum)
    const leave = new AbortController()
    const stalled = await fetch(url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...session?.headers, ...fail('stall').headers },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }),
      signal: leave.signal,
    })
    t.equal(stalled.headers.get('x-svc-fault'), 'mcp', 'the head arrives')
    leave.abort()
    const torn = await fetch(url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...session?.headers, ...fail('bad-sse').headers },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }),
    })
    const text = await torn.text()
    if (session) t.match(text, /data: \{"jsonrpc"[^}]*$/)
  })
}

t.test('results are changed [MCPX-21]', async t => {
  const list = async (kind: string, params = {}) =>
    (await call(url, 'tools/list', params, fail(kind))).answer.result as Json
  const tools = items((await list('schema-v2')).tools)
  t.ok(
    tools.every(
      tool =>
        items(tool.inputSchema?.required).map(String).includes('context') && String(tool.description).endsWith(' (v2)'),
    ),
  )
  t.strictSame(items((await list('tools-gone')).tools), [])
  const first = await list('cursor-loop')
  const second = await list('cursor-loop', { cursor: first.nextCursor })
  t.strictSame(second, first)
  t.strictSame((await callTool(url, 'add', add.arguments, fail('wrong-structured'))).answer.result?.structuredContent, {
    unexpected: null,
  } as never)
  const other = await call(url, 'tools/list', {}, fail('wrong-structured'))
  t.equal(other.headers.get('x-svc-fault'), null, 'other methods are left alone')
  const discovered = await call(url, 'server/discover', {}, fail('wrong-version'))
  t.match(discovered.answer.result, {
    supportedVersions: ['2099-01-01'],
    _meta: { 'io.modelcontextprotocol/protocolVersion': '2099-01-01' },
  })
  t.equal(discovered.headers.get('mcp-protocol-version'), '2099-01-01')
  const { opened } = await openSession(url, fail('wrong-version'))
  t.match(opened.answer.result, { protocolVersion: '2099-01-01' })
})

t.test('faults begin with a request and are counted for each caller and server [MCPX-22]', async t => {
  const ids = async (session: string, base = url) => {
    const found = []
    for (let index = 0; index < 3; index++)
      found.push((await call(base, 'tools/list', {}, fail('wrong-id@3', session))).answer.id)
    return found
  }
  t.strictSame(await ids('a'), [1, 1, 1001] as never)
  t.strictSame(await ids('b'), [1, 1, 1001] as never)
  t.strictSame(await ids('a', `${server.url}/mcp/servers/weather`), [1, 1, 1001] as never)
  t.strictSame(await ids('a'), [1001, 1001, 1001] as never)
  await fetch(`${server.url}/_svc/reset`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-Svc-Session': 'a' },
    body: '{"kinds":["mcp"]}',
  })
  t.strictSame(await ids('a'), [1, 1, 1001] as never, 'forgotten by a reset')
  const mixed = await call(url, 'tools/list', {}, fail('wrong-structured, wrong-id@9, null-id, 503', 'mixed'))
  t.equal(mixed.answer.id as unknown, null, 'the first that acts')
  let hits = 0
  for (let index = 0; index < 60; index++)
    if ((await call(url, 'tools/list', {}, fail('null-id:50', 'half'))).answer.id === null) hits++
  t.ok(hits > 5 && hits < 55, String(hits))
})

t.test('a header that is not valid is refused with the nearest kind [MCPX-22]', async t => {
  const refused = async (text: string) => call(url, 'tools/list', {}, fail(text))
  const { status, answer } = await refused('wrong-idd')
  t.equal(status, 400)
  t.match(answer.error, {
    code: -32602,
    message: 'Unknown fault',
    data: { header: 'X-Svc-Mcp-Fail', got: 'wrong-idd', did_you_mean: 'wrong-id' },
  })
  t.equal(items(answer.error?.data?.kinds).length, 25)
  for (const text of [
    'wrong-id@0',
    ':50',
    'wrong-id:0',
    'wrong-id:101',
    '',
    'a,b,c,d,e,f',
    'wrong-id@10001',
    'x'.repeat(5000),
  ])
    t.match(await refused(text), { status: 400, answer: { error: { code: -32602 } } }, text.slice(0, 20))
})

t.test('notifications are left alone, except for refusals [MCPX-22]', async t => {
  const session = await openSession(url)
  const notify = (kind: string) =>
    fetch(url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...session.headers, ...fail(kind, 'n').headers },
      body: '{"jsonrpc":"2.0","method":"notifications/initialized"}',
    })
  t.equal((await notify('wrong-id')).status, 202)
  t.equal((await notify('503')).status, 503)
})
