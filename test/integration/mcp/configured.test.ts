/** Servers from svc.yaml: selected tools, declared tools and reported errors. */
import t from 'tap'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { serve, type TestServer } from '../../support/server.ts'
import { call, callTool, items, openSession, openStream, post, routing, envelope, textOf } from '../../support/mcp.ts'

// Starting and stopping dozens of servers takes long on a busy machine.
t.setTimeout(600_000)

const YAML = `
mcp:
  servers:
    - name: support
      title: Support desk
      instructions: Look customers up first.
      tools:
        - lookup_customer
        - name: refund_status
          title: Refund status
          description: State of a refund
          input_schema: { type: object, properties: { id: { type: string }, nested: { type: object } }, required: [id], additionalProperties: false }
          output_schema: { type: object, properties: { id: { type: string }, state: { type: string } }, required: [id, state] }
          annotations: { readOnlyHint: true }
          answers:
            - when: { id: r-404 }
              text: "No refund {{args.id}}"
              is_error: true
            - when: { nested: { a: [1] } }
              content: [{ type: text, text: "{{args.nested}} {{args.nested.a}} {{args.nested.b}} {{args.__proto__}} {{args.none|other}}" }]
            - when: { id: slow }
              text: late
              delay_ms: 30
            - when: { id: echo }
              text: "{{args.nested.x}}{{args.nested.x}}{{args.nested.x}}"
            - structured: { id: "{{args.id}}", state: PAID }
        - name: silent
      resources: [svc://clock, "svc://weather/{city}"]
      prompts: [summarize]
    - { name: locked, auth: apikey, api_key: s3cret, tools: ["*"], resources: ["*"], prompts: ["*"] }
    - name: vault
      auth: oauth
      tools: [{ name: open_vault, scope: "vault:open", answers: [{ text: open }] }]
`

const names = async (
  url: string,
  method: string,
  kind: string,
  member = 'name',
  headers: Record<string, string> = {},
) => items((await call(url, method, {}, { headers })).answer.result?.[kind]).map(item => item[member])

t.test('a configured server has all properties of a built-in one [MCP-28]', async t => {
  const { url, loadErrors } = await serveWith(t, YAML)
  t.strictSame(await loadErrors(), [])
  const support = `${url}/mcp/servers/support`
  const discovered = await call(support, 'server/discover')
  t.match(discovered.answer.result, {
    instructions: 'Look customers up first.',
    _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'svc-mcp-support', title: 'Support desk' } },
  })
  t.equal(discovered.headers.get('x-svc-mcp-server'), 'support')
  t.strictSame(await names(support, 'tools/list', 'tools'), ['lookup_customer', 'refund_status', 'silent'])
  t.strictSame(await names(support, 'resources/list', 'resources', 'uri'), ['svc://clock'])
  t.strictSame(await names(support, 'resources/templates/list', 'resourceTemplates', 'uriTemplate'), [
    'svc://weather/{city}',
  ])
  t.strictSame(await names(support, 'prompts/list', 'prompts'), ['summarize'])
  t.equal(items((await call(`${support}?page_size=2`, 'tools/list')).answer.result?.tools).length, 2)
  const session = await openSession(support)
  t.match((await session.request('tools/call', { name: 'refund_status', arguments: { id: 'r-1' } })).answer.result, {
    structuredContent: { id: 'r-1', state: 'PAID' },
    content: [{ text: '{"id":"r-1","state":"PAID"}' }],
    isError: false,
  })
  const unknown = (await (await fetch(`${url}/mcp/servers/nope`, { method: 'POST' })).json()) as { available: string[] }
  t.strictSame(unknown.available, [
    'weather',
    'crm',
    'devtools',
    'conformance',
    'tasks',
    'skills',
    'apps',
    'enterprise',
    'support',
    'locked',
    'vault',
  ])
  const catalog = (await (await fetch(`${url}/_svc/catalog`)).json()) as {
    endpoints: { path: string; methods: string[]; examples: { path: string }[] }[]
  }
  const examples = catalog.endpoints
    .filter(endpoint => endpoint.path === '/mcp/servers/{name}')
    .flatMap(endpoint => endpoint.examples.map(example => example.path))
  for (const name of ['weather', 'support', 'locked', 'vault']) t.ok(examples.includes(`/mcp/servers/${name}`), name)
})

t.test('declared tools return their configured answers [MCP-28]', async t => {
  const { url } = await serveWith(t, YAML)
  const refund = (args: Record<string, unknown>) => callTool(`${url}/mcp/servers/support`, 'refund_status', args)
  t.match((await refund({ id: 'r-404' })).answer.result, { isError: true, content: [{ text: 'No refund r-404' }] })
  t.equal(textOf(await refund({ id: 'x', nested: { a: [1] } })), '{"a":[1]} [1]   other')
  t.equal(textOf(await refund({ id: 'slow' })), 'late')
  t.match((await refund({})).answer.result, { isError: true, content: [{ text: /missing argument "id"/ }] })
  t.match(
    (await refund({ id: 'echo', nested: { x: 'y'.repeat(100_000) } })).answer.result,
    { isError: true, content: [{ text: /would be larger than/ }] },
    'an answer does not grow without bound',
  )
  t.match((await callTool(`${url}/mcp/servers/support`, 'silent', { any: 'thing' })).answer.result, {
    isError: true,
    content: [{ text: 'no answer is declared for these arguments' }],
  })
  t.equal(
    (await callTool(`${url}/mcp`, 'refund_status', { id: 'x' })).answer.error?.code as unknown,
    -32602,
    'other servers do not have it',
  )
})

t.test('answers have the tests and references of rules [MCP-28]', async t => {
  const { url, loadErrors } = await serveWith(
    t,
    `
mcp:
  servers:
    - name: support
      tools:
        - name: counted
          input_schema: { type: object }
          answers:
            - when: { n: { gte: 5 }, id: { any: [a, b] } }
              structured: { n: "{{args.n}}", text: "n={{args.n}}" }
            - text: "{{other}}"
              template: false
        - { name: typo, answers: [{ text: "{{arg.n}}" }] }
        - { name: unsure, answers: [{ text: x }, { when: { n: { gt: five } }, text: x }] }
`,
  )
  const counted = (args: Record<string, unknown>) => callTool(`${url}/mcp/servers/support`, 'counted', args)
  t.same((await counted({ n: 5, id: 'b' })).answer.result?.structuredContent, { n: 5, text: 'n=5' })
  t.equal(textOf(await counted({ n: 5, id: 'c' })), '{{other}}')
  t.match(
    (await loadErrors()).map(({ at, message }) => `${at}: ${message}`),
    [
      /^mcp\.servers\[0\]\.tools\[1\]\.answers\[0\]\.text: unknown reference "arg" \(did you mean "args"\?\)/,
      /^mcp\.servers\[0\]\.tools\[2\]\.answers\[1\]\.when\.n\.gt: expected a number/,
    ],
  )
})

t.test('a configured server has its own credentials [MCP-28, MCP-31]', async t => {
  const { url } = await serveWith(t, YAML)
  for (const [key, status] of [
    ['s3cret', 200],
    ['other', 401],
  ] as const)
    t.equal(
      (await call(`${url}/mcp/servers/locked`, 'server/discover', {}, { headers: { 'X-API-Key': key } })).status,
      status,
    )
  t.equal(
    (await names(`${url}/mcp/servers/locked`, 'tools/list', 'tools', 'name', { 'X-API-Key': 's3cret' })).length,
    18,
    '* is everything but fixtures',
  )
  const token = async (scope: string) => {
    const form = {
      grant_type: 'client_credentials',
      client_id: 'svc',
      client_secret: 'svc-secret',
      resource: `${url}/mcp/servers/vault`,
      scope,
    }
    return (
      (await (await fetch(`${url}/oauth/token`, { method: 'POST', body: new URLSearchParams(form) })).json()) as {
        access_token: string
      }
    ).access_token
  }
  const open = async (scope: string) =>
    (
      await callTool(
        `${url}/mcp/servers/vault`,
        'open_vault',
        {},
        { headers: { Authorization: `Bearer ${await token(scope)}` } },
      )
    ).status
  t.strictSame([await open('mcp:tools'), await open('vault:open')], [403, 200])
})

t.test('an invalid item is skipped and reported, the rest applies [MCP-28]', async t => {
  const { url, loadErrors } = await serveWith(
    t,
    `
mcp:
  servers:
    - { name: weather, tools: [echo] }
    - { name: Upper, tools: [echo] }
    - { name: strange, auth: magic, tools: [echo] }
    - name: shop
      tools: [echo, refund, { name: echo }, { name: bad schema }, { name: typed, input_schema: { type: string } }, { name: huge, answers: [{ text: "${'x'.repeat(300_000)}" }] }, { name: fine, answers: [{ text: ok }] }]
      resources: [svc://clock, svc://nope]
      prompts: [nope]
    - { name: shop, tools: [add] }
`,
  )
  t.strictSame(await names(`${url}/mcp/servers/shop`, 'tools/list', 'tools'), ['echo', 'fine'])
  t.strictSame(await names(`${url}/mcp/servers/weather`, 'tools/list', 'tools'), [
    'get_weather',
    'get_time',
    'inspect_request',
  ])
  for (const name of ['Upper', 'strange'])
    t.equal(
      (await fetch(`${url}/mcp/servers/${name}`, { method: 'POST' })).status,
      404,
      'a typo does not weaken access control',
    )
  const errors = await loadErrors()
  const expected: [RegExp, RegExp][] = [
    [/servers\[0\]$/, /"weather" is already in use/],
    [/servers\[1\]/, /./],
    [/servers\[2\]/, /./],
    [/servers\[3\]\.tools\[1\]$/, /unknown tool "refund"/],
    [/servers\[3\]\.tools\[2\]/, /"echo" is already in use/],
    [/servers\[3\]\.tools\[3\]/, /./],
    [/servers\[3\]\.tools\[4\]/, /"type": "object"/],
    [/servers\[3\]\.tools\[5\]/, /at most 262144/],
    [/servers\[3\]\.resources\[1\]/, /svc:\/\/nope/],
    [/servers\[3\]\.prompts\[0\]/, /nope/],
    [/servers\[4\]/, /"shop" is already in use/],
  ]
  for (const [at, message] of expected)
    t.ok(
      errors.some(error => at.test(error.at) && message.test(error.message)),
      `${at} ${message}`,
    )
})

t.test('a reload announces changes and ends the sessions of removed servers [MCP-29]', async t => {
  const before = 'mcp:\n  servers:\n    - { name: shop, tools: [echo] }\n    - { name: closing, tools: [echo] }\n'
  const after = 'mcp:\n  servers:\n    - { name: shop, tools: [echo, add] }\n'
  const server = await serveWith(t, before)
  const shop = `${server.url}/mcp/servers/shop`
  const session = await openSession(shop)
  const stream = await session.stream()
  const closing = await openSession(`${server.url}/mcp/servers/closing`)
  const closingStream = await closing.stream()
  const listening = await openStream(shop, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...routing('subscriptions/listen') },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'subscriptions/listen',
      params: { notifications: { toolsListChanged: true, promptsListChanged: true }, _meta: envelope() },
    }),
  })
  await listening.message()
  writeFileSync(join(server.folder, 'svc.yaml'), after)
  t.match(await (await fetch(`${server.url}/_svc/reload`, { method: 'POST' })).json(), { applied: true, changed: true })
  t.match(await stream.message(), { method: 'notifications/tools/list_changed' })
  t.match(await listening.message(), { method: 'notifications/tools/list_changed' })
  t.strictSame(
    items((await session.request('tools/list')).answer.result?.tools).map(tool => tool.name) as unknown[],
    ['echo', 'add'],
    'the session outlives the reload',
  )
  t.strictSame(await closingStream.rest(), [])
  t.equal(
    (await post(`${server.url}/mcp/servers/closing`, { jsonrpc: '2.0', id: 1, method: 'ping' }, closing.headers))
      .status,
    404,
  )
  stream.close()
  listening.close()
})

async function serveWith(
  t: Parameters<typeof serve>[0],
  yaml: string,
): Promise<TestServer & { loadErrors(): Promise<{ at: string; message: string }[]> }> {
  const server = await serve(t, { yaml })
  return Object.assign(server, {
    loadErrors: async () =>
      ((await (await fetch(`${server.url}/_svc/plugins`)).json()) as { load_errors: { at: string; message: string }[] })
        .load_errors,
  })
}
