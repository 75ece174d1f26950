/** Both sides of a gateway: what a client sent through svc, and what arrived (sheet demos, 3.1 and 6). */
import t from 'tap'
import { exchangeText } from '../../../plugins/demos/command/watch.ts'
import type { SeenExchange } from '../../../plugins/demos/http/exchanges.ts'
import { startDemoProxy, type Handler } from '../../support/demo-proxy.ts'
import { serve } from '../../support/server.ts'

/** A gateway that loses the marks of the cache, and adds a header. */
const careless: Handler = (request, forward) =>
  forward({
    ...request,
    headers: { ...request.headers, 'x-added': 'by the gateway' },
    body: request.body.replaceAll(/"cache_control":\{"type":"ephemeral"\},?/g, '').replaceAll(',}', '}'),
  })

const DEMO = {
  demo: 'agent',
  title: 'A real agent',
  area: 'agents',
  shows: 'What leaves the agent arrives.',
  route: { path: '/v1/models' },
  needs: ['llm-anthropic'],
  steps: [
    {
      title: 'The agent works',
      ask: 'Start the agent.',
      expect: [{ arrivals: { match: { method: 'POST' }, exactly: 1 } }],
    },
  ],
}

t.test('what a client sent and what arrived are compared', async t => {
  const { url } = await serve(t, { plugins: ['demos', 'proxy', 'llm', 'llm-anthropic', 'llm-openai'] })
  const gateway = await startDemoProxy(t, url, { handle: careless })
  const ask = async (path: string, body?: object): Promise<{ status: number; body: Record<string, any> }> => {
    const response = await fetch(`${url}/_svc/demos/runs${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    return { status: response.status, body: (await response.json()) as Record<string, unknown> }
  }
  t.match(await ask('', { inline: DEMO, target: 'direct', tap: true }), {
    status: 400,
    body: { error: 'invalid_run', at: 'tap' },
  })
  const started = await ask('', { inline: DEMO, target: gateway, tap: true, stepwise: true })
  t.equal(started.status, 202)
  const { id } = started.body as { id: string }
  const base = `${url}/s/${id}/proxy/gateway`
  while ((await ask(`/${id}`)).body.state !== 'waiting') await new Promise(resolve => setTimeout(resolve, 20))

  const replied = await fetch(`${base}/v1/messages`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'anthropic-version': '2023-06-01',
      'x-api-key': 'sk-of-the-client',
    },
    body: JSON.stringify({
      model: 'claude-sonnet-4-5',
      max_tokens: 50,
      system: [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } }],
      messages: [{ role: 'user', content: 'Name a color.' }],
    }),
  })
  t.match(await replied.json(), { role: 'assistant' })

  const { exchanges } = (await ask(`/${id}/exchanges`)).body as { exchanges: SeenExchange[] }
  t.equal(exchanges.length, 1)
  t.match(exchanges[0], {
    sent: { method: 'POST', uri: '/v1/messages', status: 200 },
    arrived: [
      {
        uri: '/v1/messages',
        body: 'changed',
        conversation: { client: 'messages', upstream: 'messages', differences: [{ kind: /^lost$/, at: /^\/marks/ }] },
      },
    ],
  })
  const [arrived] = exchanges[0]!.arrived
  t.match(
    arrived!.headers.find(({ name }) => name === 'x-added'),
    { kind: 'added', arrived: 'by the gateway' },
  )
  t.notMatch(JSON.stringify(exchanges), /sk-of-the-client/)
  const text = exchangeText(exchanges[0]!)
  t.match(text, /^POST \/v1\/messages: 200, \d+ bytes sent\n {2}arrived as POST \/v1\/messages: 200, body changed\n/)
  t.match(text, /header x-added added: by the gateway\n/)
  t.match(text, /\/marks\/\S* lost: /)

  const next = await fetch(`${url}/_svc/demos/runs/${id}/next`, { method: 'POST' })
  t.equal(next.status, 202)
  let report = (await ask(`/${id}`)).body
  while (report.state === 'running' || report.state === 'waiting') report = (await ask(`/${id}`)).body
  t.match(report.demos, [{ verdict: /^seen$/ }], 'what the client sent does not count as an arrival')
  const gone = await fetch(`${base}/v1/models`)
  t.equal(gone.status, 404)
  t.match(await gone.json(), { error: 'no_tap' })
})

t.test('traffic of the demo that arrives meanwhile is not that of the client', async t => {
  const { url } = await serve(t, { plugins: ['demos', 'proxy', 'echo'] })
  let passed!: () => void
  const demoTraffic = new Promise<void>(resolve => {
    passed = resolve
  })
  const gateway = await startDemoProxy(t, url, {
    async handle(request, forward) {
      const answer = await forward(request)
      if (request.path.includes('/of-the-demo')) passed()
      if (request.path.includes('/of-the-client')) await demoTraffic
      return answer
    },
  })
  const post = (path: string, body: object): Promise<Response> =>
    fetch(`${url}/_svc/demos/runs${path}`, { method: 'POST', body: JSON.stringify(body) })
  const read = async (path: string): Promise<any> => (await fetch(`${url}/_svc/demos/runs${path}`)).json()
  const inline = {
    ...DEMO,
    route: { path: '/anything/**' },
    needs: ['echo'],
    steps: [{ title: 'Both', send: { path: '/anything/of-the-demo' }, expect: [{ responses: { status: 200 } }] }],
  }
  const started = await post('', { inline, target: gateway, tap: true, stepwise: true })
  const { id } = (await started.json()) as { id: string }
  while ((await read(`/${id}`)).state !== 'waiting') await new Promise(resolve => setTimeout(resolve, 20))
  const sent = fetch(`${url}/s/${id}/proxy/gateway/anything/of-the-client`)
  const client = { path: '/anything/of-the-client', timeout_ms: '60000', wait_for: '1', session: id }
  await fetch(`${url}/_svc/requests?${new URLSearchParams(client)}`)
  t.equal((await post(`/${id}/next`, {})).status, 202)
  t.equal((await sent).status, 200)
  const { exchanges } = (await read(`/${id}/exchanges`)) as { exchanges: SeenExchange[] }
  t.match(exchanges, [{ sent: { uri: '/anything/of-the-client' }, arrived: [{ uri: '/anything/of-the-client' }] }])
  t.strictSame(
    exchanges.map(({ arrived }) => arrived.length),
    [1],
  )
})

t.test('without a run there is no way to a gateway, and none in public mode', async t => {
  const { url } = await serve(t, { plugins: ['demos', 'proxy'] })
  t.equal((await fetch(`${url}/s/unknown/proxy/gateway/v1/models`)).status, 404)
  t.equal((await fetch(`${url}/proxy/gateway/v1/models`)).status, 404)
  const open = await serve(t, { plugins: ['demos', 'proxy'], env: { SVC_PUBLIC_MODE: 'true' } })
  t.not((await fetch(`${open.url}/s/unknown/proxy/gateway/v1/models`)).status, 200)
})

t.test('an upstream of svc.yaml with the same name answers all other sessions', async t => {
  const upstream = await serve(t, { plugins: ['echo'] })
  const settings = { proxy: [{ name: 'gateway', target: upstream.url, mode: 'passthrough' }] }
  const { url } = await serve(t, { plugins: ['demos', 'proxy'], settings })
  t.equal((await fetch(`${url}/proxy/gateway/anything/x`)).status, 200)
})

t.test('exchanges are printed with what is missing', t => {
  const sent = { id: '1', method: 'GET', uri: '/v1/models', status: 502, bytes: 0 }
  t.equal(exchangeText({ sent, arrived: [] }), 'GET /v1/models: 502, 0 bytes sent\n  nothing arrived\n')
  t.end()
})
