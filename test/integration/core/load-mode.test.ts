/** `SVC_LOAD_MODE`: requests leave no trace but counts, and faults and rules work. */
import t from 'tap'
import { startProcess } from '../../support/process.ts'
import { startTestServer, type TestServer } from 'svc/testing'

const CHAT = { model: 'svc-echo', messages: [{ role: 'user', content: 'hello' }] }

async function start(
  t: { teardown(run: () => unknown): void },
  env: Record<string, string> = {},
  plugins = ['echo', 'status'],
): Promise<TestServer> {
  const server = await startTestServer({ plugins, env: { SVC_LOAD_MODE: 'true', ...env } })
  t.teardown(() => server.stop())
  return server
}

async function json(url: string, init?: RequestInit): Promise<Record<string, unknown>> {
  return (await (await fetch(url, init)).json()) as Record<string, unknown>
}

function post(body: unknown): RequestInit {
  return { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
}

t.test('nothing is captured, and requests are counted', async t => {
  const { url } = await start(t)
  for (let i = 0; i < 3; i++) t.equal((await fetch(`${url}/status/204`)).status, 204)
  const page = await json(`${url}/_svc/requests`)
  t.match(page, { count: 0, load_mode: true, requests: [] })
  t.match(await json(`${url}/_svc/status`), {
    load_mode: true,
    inspector: { stored: 0, total_captured: 0 },
    event_loop: { utilization: Number, busiest: Number },
  })
  const metrics = await (await fetch(`${url}/_svc/metrics`)).text()
  t.match(metrics, /^svc_requests_total\{route="\/status\/\{code\}",method="GET",status_class="2xx"\} 3$/m)
  t.match(metrics, /^svc_event_loop_utilization [01]/m)
  t.match(await json(`${url}/_svc/config`), { load_mode: true })
})

t.test('a request id is not made, and one that came is kept', async t => {
  const { url } = await start(t)
  const without = await fetch(`${url}/echo`)
  t.equal(without.headers.get('x-request-id'), null)
  t.notMatch(await without.text(), /x-request-id/i)
  const given = await fetch(`${url}/echo`, { headers: { 'X-Request-Id': 'mine' } })
  t.equal(given.headers.get('x-request-id'), 'mine')
  t.match(await given.text(), /mine/)
})

t.test('what was captured is not said to be nothing', async t => {
  const { url } = await start(t)
  await fetch(`${url}/echo`)
  for (const [what, response] of Object.entries({
    verify: fetch(`${url}/_svc/verify`, post({ match: { path: '/echo' } })),
    none: fetch(`${url}/_svc/verify`, post({ match: { path: '/other' }, none: true })),
    wait: fetch(`${url}/_svc/requests?wait_for=1&timeout_ms=10000`),
    entry: fetch(`${url}/_svc/requests/some-id`),
    export: fetch(`${url}/_svc/requests/export?format=har`),
  })) {
    const answer = await response
    t.equal(answer.status, 409, what)
    t.match(await answer.json(), { error: 'nothing_captured', message: /SVC_LOAD_MODE/ }, what)
  }
  t.equal((await fetch(`${url}/_svc/verify`, post({ match: 1 }))).status, 400, 'a wrong verification is still one')
})

t.test('the helpers of tests say it as well', async t => {
  const server = await start(t)
  const session = server.session()
  await t.rejects(session.verify({ match: { path: '/echo' } }), { message: /load mode/ })
  await t.rejects(session.waitFor({ path: '/echo' }), { message: /load mode/ })
})

t.test('faults, expectations, answers and rules work', async t => {
  const { url } = await start(t)
  const failed = await fetch(`${url}/echo`, { headers: { 'X-Svc-Fail': '503' } })
  t.equal(failed.status, 503)
  t.equal(failed.headers.get('x-svc-fault'), 'fail')
  t.equal((await fetch(`${url}/echo`, { headers: { 'X-Svc-Expect': '{"method":"POST"}' } })).status, 417)
  await t.rejects(fetch(`${url}/echo`, { headers: { 'X-Svc-Abort': 'reset' } }))
  const rule = { name: 'teapot', match: { path: '/echo' }, times: 1, then: { fail: 418 } }
  t.equal((await fetch(`${url}/_svc/rules`, post(rule))).ok, true)
  const byRule = await fetch(`${url}/echo`)
  t.equal(byRule.status, 418)
  t.equal(byRule.headers.get('x-svc-rule'), 'teapot')
  t.equal((await fetch(`${url}/echo`)).status, 200, 'hits are counted')
  const metrics = await (await fetch(`${url}/_svc/metrics`)).text()
  t.match(metrics, /^svc_faults_injected_total\{kind="fail"\} 2$/m)
  t.match(metrics, /^svc_faults_injected_total\{kind="abort"\} 1$/m)
})

t.test('workers write no access log', async t => {
  const server = startProcess(t, {
    env: { SVC_LOAD_MODE: 'true', SVC_WORKERS: '2' },
    yaml: 'plugins: { enable: [echo, grpc] }\n',
  })
  const url = `http://127.0.0.1:${await server.port('HTTP')}`
  for (let i = 0; i < 4; i++) t.equal((await fetch(`${url}/echo`)).status, 200)
  t.match(await json(`${url}/_svc/status`), { load_mode: true })
  server.child.kill('SIGTERM')
  await server.exited
  t.match(server.output(), 'stopping', 'other lines are written')
  t.notMatch(server.output(), '/echo')
})

t.test('in public mode, also for requests with a session', async t => {
  const { url } = await start(t, { SVC_PUBLIC_MODE: 'true' })
  await fetch(`${url}/echo`, { headers: { 'X-Svc-Session': 'one' } })
  t.match(await json(`${url}/_svc/requests?session=one`), { count: 0, load_mode: true, public_mode: true })
  const verified = await fetch(`${url}/_svc/verify?session=one`, post({ match: { path: '/echo' } }))
  t.equal(verified.status, 409)
  t.match(await verified.json(), { error: 'nothing_captured' })
  t.equal((await fetch(`${url}/_svc/verify`, post({ match: {} }))).status, 400, 'a session is still required')
})

t.test('calls of models are added up, and none is kept', async t => {
  const { url } = await start(t, {}, ['llm', 'llm-openai'])
  const headers = { 'content-type': 'application/json', 'X-Svc-Session': 'load' }
  const reply = await fetch(`${url}/v1/chat/completions`, { ...post(CHAT), headers })
  t.equal(reply.status, 200)
  const { usage } = (await reply.json()) as { usage: { prompt_tokens: number } }
  t.ok(usage.prompt_tokens > 0)
  t.match(await json(`${url}/ai/requests`), { count: 0 })
  t.match(await json(`${url}/ai/usage?session=load`), {
    totals: { requests: 1, prompt_tokens: usage.prompt_tokens },
  })
  t.match(await json(`${url}/ai/usage/calls?session=load`), { count: 0 })
})
