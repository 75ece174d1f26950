/** Runs over HTTP: only configured targets, one at a time, with events and reports. Runs alone: it measures times. */
import { readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import t, { type Test } from 'tap'
import { isRecord } from '../../core/contract/record.ts'
import { launch } from '../../core/testing/launch.ts'
import { call, callTool } from '../support/mcp.ts'
import { until } from '../support/until.ts'
import { startToyGateway } from './ai-gateways/toy-gateway.ts'
import { startProxy, type ProxyServer } from './proxies/reference-proxy.ts'

type Answer = { status: number; body: Record<string, unknown>; text: string }

async function ask(url: string, init: RequestInit = {}): Promise<Answer> {
  const response = await fetch(url, init)
  const text = await response.text()
  let body: unknown = null
  try {
    body = JSON.parse(text)
  } catch {
    // Reports in other formats.
  }
  return { status: response.status, body: isRecord(body) ? body : {}, text }
}

const post = (value: unknown, headers: Record<string, string> = {}): RequestInit => ({
  method: 'POST',
  headers: { 'Content-Type': 'application/json', ...headers },
  body: JSON.stringify(value),
})

interface SentEvent {
  id: number
  event: string
  data: Record<string, unknown>
}

async function eventsOf(url: string, after = ''): Promise<SentEvent[]> {
  const { text } = await ask(url, after === '' ? {} : { headers: { 'Last-Event-ID': after } })
  return text
    .split('\n\n')
    .filter(block => block.includes('data:'))
    .map(block => {
      const line = (name: string): string => new RegExp(`^${name}: ?(.*)$`, 'm').exec(block)?.[1] ?? ''
      return { id: Number(line('id')), event: line('event'), data: JSON.parse(line('data')) as Record<string, unknown> }
    })
}

/** A server that may probe a proxy which forwards to it. */
async function probing(t: Test, more: Record<string, string> = {}): Promise<{ url: string; proxy: ProxyServer }> {
  const reserved = await startProxy(1)
  await reserved.close()
  const server = await launch({
    plugins: ['probe', 'control-mcp'],
    settings: { probe: { targets: [`http://127.0.0.1:${reserved.port}`] } },
    env: more,
  })
  t.teardown(() => server.stop())
  const proxy = await startProxy(server.ports.http!, {}, reserved.port)
  t.teardown(() => proxy.close())
  return { url: server.url, proxy }
}

t.test('a run goes to a configured target, with events and reports [PRB-17]', async t => {
  const { url, proxy } = await probing(t)
  const started = await ask(
    `${url}/_svc/probe/runs`,
    post({
      target: proxy.url,
      checks: ['HDR-*', 'RSP-DATE'],
      name: 'reference',
      headers: { 'X-Key': 'very-secret-key' },
    }),
  )
  t.equal(started.status, 202)
  const events = await eventsOf(`${url}${String(started.body.events)}`)
  t.equal(events[0]!.event, 'begin')
  t.equal(events.at(-1)!.event, 'end')
  t.equal(events.filter(({ event }) => event === 'check').length, events[0]!.data.total)
  t.strictSame(
    events
      .filter(({ event }) => event === 'group')
      .map(({ data }) => String(data.group))
      .toSorted(),
    ['headers', 'responses'],
  )
  t.strictSame(
    events.map(({ id }) => id),
    events.map((_, index) => index + 1),
  )
  const rest = await eventsOf(`${url}${String(started.body.events)}`, String(events.length - 1))
  t.strictSame(rest, [events.at(-1)], 'continues after the last event that the client has')

  const report = await ask(`${url}${String(started.body.url)}`)
  t.match(report.body, { complete: true, progress: { state: 'complete', error: null }, gateway: { name: 'reference' } })
  const schema: unknown = JSON.parse(
    readFileSync(new URL('../../plugins/probe/report.schema.json', import.meta.url), 'utf8'),
  )
  const validate = new Ajv2020({ strict: false, allErrors: true }).compile(schema as object)
  t.ok(validate(report.body), JSON.stringify(validate.errors))
  t.notMatch(report.text, 'very-secret-key')
  for (const [file, start] of [
    ['report.html', '<!doctype html>'],
    ['report.xml', '<?xml'],
    ['report.md', '#'],
  ] as const)
    t.ok((await ask(`${url}${String(started.body.url)}/${file}`)).text.startsWith(start), file)
  const list = await ask(`${url}/_svc/probe/runs`)
  t.match(list.body, {
    targets: [proxy.url],
    runs: [{ id: started.body.id, state: 'complete', total: events[0]!.data.total }],
  })
  t.equal((await ask(`${url}${String(started.body.url)}`, { method: 'DELETE' })).status, 204)
  t.equal((await ask(`${url}${String(started.body.url)}`)).status, 404)
})

t.test('a run of pairs of wires tells of each pair [PRB-17]', async t => {
  const server = await launch()
  t.teardown(() => server.stop())
  const toy = await startToyGateway({ upstream: server.url, models: { gpt: 'chat', claude: 'messages' } })
  t.teardown(() => toy.close())
  const body = {
    target: toy.url,
    checks: ['TRN-PAIRS', 'TRN-TEXT'],
    pairs: ['*:messages'],
    routes: { llm: { openai: '/openai/v1', anthropic: '/anthropic', wires: ['chat', 'messages'] } },
  }
  const started = await ask(`${server.url}/_svc/probe/runs`, post(body))
  t.equal(started.status, 202, started.text)
  const events = await eventsOf(`${server.url}${String(started.body.events)}`)
  t.strictSame(
    events
      .filter(({ event }) => event === 'check')
      .map(({ data }) => [data.id, data.pair])
      .toSorted(),
    [
      ['TRN-PAIRS', null],
      ['TRN-TEXT', 'chat:messages'],
      ['TRN-TEXT', 'messages:messages'],
    ],
  )
  const report = await ask(`${server.url}${String(started.body.url)}`)
  t.match(report.body, { options: { pairs: ['*:messages'] }, gateway: { seen: { models: 'messages' } } })

  const refused = async (change: object): Promise<unknown> => {
    const { status, body: answer } = await ask(`${server.url}/_svc/probe/runs`, post({ ...body, ...change }))
    t.equal(status, 400)
    return answer.details
  }
  t.match(await refused({ pairs: ['chat:mesages'] }), /^pairs: unknown wire "mesages" \(did you mean messages\?\)/)
  // The environment is that of the server, not of the caller.
  t.match(await refused({ routes: { llm: { headers: { 'x-a': '${PATH}' } } } }), /the variable PATH is not set/)
})

t.test('a run whose gateway ends is failed, with the reason [PRB-17]', async t => {
  const { url, proxy } = await probing(t)
  const started = await ask(`${url}/_svc/probe/runs`, post({ target: proxy.url, groups: ['headers', 'targets'] }))
  const of = async (): Promise<Record<string, unknown>> =>
    (await ask(`${url}${String(started.body.url)}`)).body.progress as Record<string, unknown>
  await until(async () => Number((await of()).done) > 0)
  await proxy.close()
  await until(async () => (await of()).state !== 'running')
  t.match(await of(), { state: 'failed', error: 'gateway lost' })
  const report = await ask(`${url}${String(started.body.url)}`)
  t.equal(report.body.complete, false)
})

t.test('canceling the task of a run stops the run [PRB-17, MCPX-24]', async t => {
  const { url, proxy } = await probing(t)
  const mcp = `${url}/_svc/mcp`
  const capabilities = { extensions: { 'io.modelcontextprotocol/tasks': {} } }
  const started = await callTool(mcp, 'start_probe', { target: proxy.url, repeat: 10 }, { capabilities })
  const taskId = started.answer.result?.taskId
  const stateOf = async (): Promise<unknown> =>
    ((await ask(`${url}/_svc/probe/runs`)).body.runs as { state: string }[]).at(0)?.state
  t.equal(await stateOf(), 'running')
  await call(mcp, 'tasks/cancel', { taskId }, { capabilities })
  await until(async () => (await stateOf()) === 'stopped')
  const task = await call(mcp, 'tasks/get', { taskId }, { capabilities })
  t.match(task.answer.result, { status: 'cancelled' })
})

t.test('other targets, and routes to them, are refused [PRB-17]', async t => {
  const admin = { 'X-Svc-Admin-Token': 'secret' }
  const { url, proxy } = await probing(t, { SVC_ADMIN_TOKEN: 'secret' })
  const refused: [body: unknown, status: number, error: string][] = [
    [{ target: url }, 403, 'target_not_allowed'],
    [{ target: 'http://169.254.169.254' }, 403, 'target_not_allowed'],
    [{ target: url, allow_target: true }, 403, 'target_not_allowed'],
    [{ target: proxy.url, routes: { websocket: 'http://127.0.0.1:1/ws' } }, 403, 'target_not_allowed'],
    [{ target: 'ftp://x' }, 400, 'invalid_body'],
    [{ target: proxy.url, checks: ['HDR-CON'] }, 400, 'invalid_body'],
    [{ target: proxy.url, groups: ['header'] }, 400, 'invalid_body'],
    [{ target: proxy.url, repeat: 0 }, 400, 'invalid_body'],
    [{ target: proxy.url, hostil: true }, 400, 'invalid_body'],
    [{ target: proxy.url, headers: { 'a b': 'c' } }, 400, 'invalid_body'],
    [{ target: proxy.url, headers: { a: 'b\r\nc: d' } }, 400, 'invalid_body'],
    [{ target: proxy.url, headers: { Host: 'x' } }, 400, 'invalid_body'],
    [{ target: proxy.url, prefix: 'svc' }, 400, 'invalid_body'],
    [[], 400, 'invalid_body'],
  ]
  for (const [body, status, error] of refused) {
    const answer = await ask(`${url}/_svc/probe/runs`, post(body, admin))
    t.match({ status: answer.status, error: answer.body.error }, { status, error }, JSON.stringify(body))
  }
  t.match(
    (await ask(`${url}/_svc/probe/runs`, post({ target: 'http://127.0.0.1:1' }, admin))).body.remedy,
    /^probe:\n  targets:/,
  )
  t.match((await ask(`${url}/_svc/probe/runs`)).body, { runs: [] })
})

t.test('where nothing is restricted, loopback needs no entry, and a caller may allow others [PRB-17]', async t => {
  const reserved = await startProxy(1)
  await reserved.close()
  const start = async (body: object, env: Record<string, string> = {}): Promise<Answer> => {
    const server = await launch({ plugins: ['probe'], env })
    t.teardown(() => server.stop())
    const answer = await ask(`${server.url}/_svc/probe/runs`, post({ checks: ['HDR-CONN'], ...body }))
    return answer
  }
  // The port is closed: what counts is that the run may start.
  const loopback = `127.0.0.1:${reserved.port}`
  t.equal((await start({ target: `http://${loopback}` })).status, 202)
  t.equal((await start({ target: `http://localhost:${reserved.port}` })).status, 202)
  t.equal((await start({ target: `http://${loopback}`, routes: { websocket: `http://${loopback}/ws` } })).status, 202)
  const other = 'http://gateway.invalid:8000'
  t.match(await start({ target: other }), { status: 403, body: { remedy: /^send "allow_target": true .*\nprobe:/ } })
  t.match(await start({ target: `http://${loopback}`, routes: { websocket: other } }), { status: 403 })
  t.match(await start({ target: other, allow_target: 'yes' }), { status: 400, body: { error: 'invalid_body' } })
  t.match(await start({ target: 'http://127.0.0.1.example:8000' }), { status: 403 }, 'a name is not an address')
  t.equal((await start({ target: other, allow_target: true })).status, 202)
  const restricted = await start({ target: `http://${loopback}` }, { SVC_CONTROL_AUTH: 'token', SVC_ADMIN_TOKEN: 's' })
  t.equal(restricted.status, 401)
})

t.test('one run at a time; it can be stopped [PRB-17]', async t => {
  const { url, proxy } = await probing(t)
  const first = await ask(`${url}/_svc/probe/runs`, post({ target: proxy.url, checks: ['STR-IDLE'] }))
  t.equal(first.status, 202)
  const second = await ask(`${url}/_svc/probe/runs`, post({ target: proxy.url }))
  t.match(second, { status: 409, body: { error: 'run_in_progress', url: first.body.url } })
  t.equal((await ask(`${url}${String(first.body.url)}/stop`, { method: 'POST' })).status, 202)
  const events = await eventsOf(`${url}${String(first.body.events)}`)
  t.match(events.at(-1), { event: 'end', data: { state: 'stopped' } })
  t.match((await ask(`${url}${String(first.body.url)}`)).body, { complete: false, progress: { state: 'stopped' } })
})

t.test('a gateway that is not there fails the run with the cause [PRB-17]', async t => {
  const { url, proxy } = await probing(t)
  await proxy.close()
  const { body } = await ask(`${url}/_svc/probe/runs`, post({ target: proxy.url }))
  const events = await eventsOf(`${url}${String(body.events)}`)
  t.match(events.at(-1), { event: 'end', data: { state: 'failed', error: /cannot reach the gateway: ECONNREFUSED/ } })
})

t.test('starting and stopping needs the admin token, the catalog does not [PRB-17]', async t => {
  const { url, proxy } = await probing(t, { SVC_ADMIN_TOKEN: 'admin-token' })
  const wanted = { target: proxy.url, checks: ['RSP-DATE'] }
  t.equal((await ask(`${url}/_svc/probe/runs`, post(wanted))).status, 401)
  t.equal((await ask(`${url}/_svc/probe/runs/none/stop`, post({}))).status, 401)
  const started = await ask(`${url}/_svc/probe/runs`, post(wanted, { 'X-Svc-Admin-Token': 'admin-token' }))
  t.equal(started.status, 202)
  const events = await eventsOf(`${url}${String(started.body.events)}`)
  t.match(events.at(-1), { event: 'end', data: { state: 'complete' } })
  t.match((await ask(`${url}/_svc/probe/checks`)).body, { catalogue: '2026.3' })
  t.match((await ask(`${url}/_svc/probe/checks/HDR-CONN`)).body, { id: 'HDR-CONN', page: { sent: /Connection/ } })
  t.match(await ask(`${url}/_svc/probe/checks/HDR-CON`), { status: 404, body: { details: /HDR-CONN/ } })
})

t.test('public instances have no runs [PRB-17]', async t => {
  const server = await launch({ plugins: ['probe'], env: { SVC_PUBLIC_MODE: 'true', SVC_ADMIN_TOKEN: 'x' } })
  t.teardown(() => server.stop())
  t.equal((await ask(`${server.url}/_svc/probe/runs`, { headers: { 'X-Svc-Admin-Token': 'x' } })).status, 404)
})
