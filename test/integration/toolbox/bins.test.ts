/** Request bins: create, configure, capture, list, delete. */
import { randomBytes } from 'node:crypto'
import t from 'tap'
import type { NumberedRequest } from '../../../plugins/bins/captured-request.ts'
import { send, type RequestOptions } from '../../support/request.ts'
import { serve } from '../../support/server.ts'
import { until } from '../../support/until.ts'

const { url } = await serve(t)

interface Made {
  id: string
  path: string
  response: Record<string, unknown>
  limits: Record<string, number>
  created_at: string
  expires_at: string
}
interface Listing {
  count: number
  bin: Record<string, unknown>
  links: Record<string, string>
  requests: NumberedRequest[]
}

async function makeBin(configuration?: object, base = url): Promise<Made> {
  const reply = await send(base, '/bin', {
    method: 'POST',
    ...(configuration === undefined ? {} : { body: JSON.stringify(configuration) }),
  })
  if (reply.status !== 201) throw new Error(`${reply.status} ${reply.text}`)
  return reply.json<Made>()
}
const listing = async (id: string, query = ''): Promise<Listing> =>
  (await send(url, `/bin/${id}/requests${query}`)).json<Listing>()
const capture = async (
  id: string,
  path = '',
  options: RequestOptions = { method: 'POST' },
): Promise<NumberedRequest> => {
  await send(url, `/bin/${id}${path}`, options)
  return (await listing(id)).requests[0]!
}

t.test('a bin is returned with its URLs, response and limits [BIN-1]', async t => {
  const bin = await makeBin({ status: 202, headers: { 'X-Bin': 'demo' }, body: { accepted: true } })
  const path = `/bin/${bin.id}`
  t.match(bin.id, /^[0-9a-f]{24}$/)
  t.match(bin, {
    response: { status: 202, headers: { 'x-bin': 'demo' }, body: '{"accepted":true}', delay_ms: 0 },
    limits: {
      max_bins: 200,
      max_bins_per_session: 200,
      ttl_secs: 86_400,
      max_requests: 100,
      max_bytes_per_bin: 1_048_576,
      max_captured_body: 65_536,
      max_delay_ms: 30_000,
    },
    path,
    url: url + path,
    requests_path: `${path}/requests`,
    requests_url: `${url}${path}/requests`,
    stream_path: `${path}/requests/stream`,
    stream_url: `${url}${path}/requests/stream`,
  })
  t.equal(Date.parse(bin.expires_at) - Date.parse(bin.created_at), 86_400_000)
  t.strictSame((await makeBin()).response, { status: 200, headers: {}, body: null, delay_ms: 0 })
  const made = await fetch(`${url}/bin`, { method: 'POST' })
  t.equal(made.headers.get('location'), ((await made.json()) as { url: string }).url)
})

t.test('accepts valid configurations [BIN-2]', async t => {
  const rows: [configuration: string, answer: { status: number; type: string | undefined; text: string }][] = [
    ['', { status: 200, type: 'application/json; charset=utf-8', text: '{"ok":true' }],
    ['{}', { status: 200, type: 'application/json; charset=utf-8', text: '{"ok":true' }],
    ['{"body":null}', { status: 200, type: 'application/json; charset=utf-8', text: '{"ok":true' }],
    ['{"body":"{\\"a\\": 1}"}', { status: 200, type: 'application/json', text: '{"a": 1}' }],
    ['{"body":{"a":[1, 2]}}', { status: 200, type: 'application/json', text: '{"a":[1,2]}' }],
    ['{"body":false}', { status: 200, type: 'application/json', text: 'false' }],
    ['{"body":"plain"}', { status: 200, type: 'text/plain; charset=utf-8', text: 'plain' }],
    ['{"body":""}', { status: 200, type: 'text/plain; charset=utf-8', text: '' }],
    ['{"body":{"__proto__":{"x":1}}}', { status: 200, type: 'application/json', text: '{"__proto__":{"x":1}}' }],
    [
      '{"body":"<a/>","headers":{"Content-Type":"application/xml"}}',
      { status: 200, type: 'application/xml', text: '<a/>' },
    ],
    ['{"status":204,"body":"x"}', { status: 204, type: undefined, text: '' }],
    ['{"status":205,"body":"x"}', { status: 205, type: undefined, text: '' }],
    ['{"status":304,"body":"x"}', { status: 304, type: undefined, text: '' }],
    ['{"status":599,"delay_ms":1}', { status: 599, type: 'application/json; charset=utf-8', text: '{"ok":true' }],
    [`{"body":"${'x'.repeat(16_384)}"}`, { status: 200, type: 'text/plain; charset=utf-8', text: 'x'.repeat(16_384) }],
  ]
  for (const [configuration, answer] of rows) {
    const made = await send(url, '/bin', { method: 'POST', body: configuration })
    t.equal(made.status, 201, configuration.slice(0, 60))
    const reply = await send(url, made.json<Made>().path, { method: 'POST', body: 'hi' })
    t.strictSame(
      [reply.status, reply.headers['content-type'], reply.headers['x-svc-bin-seq']],
      [answer.status, answer.type, '1'],
      configuration.slice(0, 60),
    )
    t.ok(reply.text.startsWith(answer.text) && (answer.text !== '' || reply.text === ''), reply.text.slice(0, 60))
  }
})

t.test('rejects invalid configurations [BIN-2]', async t => {
  const rows: [body: string | Buffer, error: string][] = [
    ['nonsense', 'invalid_json'],
    ['[]', 'invalid_json'],
    ['null', 'invalid_json'],
    ['"x"', 'invalid_json'],
    ['{"status":200', 'invalid_json'],
    [Buffer.from('{"body":"\xff"}', 'latin1'), 'invalid_json'],
    ['['.repeat(300_000), 'invalid_json'],
    ['{"stats":200}', 'invalid_bin'],
    ['{"__proto__":{}}', 'invalid_bin'],
    ['{"status":199}', 'invalid_bin'],
    ['{"status":600}', 'invalid_bin'],
    ['{"status":"200"}', 'invalid_bin'],
    ['{"status":200.5}', 'invalid_bin'],
    ['{"status":null}', 'invalid_bin'],
    ['{"delay_ms":-1}', 'invalid_bin'],
    ['{"delay_ms":30001}', 'invalid_bin'],
    ['{"delay_ms":"5"}', 'invalid_bin'],
    ['{"delay_ms":1e999}', 'invalid_bin'],
    ['{"headers":[]}', 'invalid_bin'],
    ['{"headers":null}', 'invalid_bin'],
    ['{"headers":{"a":1}}', 'invalid_bin'],
    ['{"headers":{"a b":"x"}}', 'invalid_bin'],
    ['{"headers":{"":"x"}}', 'invalid_bin'],
    ['{"headers":{"a":"x\\ny"}}', 'invalid_bin'],
    ['{"headers":{"a":"ä"}}', 'invalid_bin'],
    ...[
      'Connection',
      'content-length',
      'Transfer-Encoding',
      'Keep-Alive',
      'Proxy-Connection',
      'TE',
      'Trailer',
      'Upgrade',
      'HOST',
      'HTTP2-Settings',
    ].map(name => [`{"headers":{"${name}":"x"}}`, 'invalid_bin'] as [string, string]),
    [
      JSON.stringify({ headers: Object.fromEntries(Array.from({ length: 21 }, (_, index) => [`x-${index}`, 'v'])) }),
      'invalid_bin',
    ],
    [`{"body":"${'x'.repeat(16_385)}"}`, 'invalid_bin'],
    [`{"body":${'['.repeat(200_000)}${']'.repeat(200_000)}}`, 'invalid_bin'],
  ]
  const before = (await send(url, '/bin')).json<{ count: number }>().count
  for (const [body, error] of rows) {
    const reply = await send(url, '/bin', { method: 'POST', body })
    t.match([reply.status, reply.json()], [400, { error, details: String }], String(body).slice(0, 60))
  }
  t.equal((await send(url, '/bin')).json<{ count: number }>().count, before, 'nothing was stored')
})

t.test('records a request as received [BIN-3]', async t => {
  const { id } = await makeBin()
  const captured = await capture(id, '/hooks/a%20b?n=1&n', {
    method: 'POST',
    headers: { 'X-Tag': ['one', 'two'], 'Content-Type': 'application/json' },
    body: '{"a":1}',
  })
  t.match(captured, {
    seq: 1,
    id: /^[0-9a-f-]{36}$/,
    bin_id: id,
    timestamp: /^\d{4}-\d\d-\d\dT.*Z$/,
    method: 'POST',
    path: '/hooks/a%20b',
    full_path: `/bin/${id}/hooks/a%20b`,
    query: 'n=1&n',
    content_type: 'application/json',
    body: '{"a":1}',
    body_base64: null,
    body_size: 7,
    body_truncated: false,
    client_ip: '127.0.0.1',
  })
  t.strictSame(
    captured.headers.filter(({ name }) => name === 'x-tag'),
    [
      { name: 'x-tag', value: 'one' },
      { name: 'x-tag', value: 'two' },
    ],
  )
  t.match(await capture(id, '', { method: 'GET' }), {
    seq: 2,
    method: 'GET',
    path: '/',
    query: null,
    content_type: null,
    body: null,
    body_base64: null,
    body_size: 0,
  })
  t.match(await capture(id, '/', { method: 'GET', headers: { 'Content-Length': '8' }, body: 'in a GET' }), {
    path: '/',
    body: 'in a GET',
  })
  t.match(await capture(id, '/a/b?', { method: 'PURGE' }), { path: '/a/b', method: 'PURGE', query: '' })
  t.match(await capture(id, '/x', { method: 'DELETE' }), { method: 'DELETE', path: '/x' })
  for (const method of ['PROPFIND', 'QUERY', 'OPTIONS', 'TRACE', 'HEAD', 'PATCH'])
    t.match(await capture(id, '/m', { method }), { method })
  t.match(await capture(id, '/requests/5/more', { method: 'POST' }), { path: '/requests/5/more' })
})

t.test('stores text as text and other bodies as base64, without splitting a character [BIN-4]', async t => {
  const { id } = await makeBin()
  const binary = Buffer.concat([Buffer.from([0xff, 0xfe]), randomBytes(70_000)])
  const rows: [what: string, body: Buffer, expected: Partial<NumberedRequest>][] = [
    ['empty', Buffer.alloc(0), { body: null, body_base64: null, body_size: 0, body_truncated: false }],
    ['controls are text', Buffer.from('a\0b'), { body: 'a\0b', body_base64: null }],
    ['binary', binary.subarray(0, 10), { body: null, body_base64: binary.toString('base64', 0, 10), body_size: 10 }],
    ['exactly the bound', Buffer.from('x'.repeat(65_536)), { body: 'x'.repeat(65_536), body_truncated: false }],
    [
      'one more',
      Buffer.from('x'.repeat(65_537)),
      { body: 'x'.repeat(65_536), body_truncated: true, body_size: 65_537 },
    ],
    [
      'a character over the bound',
      Buffer.from(`${'x'.repeat(65_534)}€€`),
      { body: 'x'.repeat(65_534), body_truncated: true, body_size: 65_540 },
    ],
    [
      'four bytes over the bound',
      Buffer.from(`${'x'.repeat(65_533)}😀`),
      { body: 'x'.repeat(65_533), body_truncated: true },
    ],
    [
      'long binary',
      binary,
      { body: null, body_base64: binary.toString('base64', 0, 65_536), body_truncated: true, body_size: 70_002 },
    ],
  ]
  for (const [what, body, expected] of rows) {
    const captured = await capture(id, '', { method: 'POST', body })
    t.strictSame(
      Object.fromEntries(Object.keys(expected).map(key => [key, captured[key as keyof NumberedRequest]])),
      expected,
      what,
    )
  }
})

t.test('lists newest first, by limit [BIN-5]', async t => {
  const { id } = await makeBin()
  for (let count = 0; count < 60; count++) await send(url, `/bin/${id}/${count}`)
  const all = await listing(id)
  t.strictSame([all.count, all.requests.length, all.requests[0]!.seq, all.requests.at(-1)!.seq], [50, 50, 60, 11])
  t.match(all.bin, { id, total_requests: 60, stored_requests: 60 })
  t.strictSame(Object.keys(all.links), ['path', 'url', 'requests_path', 'requests_url', 'stream_path', 'stream_url'])
  for (const [limit, count] of [
    ['0', 1],
    ['1', 1],
    ['7', 7],
    ['007', 7],
    ['100', 60],
    ['99999999999999999999', 60],
  ] as const)
    t.equal((await listing(id, `?limit=${limit}`)).count, count, limit)
  for (const limit of ['-1', 'x', '1.5', '', '+5', '1e3', '0x10']) {
    const reply = await send(url, `/bin/${id}/requests?limit=${limit}`)
    t.match([reply.status, reply.json()], [400, { error: 'invalid_parameter', parameter: 'limit' }], `limit=${limit}`)
  }
  t.equal((await send(url, `/bin/${id}/requests`, { method: 'HEAD' })).text, '')
})

t.test('returns one request by its number [BIN-6]', async t => {
  const { id } = await makeBin()
  await send(url, `/bin/${id}/first`)
  for (const n of ['1', '001'])
    t.match((await send(url, `/bin/${id}/requests/${n}`)).json(), { seq: 1, path: '/first' })
  for (const n of ['0', '2', '99999999999999999999'])
    t.match(
      await send(url, `/bin/${id}/requests/${n}`).then(reply => [reply.status, reply.json()]),
      [404, { error: 'request_not_found' }],
      n,
    )
  for (const n of ['-1', 'x', '1.0', ''])
    t.match(
      await send(url, `/bin/${id}/requests/${n}`).then(reply => [reply.status, reply.json()]),
      [400, { error: 'invalid_parameter', parameter: 'n' }],
      n,
    )
})

t.test('inspection paths are never captured, and accept only GET and HEAD [BIN-7]', async t => {
  const { id } = await makeBin()
  for (const path of ['/requests', '/requests/stream', '/requests/1']) {
    for (const method of ['POST', 'DELETE', 'PUT', 'OPTIONS', 'PURGE']) {
      const reply = await send(url, `/bin/${id}${path}`, { method })
      t.strictSame([reply.status, reply.headers.allow], [405, 'GET, HEAD'], `${method} ${path}`)
      t.strictSame(reply.json(), {
        error: 'method not allowed',
        method,
        path: `/bin/${id}${path}`,
        allow: ['GET', 'HEAD'],
      })
    }
  }
  t.equal((await listing(id)).count, 0)
})

t.test('a missing bin returns 404 for every method and path [BIN-8]', async t => {
  const { id } = await makeBin()
  t.strictSame((await send(url, `/bin/${id}`, { method: 'DELETE' })).json(), { deleted: id })
  for (const gone of [id, 'nope', '__proto__', '0'.repeat(24)]) {
    for (const [method, path] of [
      ['GET', ''],
      ['POST', ''],
      ['DELETE', ''],
      ['PUT', '/a'],
      ['GET', '/requests'],
      ['POST', '/requests'],
      ['GET', '/requests/1'],
      ['GET', '/requests/x'],
      ['GET', '/requests/stream'],
      ['PURGE', '/requests/stream'],
    ] as const) {
      const reply = await send(url, `/bin/${gone}${path}`, { method })
      t.match(
        [reply.status, reply.json()],
        [404, { error: 'bin not found', bin: gone, hint: String }],
        `${method} ${gone}${path}`,
      )
    }
  }
})

t.test('lists only the bins of the session, newest first; the id is enough for everything else [BIN-9]', async t => {
  const as = (session: string): RequestOptions => ({ headers: { 'X-Svc-Session': session } })
  const made: string[] = []
  for (let count = 0; count < 3; count++)
    made.unshift((await send(url, '/bin', { method: 'POST', ...as('bins-a') })).json<Made>().id)
  const own = (await send(url, '/bin', as('bins-a'))).json<{ count: number; bins: { id: string }[]; limits: object }>()
  t.strictSame([own.count, own.bins.map(({ id }) => id)], [3, made])
  t.match(own.bins[0], {
    id: String,
    created_at: String,
    expires_at: String,
    total_requests: 0,
    stored_requests: 0,
    response: Object,
  })
  t.equal((await send(url, '/bin', as('bins-b'))).json<{ count: number }>().count, 0)
  t.equal((await send(url, `/bin/${made[0]}`, as('bins-b'))).status, 200)
  t.equal((await send(url, `/bin/${made[0]}`, { method: 'DELETE', ...as('bins-b') })).status, 200)
})

t.test('the delay follows the capture and precedes the response [BIN-10]', async t => {
  const { id } = await makeBin({ delay_ms: 30_000 })
  const leave = new AbortController()
  let isAnswered = false
  const answered = fetch(`${url}/bin/${id}`, { method: 'POST', body: 'slow', signal: leave.signal }).then(
    () => {
      isAnswered = true
    },
    () => {},
  )
  await until(async () => (await listing(id)).count === 1, 'the capture')
  t.notOk(isAnswered)
  leave.abort()
  await answered
  const quick = await makeBin({ delay_ms: 1 })
  t.match((await send(url, quick.path, { method: 'POST' })).json(), { ok: true, bin: quick.id, seq: 1, id: String })
})

t.test('credentials of the instance are not shown [BIN-11]', async t => {
  const { url: guarded } = await serve(t, { env: { SVC_ADMIN_TOKEN: 'the-token-of-the-admin' } })
  const { id } = await makeBin(undefined, guarded)
  await send(guarded, `/bin/${id}`, {
    headers: { 'X-Svc-Admin-Token': 'the-token-of-the-admin', Authorization: 'Bearer of-somebody-else' },
  })
  const { text } = await send(guarded, `/bin/${id}/requests`)
  t.notMatch(text, /the-token-of-the-admin/)
  t.match(text, /of-somebody-else/)
})
