/** Tools, resources, prompts and completion of the open server. */
import t from 'tap'
import { PNG } from 'pngjs'
import { serve } from '../../support/server.ts'
import { call, callTool, HANDSHAKE_VERSIONS, items, openSession, textOf } from '../../support/mcp.ts'

// Starting and stopping dozens of servers takes long on a busy machine.
t.setTimeout(600_000)

const TOOLS = [
  'echo',
  'add',
  'calculate',
  'get_weather',
  'get_time',
  'lookup_customer',
  'search_orders',
  'cancel_order',
  'slow_task',
  'fail',
  'throw',
  'large_output',
  'generate_image',
  'fetch_resource_link',
  'prompt_injection_demo',
  'elicit_confirmation',
  'sample_llm',
  'inspect_request',
]

t.test('servers list their selection [MCP-20, MCP-25]', async t => {
  const { url } = await serve(t)
  const names = async (path: string, method: string, kind: string, member = 'name') =>
    items((await call(url + path, method)).answer.result?.[kind]).map(item => item[member])
  t.strictSame(await names('/mcp', 'tools/list', 'tools'), TOOLS)
  t.strictSame(await names('/mcp/apikey', 'tools/list', 'tools'), [], 'refused')
  const table: [string, string[], string[], string[], string[]][] = [
    [
      '/mcp',
      TOOLS,
      ['svc://docs/readme', 'svc://data/customers.json', 'svc://images/logo.png', 'svc://clock'],
      ['svc://customers/{id}', 'svc://weather/{city}'],
      ['summarize', 'code_review', 'incident_report'],
    ],
    [
      '/mcp/servers/weather',
      ['get_weather', 'get_time', 'inspect_request'],
      ['svc://clock'],
      ['svc://weather/{city}'],
      [],
    ],
    [
      '/mcp/servers/crm',
      ['lookup_customer', 'search_orders', 'cancel_order', 'inspect_request'],
      ['svc://data/customers.json'],
      ['svc://customers/{id}'],
      ['incident_report'],
    ],
    [
      '/mcp/servers/devtools',
      TOOLS.filter(name => !['get_weather', 'lookup_customer', 'search_orders', 'cancel_order'].includes(name)),
      ['svc://docs/readme', 'svc://images/logo.png', 'svc://clock'],
      [],
      ['summarize', 'code_review', 'incident_report'],
    ],
  ]
  for (const [path, tools, resources, templates, prompts] of table) {
    t.strictSame(await names(path, 'tools/list', 'tools'), tools, path)
    t.strictSame(await names(path, 'resources/list', 'resources', 'uri'), resources, path)
    t.strictSame(await names(path, 'resources/templates/list', 'resourceTemplates', 'uriTemplate'), templates, path)
    t.strictSame(await names(path, 'prompts/list', 'prompts'), prompts, path)
  }
  const absent: [string, string, Record<string, unknown>][] = [
    ['weather', 'tools/call', { name: 'echo', arguments: { message: 'x' } }],
    ['weather', 'resources/read', { uri: 'svc://docs/readme' }],
    ['crm', 'prompts/get', { name: 'summarize', arguments: { text: 'x' } }],
    [
      'crm',
      'completion/complete',
      { ref: { type: 'ref/resource', uri: 'svc://weather/{city}' }, argument: { name: 'city', value: '' } },
    ],
  ]
  for (const [name, method, params] of absent)
    t.equal(
      (await call(`${url}/mcp/servers/${name}`, method, params)).answer.error?.code as unknown,
      -32602,
      `${name} ${method}`,
    )
  for (const name of ['weather', 'crm', 'devtools', 'conformance'])
    t.equal(
      (await call(`${url}/mcp/servers/${name}`, 'server/discover')).answer.result?._meta?.[
        'io.modelcontextprotocol/serverInfo'
      ]?.name as unknown,
      `svc-mcp-${name}`,
    )
})

t.test(
  'every tool has closed schemas, annotations and, where it promises one, a structured result [MCP-20]',
  async t => {
    const { url } = await serve(t)
    for (const tool of items((await call(`${url}/mcp`, 'tools/list')).answer.result?.tools)) {
      t.match(
        tool,
        { title: /./, description: /./, inputSchema: { type: 'object', additionalProperties: false } },
        String(tool.name),
      )
      if (tool.outputSchema) t.match(tool.outputSchema, { type: 'object', additionalProperties: false })
      const changing = ['get_time', 'sample_llm', 'inspect_request'].includes(String(tool.name))
      const cancels = String(tool.name) === 'cancel_order'
      t.match(
        tool.annotations,
        {
          title: tool.title,
          readOnlyHint: !cancels,
          destructiveHint: cancels,
          idempotentHint: !changing,
          openWorldHint: String(tool.name) === 'sample_llm',
        },
        String(tool.name),
      )
    }
  },
)

t.test('tools return the documented results [MCP-20, MCP-21]', async t => {
  const { url } = await serve(t)
  const good: [string, Record<string, unknown>, string | RegExp, Record<string, unknown> | undefined][] = [
    ['echo', { message: 'grüß 👋' }, 'grüß 👋', { message: 'grüß 👋', length: 6 }],
    ['echo', { message: '' }, '', { message: '', length: 0 }],
    ['add', { a: 0.5, b: -2 }, '-1.5', { sum: -1.5 }],
    ['calculate', { expression: '2+3' }, '2+3 = 5', { expression: '2+3', result: 5 }],
    ['get_weather', { city: ' Lisbon ' }, /Lisbon/, { city: 'Lisbon', unit: 'C' }],
    ['get_weather', { city: 'Lisbon', units: 'imperial' }, /°F/, { unit: 'F' }],
    ['get_time', {}, /UTC/, { timezone: 'UTC', utcOffset: '+00:00' }],
    ['get_time', { timezone: 'Asia/Kolkata' }, /\+05:30/, { utcOffset: '+05:30' }],
    [
      'lookup_customer',
      { customer_id: 'u1' },
      /Alice Chen/,
      {
        customer: { id: 'u1', tier: 'gold', role: 'ADMIN' },
        orderIds: ['o1', 'o4'],
        orderCount: 2,
        lifetimeValue: 354.96,
      },
    ],
    ['lookup_customer', { customer_id: 'EVA@EXAMPLE.COM' }, /Eva/, { customer: { id: 'u5' }, lifetimeValue: 0 }],
    [
      'search_orders',
      { customer_id: 'carol', status: 'pending' },
      /^o8: pending/,
      { count: 1, orders: [{ id: 'o8', status: 'pending' }] },
    ],
    ['search_orders', { min_total: 300, limit: 2 }, /\n/, { count: 2, orders: [{ id: 'o2' }, { id: 'o3' }] }],
    ['search_orders', { status: 'shipped', customer_id: 'u1' }, /./, { count: 0, orders: [] }],
    [
      'cancel_order',
      { order_id: 'o5', reason: 'late' },
      /o5/,
      { orderId: 'o5', previousStatus: 'pending', status: 'cancelled', note: /late/ as unknown as string },
    ],
    ['slow_task', { duration_ms: 0, steps: 1 }, /./, { steps: 1, durationMs: 0, completed: true }],
    ['fetch_resource_link', {}, /svc:\/\/docs\/readme/, undefined],
  ]
  for (const [name, args, text, structured] of good) {
    const reply = await callTool(`${url}/mcp`, name, args)
    t.equal(reply.answer.result?.isError as unknown, false, `${name} ${JSON.stringify(args)}`)
    t.match(textOf(reply), text, name)
    if (structured) t.match(reply.answer.result?.structuredContent, structured, name)
  }
  const bad: [string, Record<string, unknown>, RegExp][] = [
    ['echo', {}, /missing argument "message"/],
    ['echo', { message: 7 }, /argument "message" must be string/],
    ['echo', { message: 'x', more: 1 }, /unknown argument "more"/],
    ['add', { a: '1', b: 2 }, /argument "a" must be number/],
    ['add', { a: 1e308, b: 1e308 }, /not finite/],
    ['calculate', { expression: '1/0' }, /position 1/],
    ['calculate', { expression: 'process.exit()' }, /position 0/],
    ['calculate', { expression: '('.repeat(300) }, /nested deeper/],
    ['calculate', { expression: '1'.repeat(513) }, /512/],
    ['get_weather', { city: '   ' }, /blank/],
    ['get_weather', { city: 'x'.repeat(101) }, /100/],
    ['get_time', { timezone: 'Mars/Olympus' }, /Mars/],
    ['lookup_customer', { customer_id: 'nobody' }, /u1, u2, u3, u4, u5/],
    ['search_orders', { customer_id: 'nobody' }, /u1, u2, u3, u4, u5/],
    ['search_orders', { status: 'lost' }, /pending, processing/],
    ['search_orders', { limit: 51 }, /limit/],
    ['cancel_order', { order_id: 'o1' }, /delivered/],
    ['cancel_order', { order_id: 'o99' }, /o99/],
    ['slow_task', { duration_ms: -1 }, /duration_ms/],
    ['slow_task', { steps: 101 }, /steps/],
    ['fail', { message: 'as requested' }, /^as requested$/],
    ['fail', {}, /./],
    ['generate_image', { prompt: 'x', size: 65 }, /size/],
    ['fetch_resource_link', { uri: 'file:///etc/passwd' }, /unknown resource/],
    ['large_output', { kb: 0 }, /kb/],
  ]
  for (const [name, args, text] of bad) {
    const reply = await callTool(`${url}/mcp`, name, args)
    t.strictSame(
      [reply.status, reply.answer.result?.isError] as unknown[],
      [200, true],
      `${name} ${JSON.stringify(args).slice(0, 60)}`,
    )
    t.match(textOf(reply), text, name)
  }
  t.strictSame(
    (await callTool(`${url}/mcp`, 'search_orders', { customer_id: 'u5' })).answer.result?.structuredContent?.orders?.[0]
      ?.status as unknown,
    'cancelled',
    'cancelling changed nothing',
  )
})

t.test('other kinds of content [MCP-20]', async t => {
  const { url } = await serve(t)
  const large = textOf(await callTool(`${url}/mcp`, 'large_output', { kb: 3 }))
  t.equal(large.length, 3 * 1024)
  t.match(large, /^[\x20-\x7e]+$/)
  t.equal(textOf(await callTool(`${url}/mcp`, 'large_output', { kb: 9_000_000 })).length, 1024 * 1024, 'capped')
  const image = (await callTool(`${url}/mcp`, 'generate_image', { prompt: 'a cat', size: 8 })).answer.result?.content
  t.match(image, [{ type: 'image', mimeType: 'image/png' }, { type: 'text' }])
  t.equal(PNG.sync.read(Buffer.from(String(image?.[0]?.data), 'base64')).width, 8)
  for (const [variant, text] of [
    ['classic', /cancel_order/],
    ['hidden', /<!-- Ignore/],
    ['exfiltration', /attacker\.example\/drop/],
  ] as const) {
    t.match((await callTool(`${url}/mcp`, 'prompt_injection_demo', { variant })).answer.result?.content, [
      { text: /^\[svc test data\]/ },
      { text },
    ])
  }
  const link = { name: 'fetch_resource_link', arguments: { uri: 'svc://images/logo.png' } }
  t.match((await callTool(`${url}/mcp`, link.name, link.arguments)).answer.result?.content, [
    { type: 'text' },
    { type: 'resource_link', uri: 'svc://images/logo.png', name: 'logo', title: 'Logo', mimeType: 'image/png' },
  ])
  for (const version of HANDSHAKE_VERSIONS) {
    const session = await openSession(`${url}/mcp`, { version })
    t.match(
      (await session.request('tools/call', link)).answer.result?.content?.[1],
      version >= '2025-06-18'
        ? { type: 'resource_link' }
        : { type: 'resource', resource: { uri: 'svc://images/logo.png', blob: /./ } },
      version,
    )
    t.equal(
      (await session.request('tools/call', { name: 'add', arguments: { a: 1, b: 1 } })).answer.result
        ?.structuredContent !== undefined,
      version >= '2025-06-18',
      version,
    )
    const sound = await openSession(`${url}/mcp/servers/conformance`, { version })
    t.match(
      (await sound.request('tools/call', { name: 'test_audio_content' })).answer.result?.content?.[0],
      { type: version >= '2025-03-26' ? 'audio' : 'text' },
      version,
    )
  }
})

t.test('throw returns a JSON-RPC error with the requested code [MCP-6, MCP-20]', async t => {
  const { url } = await serve(t)
  for (const [code, shown] of [
    [undefined, -32603],
    [-32000, -32000],
    [-32768, -32768],
    [1, 1],
    [999_999, 999_999],
    [0, -32603],
    [-31_999, -32603],
    [1_000_000, -32603],
  ] as const) {
    const reply = await callTool(`${url}/mcp`, 'throw', code === undefined ? {} : { code, message: 'm'.repeat(300) })
    t.equal(reply.status, 200)
    t.match(reply.answer.error, { code: shown, data: { tool: 'throw' } }, String(code))
    if (code !== undefined) t.equal(String(reply.answer.error?.message).length, 200)
  }
})

t.test('inspect_request returns the request as received [MCP-20]', async t => {
  const { url } = await serve(t)
  const reply = await callTool(
    `${url}/mcp?svc_key=abcdefghijklmn`,
    'inspect_request',
    {},
    { headers: { Authorization: 'Bearer abcdefghijkl', Cookie: 'a=1', 'X-Custom': 'yes' } },
  )
  const shown = reply.answer.result?.structuredContent
  t.match(shown, {
    method: 'POST',
    uri: '/mcp?svc_key=abcdef... (14 chars, masked)',
    clientIp: '127.0.0.1',
    transport: 'streamable-http',
    server: 'default',
    protocolVersion: '2026-07-28',
    session: null,
    tokenClaims: null,
    headers: {
      authorization: 'Bearer abcdef... (12 chars, masked)',
      cookie: '... (3 chars, masked)',
      'x-custom': 'yes',
      'mcp-method': 'tools/call',
    },
  })
  t.strictSame(JSON.parse(textOf(reply)), shown)
  const session = await openSession(`${url}/mcp`, { version: '2025-06-18' })
  t.match((await session.request('tools/call', { name: 'inspect_request' })).answer.result?.structuredContent, {
    session: session.id,
    protocolVersion: '2025-06-18',
  })
})

t.test('public mode limits duration and size [MCP-36]', async t => {
  const { url } = await serve(t, { env: { SVC_PUBLIC_MODE: 'true' } })
  t.equal(textOf(await callTool(`${url}/mcp`, 'large_output', { kb: 1024 })).length, 256 * 1024)
  const listed = items((await call(`${url}/mcp`, 'tools/list')).answer.result?.tools).find(
    tool => String(tool.name) === 'slow_task',
  )
  t.match(listed?.inputSchema?.properties?.duration_ms?.description, /15000/)
})

t.test('resources are read by URI and by template [MCP-22]', async t => {
  const { url } = await serve(t)
  const read = async (uri: string) => (await call(`${url}/mcp`, 'resources/read', { uri })).answer
  t.match((await read('svc://docs/readme')).result?.contents, [
    { uri: 'svc://docs/readme', mimeType: 'text/markdown', text: /^# / },
  ])
  t.equal(items(JSON.parse(String((await read('svc://data/customers.json')).result?.contents?.[0]?.text))).length, 5)
  const logo = Buffer.from(String((await read('svc://images/logo.png')).result?.contents?.[0]?.blob), 'base64')
  t.equal(items((await call(`${url}/mcp`, 'resources/list')).answer.result?.resources)[2]?.size as unknown, logo.length)
  t.ok(PNG.sync.read(logo).width > 0)
  t.match((await read('svc://clock')).result?.contents?.[0]?.text, /^\d{4}-\d\d-\d\dT[\d:.]+Z$/)
  t.match(JSON.parse(String((await read('svc://customers/u2')).result?.contents?.[0]?.text)), {
    id: 'u2',
    orders: [{ id: 'o2' }, { id: 'o7' }],
  })
  t.match(
    (await call(`${url}/mcp`, 'resources/read', { uri: 'svc://weather/S%C3%A3o%20Paulo' })).answer.result?.contents,
    [{ uri: 'svc://weather/S%C3%A3o%20Paulo', text: /São Paulo/ }],
  )
  for (const uri of [
    'svc://customers/u6',
    'svc://customers/',
    'svc://customers/__proto__',
    'svc://weather/a%2',
    'svc://weather/a%2Fb',
    `svc://weather/${'x'.repeat(101)}`,
    'svc://weather/%20',
    'file:///etc/passwd',
    'SVC://CLOCK',
    '',
  ]) {
    t.match((await read(uri)).error, { code: -32602, data: { uri } }, uri)
  }
})

t.test('prompts check their arguments [MCP-23]', async t => {
  const { url } = await serve(t)
  const get = async (name: string, args?: unknown) =>
    (await call(`${url}/mcp`, 'prompts/get', { name, arguments: args })).answer
  t.match((await get('summarize', { text: 'T', unknown: 'x' })).result?.messages, [
    { role: 'user', content: { type: 'text', text: /bullets[\s\S]*T$/ } },
  ])
  t.match((await get('code_review', { code: 'x=1', language: 'python', focus: 'security' })).result?.messages, [
    { role: 'user', content: { text: /security[\s\S]*```python\nx=1/ } },
    { role: 'assistant' },
  ])
  t.match((await get('incident_report', { service: 'billing' })).result?.messages, [
    { role: 'user', content: { text: /billing \(sev3\)/ } },
    {
      role: 'user',
      content: {
        type: 'resource',
        resource: { uri: 'svc://docs/runbook', mimeType: 'text/plain', text: /^1\.[\s\S]*\n5\./ },
      },
    },
  ])
  t.equal(
    String((await get('summarize', { text: 'y'.repeat(30_000) })).result?.messages?.[0]?.content?.text).replace(
      /[^y]/g,
      '',
    ).length,
    20_001,
    'cut at 20,000; the sentence itself contains one more',
  )
  for (const [name, args] of [
    ['summarize', undefined],
    ['summarize', { text: '' }],
    ['summarize', { text: 7 }],
    ['summarize', { text: 'x', style: {} }],
    ['summarize', [1]],
    ['nope', {}],
    ['__proto__', {}],
  ] as const) {
    t.equal((await get(name, args)).error?.code as unknown, -32602, `${name} ${JSON.stringify(args)}`)
  }
})

t.test('completion returns values by prefix [MCP-24]', async t => {
  const { url } = await serve(t)
  const complete = async (ref: unknown, argument: unknown) =>
    (await call(`${url}/mcp`, 'completion/complete', { ref, argument })).answer
  const prompt = (name: string) => ({ type: 'ref/prompt', name })
  const template = (uri: string) => ({ type: 'ref/resource', uri })
  const good: [unknown, string, string, string[]][] = [
    [prompt('code_review'), 'language', 'J', ['java', 'javascript']],
    [prompt('code_review'), 'focus', '', ['correctness', 'performance', 'readability', 'security']],
    [prompt('summarize'), 'style', 'tl', ['tldr']],
    [prompt('incident_report'), 'service', 'o', ['orders']],
    [prompt('incident_report'), 'severity', 'sev', ['sev1', 'sev2', 'sev3', 'sev4']],
    [template('svc://weather/{city}'), 'city', 's', ['San Francisco', 'Singapore', 'Sydney']],
    [template('svc://customers/{id}'), 'id', '', ['u1', 'u2', 'u3', 'u4', 'u5']],
    [prompt('summarize'), 'text', 'x', []],
    [prompt('summarize'), '__proto__', '', []],
    [template('svc://weather/{city}'), 'constructor', '', []],
  ]
  for (const [ref, name, value, values] of good)
    t.strictSame(
      (await complete(ref, { name, value })).result?.completion as unknown,
      { values, total: values.length, hasMore: false },
      `${name} ${value}`,
    )
  for (const [ref, argument] of [
    [prompt('nope'), { name: 'x', value: '' }],
    [template('svc://nope/{x}'), { name: 'x', value: '' }],
    [
      { type: 'ref/tool', name: 'echo' },
      { name: 'x', value: '' },
    ],
    [prompt('summarize'), {}],
    [undefined, { name: 'x' }],
    [prompt('summarize'), undefined],
  ] as const) {
    t.equal((await complete(ref, argument)).error?.code as unknown, -32602, JSON.stringify([ref, argument]))
  }
})

t.test('lists are paged [MCP-18]', async t => {
  const { url } = await serve(t)
  const names: unknown[] = []
  let cursor: unknown
  let pages = 0
  do {
    const result = (await call(`${url}/mcp?page_size=4`, 'tools/list', cursor === undefined ? {} : { cursor })).answer
      .result
    names.push(...items(result?.tools).map(tool => tool.name))
    cursor = result?.nextCursor
    pages++
  } while (cursor !== undefined)
  t.strictSame([names, pages], [TOOLS, 5])
  for (const size of ['0', '-1', 'abc', '1.5', '', '99999999999'])
    t.equal(
      items((await call(`${url}/mcp?page_size=${size}`, 'tools/list')).answer.result?.tools).length,
      TOOLS.length,
      size,
    )
  t.equal(
    (await call(`${url}/mcp?page_size=1`, 'tools/list', { cursor: null })).answer.result?.tools?.[0]?.name as unknown,
    'echo',
    'a null cursor counts as absent',
  )
  const session = await openSession(`${url}/mcp?page_size=2`)
  const first = (await session.request('prompts/list')).answer.result
  t.equal(
    items((await session.request('prompts/list', { cursor: first?.nextCursor })).answer.result?.prompts).length,
    1,
  )
  t.equal(
    (await session.request('tools/list', { cursor: first?.nextCursor })).answer.error?.code as unknown,
    -32602,
    'a cursor of another list',
  )
})
