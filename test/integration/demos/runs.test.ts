/** Demos and their runs over HTTP (sheet demos, 6, 8 and 9). Takes long: demos run whole. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { startDemoProxy } from '../../support/demo-proxy.ts'
import { serve, type TestServerOptions } from '../../support/server.ts'

const HEAD = { demo: 'inline', title: 'Inline', area: 'traffic', shows: 'A test.', route: { path: '/anything/**' } }
const inline = (steps: object[], more: object = {}): object => ({ ...HEAD, ...more, steps })
const QUICK = inline([
  {
    title: 'One',
    send: { path: '/anything/{run}/a' },
    expect: [{ responses: { status: 200 } }, { arrivals: { match: { path: '/anything/{run}/a' }, exactly: 1 } }],
  },
])
const ONE = 'a run belongs to the process that started it'

interface Answer {
  status: number
  body: Record<string, any>
}

interface Api {
  url: string
  get(path: string, headers?: Record<string, string>): Promise<Answer>
  post(path: string, body?: object | string, headers?: Record<string, string>): Promise<Answer>
  /** The report, once the run has ended. */
  end(id: string): Promise<Record<string, any>>
  events(id: string, after?: number): Promise<{ id: number; event: string; data: any }[]>
}

async function api(t: Test, options: TestServerOptions = {}, headers: Record<string, string> = {}): Promise<Api> {
  const { url } = await serve(t, { plugins: ['demos', 'echo'], oneProcess: ONE, ...options })
  const ask = async (method: string, path: string, body?: object | string, more = {}): Promise<Answer> => {
    const response = await fetch(`${url}/_svc/demos${path}`, {
      method,
      headers: { 'content-type': 'application/json', ...headers, ...more },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const text = await response.text()
    return { status: response.status, body: text.startsWith('{') ? JSON.parse(text) : { text } }
  }
  const events: Api['events'] = async (id, after = 0) => {
    const response = await fetch(`${url}/_svc/demos/runs/${id}/events`, {
      headers: { ...headers, 'last-event-id': String(after) },
    })
    const blocks = (await response.text()).split('\n\n').filter(block => block.startsWith('id:'))
    return blocks.map(block => {
      const [, number, event, data] = /^id: (\d+)\nevent: (\w+)\ndata: (.*)$/.exec(block)!
      return { id: Number(number), event: event!, data: JSON.parse(data!) }
    })
  }
  return {
    url,
    get: (path, more) => ask('GET', path, undefined, more),
    post: (path, body, more) => ask('POST', path, body, more),
    async end(id) {
      await events(id)
      return (await ask('GET', `/runs/${id}`)).body
    },
    events,
  }
}

t.test('the list, a demo, its configuration', async t => {
  const { get } = await api(t)
  const { body } = await get('?area=reliability')
  t.match(
    body.demos.find((one: { demo: string }) => one.demo === 'retry'),
    {
      gateways: ['caddy', 'envoy', 'haproxy', 'nginx'],
      variables: { attempts: 3 },
      available: true,
      reason: null,
      source: 'builtin',
    },
  )
  t.notOk(body.demos.some((one: { area: string }) => one.area !== 'reliability'))
  const all = (await get('')).body.demos
  t.match(
    all.find((one: { demo: string }) => one.demo === 'jwt'),
    { available: false, reason: 'plugin identity is off' },
  )
  t.match(await get('?area=trafic'), { status: 400, body: { error: 'invalid_parameter', details: /mean "traffic"/ } })
  t.match(await get('/retry'), {
    status: 200,
    body: { control: 'not-seen', steps: [{ title: 'Without faults' }, {}, {}] },
  })
  t.match(await get('/retri'), { status: 404, body: { error: 'unknown_demo', details: /did you mean "retry"/ } })
  const origin = 'through=http://localhost:9000&upstream=http://127.0.0.1:9001'
  const snippet = await get(`/retry/gateways/envoy?${origin}`)
  t.match(snippet.body.text, /port_value: 9000[^]*address: 127\.0\.0\.1, port_value: 9001/)
  const compose = await get('/retry/gateways/envoy?compose=true')
  t.match(compose.body.text, /image: envoyproxy\/envoy[^]*configs:[^]*content: \|[^]*num_retries: 2/)
  t.notMatch(compose.body.text, /\.\/envoy\.yaml/, 'nothing is mounted')
  t.match(await get('/retry/gateways/envoi'), { status: 404, body: { error: 'unknown_gateway', details: /"envoy"/ } })
  for (const query of ['through=9000', 'upstream=http://svc:8080/base', 'compose=maybe'])
    t.match(await get(`/retry/gateways/envoy?${query}`), { status: 400, body: { error: 'invalid_parameter' } }, query)
})

t.test('check finds the first mistake, in JSON and YAML', async t => {
  const { post } = await api(t)
  t.match(await post('/check', QUICK), { status: 200, body: { valid: true, warnings: [] } })
  const wrong = inline([{ title: 'One', send: { path: '/a' }, expect: [{ arrivals: { exacly: 1 } }] }])
  t.match(await post('/check', wrong), {
    status: 400,
    body: { error: 'invalid_demo', at: 'steps[0].expect[0].arrivals.exacly', details: /did you mean "exactly"/ },
  })
  const yaml = { 'content-type': 'application/yaml' }
  t.match(await post('/check', 'demo: one\ntitle: [', yaml), { status: 400, body: { error: 'invalid_demo', line: 2 } })
  t.match(await post('/check', '{"demo":'), { status: 400, body: { error: 'invalid_demo' } })
  t.equal((await post('/check', QUICK, { origin: 'https://evil.example' })).status, 403)
})

t.test('a run through a gateway, with its events and reports', async t => {
  const { url, get, post, end, events } = await api(t)
  const gateway = await startDemoProxy(t, url, { attempts: 3 })
  const wanted = { demo: 'retry', target: gateway, control: true, headers: { 'x-key': 'my-secret-value' } }
  const started = await post('/runs', wanted)
  t.match(started, { status: 202, body: { id: /^[a-z2-7]{16}$/, session: started.body.id } })
  const { id } = started.body
  const report = await end(id)
  t.match(report, {
    state: 'complete',
    summary: { seen: 1 },
    demos: [
      { verdict: /^seen$/, control: { verdict: 'not-seen', wanted: 'not-seen', steps: [{}, { verdict: 'not-seen' }] } },
    ],
  })
  const all = await events(id)
  const names = all.map(({ event }) => event)
  for (const name of ['step', 'sent', 'arrival', 'response', 'result', 'verdict', 'end'])
    t.ok(names.includes(name), `an event ${name}`)
  const arrivals = all.filter(({ event, data }) => event === 'arrival' && data.step === 2)
  t.match(
    arrivals.map(({ data }) => data.status),
    [503, 503, 200],
  )
  t.same(await events(id, all.length - 1), all.slice(-1), 'Last-Event-ID resumes')
  for (const [file, text] of [
    ['report.html', /<title>Retries hide a failing upstream<\/title>/],
    ['report.xml', /<testsuite name="retry" tests="3"/],
    ['report.md', /## Retries hide a failing upstream: seen/],
  ] as const)
    t.match((await get(`/runs/${id}/${file}`)).body.text, text)
  t.notMatch(JSON.stringify([report, all]), /my-secret-value/)
  t.match(await get('/runs'), { body: { runs: [{ id, demo: 'retry', state: 'complete', target: gateway }] } })
  const entries = await fetch(`${url}/_svc/requests?session=${id}&limit=100`)
  t.ok(((await entries.json()) as { count: number }).count >= 5, 'the session of the run has its arrivals')
  t.equal((await fetch(`${url}/_svc/demos/runs/${id}`, { method: 'DELETE' })).status, 204)
  t.match(await get(`/runs/${id}`), { status: 404, body: { error: 'unknown_run' } })
})

t.test('a stepwise run waits for next, and one run at a time is possible', async t => {
  const { get, post, end } = await api(t)
  const wait = inline([{ title: 'One', wait: { for_s: 30 } }])
  const running = (await post('/runs', { inline: wait, target: 'direct' })).body
  t.match(await post('/runs', { inline: QUICK, target: 'direct' }), {
    status: 409,
    body: { error: 'run_in_progress', url: `/_svc/demos/runs/${running.id}` },
  })
  t.match(await post(`/runs/${running.id}/next`), { status: 409, body: { error: 'not_waiting' } })
  t.equal((await post(`/runs/${running.id}/stop`)).status, 202)
  t.match(await end(running.id), { state: 'stopped' })

  const { id } = (await post('/runs', { inline: QUICK, target: 'direct', stepwise: true })).body
  const state = async (): Promise<string> => (await get(`/runs/${id}`)).body.state
  while ((await state()) !== 'waiting') await new Promise(resolve => setTimeout(resolve, 20))
  t.match(await get(`/runs/${id}`), { body: { step: 1, demos: [{ steps: [] }] } })
  t.equal((await post(`/runs/${id}/next`)).status, 202)
  t.match(await end(id), { state: 'complete', demos: [{ verdict: /^seen$/ }] })
  const asks = inline([
    { title: 'One', ask: 'Switch it on', send: { path: '/anything/a' }, expect: [{ responses: { status: 200 } }] },
  ])
  const asked = await end((await post('/runs', { inline: asks, target: 'direct' })).body.id)
  t.match(asked, { demos: [{ verdict: 'not-judged', reason: /asks for something: Switch it on/ }] })
  t.match(await end((await post('/runs', { inline: asks, target: 'direct', yes: true })).body.id), {
    summary: { seen: 1 },
  })
})

t.test('a lane is used by one run at a time', async t => {
  const { post, end } = await api(t)
  const lanes = inline([{ title: 'One', wait: { for_s: 30 } }], { lanes: ['stable'] })
  const { id } = (await post('/runs', { inline: lanes, target: 'direct' })).body
  t.match(await post('/runs', { inline: lanes, target: 'direct' }, { 'x-svc-session': 'other' }), {
    status: 409,
    body: { error: 'lane_in_use', lane: 'stable', url: `/_svc/demos/runs/${id}` },
  })
  await post(`/runs/${id}/stop`)
  await end(id)
})

t.test('what is wrong with a run is answered with its place', async t => {
  const { post } = await api(t)
  const wrong = async (body: object | string, status: number, answer: object): Promise<void> =>
    void t.match(await post('/runs', body), { status, body: answer }, JSON.stringify(body))
  const direct = { demo: 'retry', target: 'direct' }
  await wrong('{', 400, { error: 'invalid_run' })
  await wrong({ ...direct, tarjet: 1 }, 400, { error: 'invalid_run', at: 'tarjet' })
  await wrong({ ...direct, set: { attemts: 1 } }, 400, { error: 'invalid_run', at: 'set.attemts' })
  await wrong({ ...direct, set: { attempts: 'x' } }, 400, { error: 'invalid_run', at: 'set.attempts' })
  await wrong({ ...direct, inline: QUICK }, 400, { error: 'invalid_run', at: 'inline' })
  await wrong({ ...direct, step: 4 }, 400, { error: 'invalid_run', at: 'step' })
  await wrong({ ...direct, lanes: { x: 'http://127.0.0.1:1' } }, 400, { error: 'invalid_run', at: 'lanes.x' })
  await wrong({ ...direct, headers: { Host: 'a' } }, 400, { error: 'invalid_run', at: 'headers.Host' })
  await wrong({ ...direct, target: 'gateway' }, 400, { error: 'invalid_run', at: 'target' })
  await wrong({ ...direct, demo: 'retri' }, 404, { error: 'unknown_demo' })
  await wrong({ target: 'direct', inline: { demo: 'x' } }, 400, { error: 'invalid_demo' })
  await wrong({ ...direct, demo: 'jwt' }, 409, { error: 'not_available', details: 'plugin identity is off' })
  await wrong({ ...direct, target: 'http://gateway.example' }, 403, { error: 'target_not_allowed' })
})

t.test('targets are those of svc.yaml, of the probe too; with an admin token no others', async t => {
  const closed = { demo: 'retry', target: 'http://127.0.0.1:9' }
  const settings = { demos: { targets: ['http://127.0.0.1:9', 'nonsense'] }, probe: { targets: ['http://b.example'] } }
  const options = { env: { SVC_ADMIN_TOKEN: 'admin-token' }, settings }
  const { get, post, end } = await api(t, options, { 'x-svc-admin-token': 'admin-token' })
  t.match((await get('/runs')).body.targets, ['http://b.example', 'http://127.0.0.1:9'])
  t.match(await post('/runs', { ...closed, target: 'http://127.0.0.1:10', allow_target: true }), { status: 403 })
  t.equal((await post('/runs', closed, { 'x-svc-admin-token': 'wrong' })).status, 401)
  const { status, body } = await post('/runs', closed)
  t.equal(status, 202)
  t.match(await end(body.id), { demos: [{ verdict: 'not-judged', reason: /did not answer/ }] })
  t.match(await end((await post('/runs', { inline: QUICK, target: 'direct' })).body.id), { summary: { seen: 1 } })
})

t.test('in public mode a run is direct, small, and not shown to visitors', async t => {
  const env = { SVC_PUBLIC_MODE: 'true', SVC_ADMIN_TOKEN: 'admin-token' }
  const { get, post, end } = await api(t, { env }, { 'x-svc-admin-token': 'admin-token' })
  const none = { 'x-svc-admin-token': '' }
  t.equal((await post('/runs', { inline: QUICK, target: 'direct' }, none)).status, 401)
  t.match(await post('/runs', { inline: QUICK, target: 'http://127.0.0.1:9' }), {
    status: 403,
    body: { error: 'target_not_allowed' },
  })
  const { id } = (await post('/runs', { inline: QUICK, target: 'direct' })).body
  t.match(await end(id), { summary: { seen: 1 } })
  t.same((await get('/runs', none)).body, { targets: [], runs: [] })
  t.equal((await get(`/runs/${id}`, none)).status, 404)
  const large = inline([
    { title: 'One', send: { path: '/anything/a', times: 201 }, expect: [{ responses: { status: 200 } }] },
  ])
  t.match(await end((await post('/runs', { inline: large, target: 'direct' })).body.id), {
    demos: [{ verdict: 'not-judged', reason: /at most 200 requests in a step/ }],
  })
})

t.test('demos of svc.yaml are served; a wrong one is reported with its line', async t => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-demos-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  mkdirSync(join(folder, 'demos'))
  writeFileSync(join(folder, 'demos', 'good.json'), JSON.stringify({ ...QUICK, demo: 'good' }))
  const text = 'demo: wrong\ntitle: Wrong\narea: trafic\nshows: A\nroute: { path: /a }\nsteps: [{ title: One }]\n'
  writeFileSync(join(folder, 'demos', 'wrong.yaml'), text)
  writeFileSync(join(folder, 'again.json'), JSON.stringify({ ...QUICK, demo: 'good' }))
  const settings = { demos: { folders: [join(folder, 'demos')], files: [join(folder, 'again.json')] } }
  const { url, get } = await api(t, { settings })
  t.match(await get('/good'), { status: 200, body: { source: 'svc.yaml' } })
  t.equal((await get('/wrong')).status, 404)
  const plugins = (await (await fetch(`${url}/_svc/plugins`)).json()) as { load_errors: object[] }
  t.match(plugins.load_errors, [
    { file: /wrong\.yaml$/, line: 3, at: 'area', message: /expected one of/ },
    { file: /again\.json$/, message: 'another file has the demo good' },
  ])
})

t.test('answers that do not fit the budget of a step are not judged', async t => {
  const { url, post, end } = await api(t)
  const gateway = await startDemoProxy(t, url, {
    handle: async (request, forward) => ({ ...(await forward(request)), body: Buffer.alloc(5_000_000, 'a') }),
  })
  const judged = async (more: object): Promise<object> => {
    const send = { path: '/anything/a', times: 12, concurrency: 12, ...more }
    const large = inline([{ title: 'One', send, expect: [{ responses: { status: 200 } }] }])
    return end((await post('/runs', { inline: large, target: gateway })).body.id)
  }
  t.match(await judged({}), {
    demos: [{ verdict: 'not-judged', reason: /at most 33554432 bytes of answers at once in a step/ }],
  })
  t.match(await judged({ concurrency: 1, read: 'none' }), { summary: { seen: 1 } }, 'what is not read is not kept')
})

t.test('demos are tools of the control plane over MCP', async t => {
  const { url } = await api(t, { plugins: ['demos', 'echo', 'control-mcp'] })
  let id = 0
  const call = async (name: string, args: object): Promise<{ status: number; body: Record<string, any> }> => {
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
    }
    const response = await fetch(`${url}/_svc/mcp`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'tools/call',
        'mcp-name': name,
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: ++id,
        method: 'tools/call',
        params: { name, arguments: args, _meta: meta },
      }),
    })
    const { result } = (await response.json()) as { result: { structuredContent: { status: number; body: object } } }
    return result.structuredContent
  }
  const listed = await call('list_demos', { area: 'reliability' })
  t.equal(listed.status, 200)
  t.ok((listed.body.demos as { demo: string }[]).some(({ demo }) => demo === 'retry'))
  const started = await call('run_demo', { inline: QUICK, target: 'direct' })
  t.match(started, { status: 202, body: { id: /^[a-z2-7]{16}$/ } })
  let report = await call('demo_result', { id: started.body.id })
  while (report.body.state === 'running') report = await call('demo_result', { id: started.body.id })
  t.match(report, { status: 200, body: { state: 'complete', summary: { seen: 1 } } })
  t.match(await call('run_demo', { demo: 'retri', target: 'direct' }), { status: 404, body: { error: 'unknown_demo' } })
})
