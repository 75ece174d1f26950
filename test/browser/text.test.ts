/** Functions of the console's client without a page: filter, tags, printed requests, event streams, tokens. */
import t from 'tap'
import { execFileSync } from 'node:child_process'
import { toCurl, toFetch, toHttpFile } from '../../plugins/console/client/lib/protocol/curl.ts'
import { familyOf } from '../../plugins/console/client/lib/traffic/families.ts'
import { parseFilter } from '../../plugins/console/client/lib/traffic/filter.ts'
import { attemptsOf, attemptText } from '../../plugins/console/client/lib/traffic/attempts.ts'
import { isHealthProbe } from '../../plugins/console/client/lib/traffic/probes.ts'
import { endText } from '../../plugins/console/client/lib/traffic/outcome.ts'
import { gatewayOf } from '../../plugins/console/client/lib/instance/page-gateway.ts'
import {
  formatBytes,
  formatDuration,
  formatMs,
  hexDump,
  type Entry,
} from '../../plugins/console/client/lib/protocol/http.ts'
import { decodeJwt, expiryOf } from '../../plugins/console/client/lib/tokens/jwt.ts'
import { emptyValue, resolveAll, resolveSchema, typeOf } from '../../plugins/console/client/lib/protocol/schema-form.ts'
import { EventParser } from '../../plugins/console/client/lib/protocol/sse.ts'
import { tagsOf } from '../../plugins/console/client/lib/traffic/tags.ts'

function entry(fields: Partial<Entry> & { headers?: { name: string; value: string }[] } = {}): Entry {
  const uri = fields.uri ?? '/echo/a?x=1'
  return {
    id: 'e-1',
    request_id: 'r-1',
    timestamp: '2026-11-21T10:00:00.000Z',
    method: 'GET',
    uri,
    path: uri.split('?')[0]!,
    query: uri.split('?')[1] ?? null,
    version: 'HTTP/1.1',
    headers: [],
    client_ip: '10.1.2.3',
    session: null,
    session_from: null,
    listener: null,
    proxy_protocol: null,
    rule: null,
    body: null,
    body_base64: null,
    body_decoded: null,
    body_size: 0,
    body_truncated: false,
    status: 200,
    latency_ms: 12,
    service: null,
    services: [],
    notified: [],
    tags: [],
    trace: null,
    grpc_status: null,
    fault: null,
    fault_origin: null,
    abort: null,
    end_reason: null,
    response_headers: null,
    response_body: null,
    response_body_base64: null,
    response_body_truncated: false,
    fault_source: null,
    route: '/echo/{*path}',
    plugin: 'echo',
    bytes_sent: 0,
    ended: 'complete',
    ...fields,
  }
}

t.test('the filter syntax [CON-22]', async t => {
  const post = entry({
    method: 'POST',
    uri: '/ai/openai/v1/chat/completions',
    status: 503,
    session: 'Class-1',
    body: '{"text":"two words"}',
    body_size: 20,
    latency_ms: 700,
    headers: [
      { name: 'via', value: '1.1 kong' },
      { name: 'x-kong-request-id', value: 'k' },
    ],
  })
  const get = entry()
  const cases: [string, matchesPost: boolean, matchesGet: boolean][] = [
    ['', true, true],
    ['   ', true, true],
    ['method:post', true, false],
    ['method:POST path:/ai', true, false],
    ['method:POST path:/echo', false, false],
    ['status:5xx', true, false],
    ['status:5', true, false],
    ['status:503', true, false],
    ['status:>=400', true, false],
    ['status:<300', false, true],
    ['-status:5xx', false, true],
    ['header:x-kong', true, false],
    ['header:via=1.1', true, false],
    ['header:via=2', false, false],
    ['header:vi', true, false],
    ['-header:via', false, true],
    ['body:"two words"', true, false],
    ['body:two', true, false],
    ['body:"two  words"', false, false],
    ['session:class-1', true, false],
    ['ip:10.1', true, true],
    ['ip:10.2', false, false],
    ['tag:ai', true, false],
    ['slow:500', true, false],
    ['id:r-1', true, true],
    ['kong', true, false],
    ['echo', false, true],
    ['-kong', false, true],
    ['"1.1 kong"', true, false],
    ['503', true, false],
    ['path:', true, true],
    ['http://x', false, false],
    ['10:30', false, false],
    ['-', true, true],
    ['body:"open', false, false],
  ]
  for (const [text, isPost, isGet] of cases) {
    const { matches, problems } = parseFilter(text)
    t.strictSame([matches(post), matches(get)], [isPost, isGet], text)
    t.strictSame(problems, [], text)
  }
  t.match(parseFilter('status:abc method:GET').problems, [/status:abc/])
  t.ok(parseFilter('status:abc method:GET').matches(get), 'invalid terms are ignored')
  t.match(parseFilter('slow:x').problems, [/slow:x/])
  t.notOk(parseFilter('"'.repeat(50_000) + ' a:'.repeat(20_000)).matches(post), 'long filters are fast')
})

t.test('tags by type of traffic [CON-21]', async t => {
  const tags = (fields: Parameters<typeof entry>[0]) => tagsOf(entry(fields)).map(({ text }) => text)
  const rpc = (method: string) => ({ body: JSON.stringify({ jsonrpc: '2.0', id: 1, method }), body_size: 50 })
  t.strictSame(tags({ uri: '/ai/anthropic/v1/messages' }), ['AI anthropic'])
  t.strictSame(tags({ uri: '/ai/v1/chat/completions' }), ['AI openai'])
  t.strictSame(tags({ uri: '/mcp', ...rpc('tools/call') }), ['MCP tools/call'])
  t.strictSame(tags({ uri: '/mcp/servers/crm', headers: [{ name: 'mcp-method', value: 'tools/list' }] }), [
    'MCP tools/list',
  ])
  t.strictSame(tags({ uri: '/a2a/echo', ...rpc('message/send') }), ['A2A message/send'])
  t.strictSame(tags({ uri: '/a2a/echo/v1/message:send' }), ['A2A send'])
  const graph = (query: string) => ({ body: JSON.stringify({ query }), body_size: 50 })
  t.strictSame(tags({ uri: '/graphql', ...graph('{ a: user(id: "u1") { id } }') }), ['GraphQL query user'])
  t.strictSame(
    tags({ uri: '/graphql', ...graph('# note\nmutation Rename($id: ID!) { renameUser(id: $id) { id } }') }),
    ['GraphQL mutation Rename'],
  )
  t.strictSame(
    tags({
      uri: '/graphql/subgraphs/reviews',
      ...graph('query($r: [_Any!]!) { _entities(representations: $r) { id } }'),
    }),
    ['GraphQL reviews: query _entities'],
  )
  t.strictSame(tags({ uri: '/graphql/subgraphs/users?query=%7Bme%7Bid%7D%7D' }), ['GraphQL users: query me'])
  t.strictSame(tags({ uri: '/graphql/schema' }), ['GraphQL'])
  t.strictSame(tags({ uri: '/mock/shop/orders' }), ['mock shop'])
  t.strictSame(tags({ headers: [{ name: 'x-svc-fail', value: '503:1' }] }), [], 'a fault that did not occur has no tag')
  t.strictSame(tags({ fault: 'abort', fault_source: 'X-Svc-Abort: truncate', abort: 'truncate', ended: 'aborted' }), [
    'truncated',
  ])
  t.strictSame(tags({ fault: 'abort', fault_source: 'X-Svc-Abort: reset', abort: 'reset', ended: 'aborted' }), [
    'reset',
  ])
  t.strictSame(tags({ fault: 'delay', fault_source: 'X-Svc-Delay: 300' }), ['delay 300 ms'])
  t.strictSame(tags({ fault: 'delay', fault_source: 'rule: delay 300', rule: 'slow' }), ['delay 300 ms', 'rule slow'])
  const delayed = { fault: 'fail', fault_source: 'X-Svc-Fail: 503', fault_origin: 'header', status: 503 } as const
  const headers = [{ name: 'x-svc-delay', value: '300' }]
  t.strictSame(tags({ ...delayed, headers, latency_ms: 301 }), ['delay 300 ms', '503 injected'])
  t.strictSame(tags({ ...delayed, headers, latency_ms: 1 }), ['503 injected'], 'a delay that did not happen has no tag')
  t.strictSame(
    tags({ uri: '/ai/openai/v1/responses', tags: ['refused:a.b', 'violation:a.b', 'violation:a.c', 'directive'] }),
    ['violation', 'directive', 'AI openai'],
    'what plugins noticed; violations are one tag',
  )
  const [first] = tagsOf(entry({ tags: ['violation:a.b', 'violation:a.c'] }))
  t.equal(first!.title, 'A real vendor would have refused this: a.b, a.c')
  const violating = entry({ tags: ['violation:openai.range'] })
  for (const [text, expected] of [
    ['tag:violation:openai.range', true],
    ['tag:violation', true],
    ['tag:violation:anthropic', false],
    ['-tag:violation', false],
  ] as const)
    t.equal(parseFilter(text).matches(violating), expected, text)
  t.strictSame(
    tags({ uri: '/ai/openai/v1/responses', fault: 'ai', fault_source: '?fail=overloaded', status: 529 }),
    ['529 overloaded', 'AI openai'],
    'first what went wrong',
  )
  t.strictSame(tags({ rule: 'busy', fault: 'fail', fault_source: 'rule: fail 503', status: 503 }), [
    '503 injected',
    'rule busy',
  ])
  t.strictSame(tags({ fault: 'identity', fault_source: 'identity: slow_jwks' }), ['fault slow_jwks'])
  t.strictSame(tags({ uri: '/flaky/100', status: 503 }), ['503 injected'])
  t.strictSame(tags({ uri: '/flaky/status' }), [], 'a flaky endpoint that answered has no tag')
  t.strictSame(tags({ ended: 'client_left' }), ['client disconnected'])
  t.strictSame(tags({ ended: 'open' }), ['open'])
  t.strictSame(tags({ uri: '/svc.echo.v1.EchoService/Echo', plugin: 'grpc', grpc_status: 14 }), ['gRPC 14'])
  t.strictSame(tags({ uri: '/mcp', body: '{"method":', body_size: 10 }), ['MCP'])
  t.strictSame(tags({ uri: '/aix' }), [])
})

t.test('headers of gateways [CON-24]', async t => {
  for (const [name, family] of [
    ['Via', 'Via'],
    ['x-forwarded-for', 'X-Forwarded'],
    ['x-real-ip', 'X-Forwarded'],
    ['x-envoy-attempt-count', 'Envoy'],
    ['X-Kong-Request-Id', 'Kong'],
    ['x-consumer-username', 'Consumer'],
    ['x-tyk-trace', 'Tyk'],
    ['x-amzn-trace-id', 'AWS'],
    ['x-azure-ref', 'Azure'],
    ['cf-ray', 'Cloudflare'],
    ['fly-region', 'Fly.io'],
    ['x-litellm-model', 'LiteLLM'],
    ['traceparent', 'Tracing'],
    ['b3', 'Tracing'],
    ['x-forwarded-client-cert', 'Client certificate'],
    ['x-ratelimit-limit', 'Rate limit'],
  ])
    t.equal(familyOf(name!), family, name!)
  for (const name of ['accept', 'viax', 'b3x', 'x-forwarded', 'content-type']) t.equal(familyOf(name), null, name)
})

t.test('a request as text [CON-25]', async t => {
  const hostile = {
    method: 'POST',
    url: 'http://h/a?q=it\'s $(id) `id` {x} [1]&b="',
    headers: [
      { name: 'X-A', value: "'; rm -rf /; $HOME" },
      { name: 'X-Empty', value: '' },
    ],
    body: 'line one\nit\'s "quoted" $(id) \\ \u00e9\n@file',
  }
  const printed = execFileSync('/bin/sh', [
    '-c',
    `curl() { for a in "$@"; do printf '%s\\0' "$a"; done; }\n${toCurl(hostile)}`,
  ])
    .toString()
    .split('\0')
    .slice(0, -1)
  t.strictSame(
    printed,
    [
      '-sS',
      '-X',
      'POST',
      '-g',
      hostile.url,
      '-H',
      "X-A: '; rm -rf /; $HOME",
      '-H',
      'X-Empty;',
      '--data-raw',
      hostile.body,
    ],
    'a shell reads the original values',
  )
  t.equal(toCurl({ method: 'GET', url: 'http://h/', headers: [], body: null }), 'curl -sS \\\n  http://h/')
  t.match(toCurl({ method: 'HEAD', url: 'http://h/', headers: [], body: null }), /--head/)
  t.match(
    toCurl({ method: 'PUT', url: 'http://h/', headers: [], body: new Uint8Array([0, 255]) }),
    /--data-binary @body\.bin/,
  )

  const file = toHttpFile({
    ...hostile,
    url: 'http://h/a',
    headers: [{ name: 'X-A', value: 'one\r\nX-Injected: two' }],
  })
  t.equal(file, `### POST http://h/a\nPOST http://h/a\nX-A: one X-Injected: two\n\n${hostile.body}\n`)

  const calls: unknown[][] = []
  await new (Object.getPrototypeOf(async () => {}).constructor)('fetch', toFetch(hostile))((...call: unknown[]) =>
    calls.push(call),
  )
  t.strictSame(
    calls,
    [
      [
        hostile.url,
        {
          method: 'POST',
          headers: [
            ['X-A', "'; rm -rf /; $HOME"],
            ['X-Empty', ''],
          ],
          body: hostile.body,
        },
      ],
    ],
    'JavaScript reads the original values',
  )
})

t.test('an event stream [CON-33]', async t => {
  const text =
    ': hello\r\nid: 1\r\nevent: request\r\ndata: {"a":\r\ndata: 1}\r\n\r\ndata:x\n\nid: 2\ndata\n\nevent: none\n\nid: 3\r\rdata: y\r\r'
  const expected = [
    { event: 'request', data: '{"a":\n1}', id: '1' },
    { event: 'message', data: 'x', id: '1' },
    { event: 'message', data: '', id: '2' },
    { event: 'message', data: 'y', id: '3' },
  ]
  const whole = new EventParser()
  t.strictSame([...whole.push(text), ...whole.push('\n')], expected)
  const single = new EventParser()
  t.strictSame(
    [...text, '\n'].flatMap(character => single.push(character)),
    expected,
    'cut anywhere',
  )
})

t.test('tokens are decoded [CON-15]', async t => {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const token = `${part({ alg: 'EdDSA' })}.${part({ sub: 'ä', exp: 1000 })}.${Buffer.from('sig').toString('base64url')}`
  t.match(decodeJwt(token), { header: { alg: 'EdDSA' }, claims: { sub: 'ä' } })
  t.equal(expiryOf(token), 1_000_000)
  for (const none of ['', 'a.b', 'a.b.c', 'a.b.c.d', `${part([])}.${part({})}.x`, 'opaque'])
    t.equal(decodeJwt(none), null, none)
  t.equal(expiryOf('opaque'), null)
})

t.test('formatted numbers', async t => {
  t.strictSame([0, 999, 1000, 65_536, 1_000_000, 999_999].map(formatBytes), [
    '0 B',
    '999 B',
    '1.0 kB',
    '66 kB',
    '1.0 MB',
    '1.0 MB',
  ])
  t.strictSame([0.5, 12.34, 640, 12_000].map(formatMs), ['0.50 ms', '12.3 ms', '640 ms', '12s'])
  t.strictSame([0, 59, 60, 3661, 90_000].map(formatDuration), ['0s', '59s', '1m', '1h 1m', '1d 1h'])
  t.match(hexDump(new Uint8Array([0, 65, 255])), /^000000 {2}00 41 ff +\.A\.$/)
  t.match(hexDump(new Uint8Array(5000)), /904 more bytes$/)
})

t.test('forms from schemas', async t => {
  const schema = {
    type: 'object',
    required: ['a', 'b', 'node'],
    properties: {
      a: { type: 'string' },
      b: { enum: ['x', 'y'] },
      c: { type: 'integer' },
      d: { type: 'number', default: 2 },
      node: { $ref: '#/$defs/node' },
    },
    $defs: { node: { type: 'object', required: ['next'], properties: { next: { $ref: '#/$defs/node' } } } },
  }
  t.match(emptyValue(schema), { a: '', b: 'x', d: 2, node: { next: {} } }, 'a recursive schema ends')
  t.notOk('c' in (emptyValue(schema) as object))
  t.equal(typeOf({ type: ['string', 'null'] }), 'string')
  t.equal(typeOf({ type: ['string', 'number'] }), 'json')
  t.strictSame(
    resolveAll(
      { properties: { step: { anyOf: [{ $ref: '#/$defs/step' }] } } },
      { $defs: { step: { items: { $ref: '#/$defs/name' } }, name: { type: 'string' } } },
    ),
    { properties: { step: { anyOf: [{ items: { type: 'string' } }] } } },
    'references in other schemas',
  )
  const loop = { $defs: { loop: { not: { $ref: '#/$defs/loop' } } } }
  t.match(JSON.stringify(resolveAll({ $ref: '#/$defs/loop' }, loop)), /^(?:\{"not":){6}\{\}\}+$/, 'a loop ends')
  t.strictSame(resolveSchema({ $ref: '#/none/there' }, schema), {}, 'an unresolvable reference allows anything')
  t.same(
    resolveSchema({ $ref: '#/$defs/loop' }, { $defs: { loop: { $ref: '#/$defs/loop' } } }),
    { $ref: '#/$defs/loop' },
    'a loop ends',
  )
})

t.test('attempts at one request are joined by request id, else by trace [CON-36]', async t => {
  const trace = (id: string) => ({ trace_id: id, span_id: 's', parent_span_id: null, sampled: true, state: null })
  const at = (id: string, ms: number, fields: Partial<Entry> = {}) =>
    entry({ id, request_id: id, timestamp: new Date(1_790_000_000_000 + ms).toISOString(), ...fields })
  const entries = [
    at('c', 250, { request_id: 'one' }),
    at('b', 1, { request_id: 'one' }),
    at('a', 0, { request_id: 'one' }),
    at('e', 40, { trace: trace('t1') }),
    at('d', 30, { trace: trace('t1') }),
    at('f', 50, { trace: trace('t1'), uri: '/other' }),
    at('g', 60, { request_id: 'one', method: 'POST' }),
    at('h', 900_000, { request_id: 'one' }),
    at('j', 71, { request_id: 'two', trace: trace('t2') }),
    at('i', 70, { request_id: 'two' }),
    at('k', 72, { trace: trace('t2') }),
  ]
  const attempts = attemptsOf(entries)
  const texts = Object.fromEntries([...attempts].map(([id, attempt]) => [id, attemptText(attempt)]).sort())
  t.strictSame(
    texts,
    {
      a: 'attempt 1 of 3',
      b: 'attempt 2 of 3, +1 ms',
      c: 'attempt 3 of 3, +249 ms',
      d: 'attempt 1 of 2',
      e: 'attempt 2 of 2, +10 ms',
      i: 'attempt 1 of 3',
      j: 'attempt 2 of 3, +1 ms',
      k: 'attempt 3 of 3, +1 ms',
    },
    'another target, another method or a much later time is a separate request',
  )
})

t.test('health probes, the end of an answer, the gateway of the page [CON-35, CON-36, CON-37]', async t => {
  const agent = (value: string) => ({ headers: [{ name: 'user-agent', value }] })
  t.ok(
    isHealthProbe(entry({ uri: '/health' })) &&
      isHealthProbe(entry({ uri: '/echo', ...agent('kube-probe/1.31') })) &&
      isHealthProbe(entry({ uri: '/x', ...agent('ELB-HealthChecker/2.0') })),
  )
  t.notOk(
    isHealthProbe(entry({ uri: '/health/toggle', method: 'POST' })) ||
      isHealthProbe(entry({ uri: '/health', method: 'POST' })) ||
      isHealthProbe(entry(agent('curl/8'))),
  )
  t.strictSame(
    [
      endText(entry({ ended: 'aborted', status: 444 })),
      endText(entry({ ended: 'aborted', bytes_sent: 60 })),
      endText(entry({ ended: 'client_left', status: 499 })),
      endText(entry({ ended: 'open', bytes_sent: 5 })),
    ],
    [
      'aborted by the instance before the response',
      'aborted by the instance after 60 B of the body',
      'client disconnected before the response',
      'in progress, 5 B sent so far',
    ],
  )
  t.equal(
    gatewayOf(
      'gw',
      [],
      [
        ['content-type', 'x'],
        ['x-svc-plan', 'free'],
        ['traceresponse', 'x'],
      ],
    ),
    null,
  )
  t.strictSame(
    gatewayOf(
      'gw',
      ['via'],
      [
        ['server', 'nginx'],
        ['x-kong-proxy-latency', '1'],
        ['via', '1.1 kong'],
      ],
    ),
    { host: 'gw', evidence: ['via', 'server', 'x-kong-proxy-latency'] },
  )
})
