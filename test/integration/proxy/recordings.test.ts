/** Recording, and what is replayed for which request. */
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { send } from '../../support/request.ts'
import { until } from '../../support/until.ts'
import {
  foldersOf,
  onlyRecording,
  onlyText,
  proxyTo,
  recordingNames,
  startUpstream,
  type UpstreamServer,
} from './upstream.ts'

const json = { 'Content-Type': 'application/json' }
const modeOf = (reply: { headers: Record<string, unknown> }): unknown => reply.headers['x-svc-proxy']

t.test('a recording is a YAML file with the request and its response [PROXY-20]', async t => {
  const upstream = await startUpstream(t)
  const server = await proxyTo(t, [{ name: 'billing', target: `${upstream.url}/v2` }])
  const reply = await send(server.url, '/proxy/billing/charges/7?page=2', {
    method: 'POST',
    headers: { ...json, 'User-Agent': 'test' },
    body: '{"amount":5}',
  })
  t.equal(modeOf(reply), 'record')
  const [name] = await recordingNames(server, 'billing')
  t.match(name, /^POST_charges-7_[\da-f]{8}\.yaml$/)
  const recording = await onlyRecording(server, 'billing')
  t.match(recording, {
    version: 1,
    request: {
      method: 'POST',
      path: '/charges/7',
      query: { page: '2' },
      headers: { 'content-type': 'application/json' },
      json: { amount: 5 },
    },
    responses: [
      {
        status: 200,
        headers: { 'content-type': 'application/json' },
        recorded_at: /^\d{4}-\d\d-\d\dT[\d:.]+Z$/,
        first_byte_ms: Number,
        json: { method: 'POST', url: '/v2/charges/7?page=2', number: 1 },
      },
    ],
  })
  t.notMatch(await onlyText(server, 'billing'), /user-agent|\bdate:/i)
  const again = await send(server.url, '/proxy/billing/charges/7?page=2', {
    method: 'POST',
    headers: json,
    body: '{"amount":5}',
  })
  t.strictSame([modeOf(again), again.text], ['replay', reply.text])
  t.equal(upstream.received.length, 1)
})

t.test('modes: record, replay, passthrough, replay-or-record [PROXY-21]', async t => {
  const upstream = await startUpstream(t)
  const server = await proxyTo(t, [{ name: 'api', target: upstream.url, mode: 'record' }])
  const ask = async (path: string): Promise<[unknown, unknown]> => {
    const reply = await send(server.url, `/proxy/api${path}`)
    return [modeOf(reply), reply.json().number]
  }
  const switchTo = async (mode: string): Promise<void> => {
    const reply = await send(server.url, '/_svc/proxy/api/mode', { method: 'PUT', body: JSON.stringify({ mode }) })
    t.match([reply.status, reply.json()], [200, { name: 'api', mode, configured_mode: 'record' }])
  }
  t.strictSame(
    [await ask('/a'), await ask('/a')],
    [
      ['record', 1],
      ['record', 2],
    ],
  )
  await switchTo('passthrough')
  t.strictSame(await ask('/a'), ['passthrough', 3])
  await switchTo('replay')
  t.strictSame(
    [await ask('/a'), await ask('/b')],
    [
      ['replay', 1],
      ['miss', undefined],
    ],
  )
  await switchTo('replay-or-record')
  t.strictSame(
    [await ask('/a'), await ask('/b'), await ask('/b')],
    [
      ['replay', 2],
      ['record', 4],
      ['replay', 4],
    ],
  )
  t.equal((await recordingNames(server, 'api')).length, 2)
  const { upstreams } = (await send(server.url, '/_svc/proxy')).json<{ upstreams: object[] }>()
  t.match(upstreams, [
    { name: 'api', mode: 'replay-or-record', recorded: 3, replayed: 3, missed: 1, recordings: { files: 2 } },
  ])
})

t.test('several responses are replayed in turn by each session, the last one again and again [PROXY-22]', async t => {
  const upstream = await startUpstream(t)
  const server = await proxyTo(t, [{ name: 'api', target: upstream.url, mode: 'record' }])
  for (let count = 0; count < 3; count++) await send(server.url, '/proxy/api/poll')
  await send(server.url, '/_svc/proxy/api/mode', { method: 'PUT', body: '{"mode":"replay"}' })
  const turn = async (session: string): Promise<unknown> =>
    (await send(server.url, '/proxy/api/poll', { headers: { 'X-Svc-Session': session } })).json().number
  t.strictSame([await turn('a'), await turn('a'), await turn('b'), await turn('a'), await turn('a')], [1, 2, 1, 3, 3])
  const reset = await send(server.url, '/_svc/reset', {
    method: 'POST',
    headers: { 'X-Svc-Session': 'a', 'Content-Type': 'application/json' },
    body: '{"kinds":["proxy"]}',
  })
  t.match([reset.status, reset.json()], [200, { scope: 'session', session: 'a', removed: { proxy: 1 } }])
  t.strictSame([await turn('a'), await turn('b')], [1, 2], 'a reset begins the sequences of its session again')
  t.equal((await recordingNames(server, 'api')).length, 1, 'and removes no file')
})

/** Whether two requests have the same recording. */
async function same(
  upstream: UpstreamServer,
  url: string,
  one: Parameters<typeof send>[2] & { path: string },
  other: Parameters<typeof send>[2] & { path: string },
): Promise<boolean> {
  await send(url, `/proxy/api${one.path}`, one)
  const before = upstream.received.length
  await send(url, `/proxy/api${other.path}`, other)
  return upstream.received.length === before
}

t.test('the key is method, path, sorted query and body, without what is ignored or redacted [PROXY-23]', async t => {
  const upstream = await startUpstream(t)
  const { url } = await proxyTo(t, [
    {
      name: 'api',
      target: upstream.url,
      match_headers: ['X-Tenant', 'Authorization'],
      ignore: { query: ['ts'], json: ['/request_id', '/items/0/at', '/a~1b'] },
      redact: { json: ['/customer/iban'] },
    },
  ])
  const form = { 'Content-Type': 'application/x-www-form-urlencoded' }
  const post = (body: string, headers: Record<string, string> = json, path = '/p') => ({
    path,
    method: 'POST',
    headers,
    body,
  })
  const equal: [string, Parameters<typeof same>[2], Parameters<typeof same>[3]][] = [
    ['order of the query', { path: '/q?a=1&b=2' }, { path: '/q?b=2&a=1' }],
    ['ignored query', { path: '/r?a=1&ts=1' }, { path: '/r?ts=22&a=1' }],
    ['credential in the query', { path: '/s?a=1&api-key=one' }, { path: '/s?a=1&API_KEY=two' }],
    ['credential or none', { path: '/t?access_token=x' }, { path: '/t' }],
    ['spelling of the path', { path: '/u/%7Eme' }, { path: '/u/~me' }],
    ['order of members', post('{"a":1,"b":{"c":2,"d":3}}'), post('{ "b": {"d":3,"c":2}, "a":1 }')],
    ['ignored members', post('{"x":1,"request_id":"1","a/b":1}'), post('{"x":1,"request_id":"2"}')],
    ['ignored in a list', post('{"items":[{"at":1,"n":1}]}'), post('{"items":[{"at":2,"n":1}]}')],
    ['redacted members', post('{"y":1,"customer":{"iban":"a"}}'), post('{"y":1,"customer":{"iban":"b"}}')],
    ['passwords', post('{"z":1,"deep":[{"password":"a"}]}'), post('{"z":1,"deep":[{"password":"b"}]}')],
    ['large JSON', post(`{"big":"${'x'.repeat(300_000)}","m":1}`), post(`{"m":1,"big":"${'x'.repeat(300_000)}"}`)],
    ['order of a form', post('a=1&b=2', form), post('b=2&a=1', form)],
    ['passwords in a form', post('c=1&password=x', form), post('c=1&password=y', form)],
    ['other headers', post('{"h":1}', { ...json, 'X-Other': '1' }), post('{"h":1}', { ...json, 'X-Other': '2' })],
    [
      'credentials in headers',
      post('{"i":1}', { ...json, Authorization: 'Bearer a' }),
      post('{"i":1}', { ...json, Authorization: 'Bearer b' }),
    ],
  ]
  for (const [what, one, other] of equal) t.ok(await same(upstream, url, one, other), `same: ${what}`)
  const different: typeof equal = [
    ['method', { path: '/m' }, { path: '/m', method: 'POST' }],
    ['path', { path: '/n' }, { path: '/n/' }],
    ['query', { path: '/o?a=1' }, { path: '/o?a=2' }],
    ['order of repeated parameters', { path: '/v?a=1&a=2' }, { path: '/v?a=2&a=1' }],
    ['value', post('{"j":1}'), post('{"j":"1"}')],
    ['order of a list', post('{"k":[1,2]}'), post('{"k":[2,1]}')],
    ['text', post('x', {}), post('x ', {})],
    ['null or nothing', post('null'), post('')],
    ['JSON or text', post('{"l":1}'), post('{"l":1}', { 'Content-Type': 'text/plain' })],
    ['header', post('{"w":1}', { ...json, 'X-Tenant': 'a' }), post('{"w":1}', { ...json, 'X-Tenant': 'b' })],
    ['header or none', post('{"ww":1}', { ...json, 'X-Tenant': 'a' }), post('{"ww":1}')],
  ]
  for (const [what, one, other] of different) t.notOk(await same(upstream, url, one, other), `different: ${what}`)
})

t.test('binary and deep bodies are recorded and replayed byte by byte [PROXY-23]', async t => {
  const binary = Buffer.from([0, 255, 254, 10, 13, 10])
  const bodies: Record<string, [type: string, body: Buffer]> = {
    binary: ['application/octet-stream', binary],
    deep: ['application/json', Buffer.from(`${'['.repeat(5000)}${']'.repeat(5000)}`)],
    spaced: ['application/json', Buffer.from('{ "a": 1.0, "b": 1e3 }\n')],
    exact: ['application/json', Buffer.from('{"a":12345678901234567890}')],
    lines: ['text/plain', Buffer.from('one\r\ntwo \n\n  three\t\n')],
    strange: ['text/plain', Buffer.from('\ufeff\u0000\u0085\u2028 - : # "\' \u{1f600}\n')],
    empty: ['text/plain', Buffer.alloc(0)],
    words: [
      'application/json',
      Buffer.from('{"yes":"no","null":"~","n":"0x1","date":"2026-01-01","__proto__":{"a":1}}'),
    ],
  }
  const upstream = await startUpstream(t, ({ url }, response) => {
    const [type, body] = bodies[url.slice(1)]!
    response.writeHead(200, { 'Content-Type': type, 'Content-Length': body.length })
    response.end(body)
  })
  const server = await proxyTo(t, [{ name: 'api', target: upstream.url }])
  for (const [name, [, body]] of Object.entries(bodies)) {
    for (const mode of ['record', 'replay']) {
      const reply = await send(server.url, `/proxy/api/${name}`, { method: 'POST', body: binary })
      t.strictSame([modeOf(reply), reply.body], [mode, body], name)
    }
  }
})

t.test('a miss names the closest recordings and their differences [PROXY-24]', async t => {
  const upstream = await startUpstream(t)
  const server = await proxyTo(t, [{ name: 'api', target: upstream.url, mode: 'record' }])
  const empty = async (): Promise<object> => (await send(server.url, '/proxy/api/x')).json()
  const post = (body: string) => send(server.url, '/proxy/api/charges?dry=1', { method: 'POST', headers: json, body })
  await post('{"amount":5,"currency":"EUR"}')
  await send(server.url, '/proxy/api/orders')
  await send(server.url, '/_svc/proxy/api/mode', { method: 'PUT', body: '{"mode":"replay"}' })
  const miss = await post('{"amount":7,"currency":"EUR"}')
  t.equal(miss.status, 404)
  t.match(miss.json(), {
    error: 'no_recording',
    upstream: 'api',
    method: 'POST',
    path: '/charges',
    closest: [
      {
        recording: /^POST_charges_/,
        method: 'POST',
        path: '/charges',
        matched: 4,
        of: 5,
        differences: [{ at: 'json/amount', expected: 5, got: 7 }],
      },
      { path: '/orders' },
    ],
  })
  t.match(await empty(), { closest: [{ path: '/orders' }, {}] })
  await rm(foldersOf(server, 'api'), { recursive: true, force: true })
  t.match(await empty(), { details: 'the upstream "api" has no recordings', closest: [] })
})

t.test('on_miss: nearest replays the recording with the fewest differences [PROXY-25]', async t => {
  const upstream = await startUpstream(t)
  const recorder = await proxyTo(t, [{ name: 'api', target: upstream.url, mode: 'record' }])
  for (const query of ['a=1&b=1', 'a=1&b=2', 'a=2&b=3']) await send(recorder.url, `/proxy/api/x?${query}`)
  const player = await proxyTo(t, [
    {
      name: 'api',
      target: upstream.url,
      mode: 'replay',
      on_miss: 'nearest',
      recordings: foldersOf(recorder, 'api'),
    },
  ])
  const asked = async (path: string): Promise<unknown> => (await send(player.url, `/proxy/api${path}`)).json().number
  t.strictSame([await asked('/x?a=1&b=2'), await asked('/x?a=2&b=9'), await asked('/y')], [2, 3, undefined])
})

t.test('HAR files in the folder are replayed, whatever their host [PROXY-26]', async t => {
  const upstream = await startUpstream(t)
  const server = await proxyTo(t, [{ name: 'api', target: `${upstream.url}/v2`, mode: 'replay' }])
  const entry = (method: string, url: string, text: string, more: object = {}) => ({
    startedDateTime: '2026-03-14T12:00:00Z',
    request: { method, url, headers: [{ name: 'Content-Type', value: 'application/json' }], ...more },
    response: {
      status: 201,
      headers: [
        { name: 'Content-Type', value: 'application/json' },
        { name: 'Content-Encoding', value: 'br' },
        { name: ':status', value: '201' },
      ],
      content: text === 'binary' ? { encoding: 'base64', text: 'AP8=' } : { text },
    },
    timings: { wait: 12.5 },
  })
  const har = {
    log: {
      entries: [
        entry('GET', 'https://billing.example/v2/charges?b=2&a=1', '{"n":1}'),
        entry('POST', 'https://billing.example/v2/charges', '{"n":2}', {
          postData: { mimeType: 'application/json', text: '{"amount": 5}' },
        }),
        entry('GET', 'https://billing.example/v2/poll', '"first"'),
        entry('GET', 'https://billing.example/v2/poll', '"second"'),
        entry('GET', 'https://billing.example/v2/image', 'binary'),
        entry('GET', 'https://billing.example/other', '{"n":3}'),
        { request: {}, response: {} },
        'nonsense',
      ],
    },
  }
  await mkdir(foldersOf(server, 'api'), { recursive: true })
  await writeFile(join(foldersOf(server, 'api'), 'session.har'), JSON.stringify(har))
  const get = await send(server.url, '/proxy/api/charges?a=1&b=2')
  t.match([get.status, get.text, get.headers['content-encoding']], [201, '{"n":1}', undefined])
  const post = await send(server.url, '/proxy/api/charges', { method: 'POST', headers: json, body: '{"amount":5}' })
  t.equal(post.text, '{"n":2}')
  const polls = []
  for (let count = 0; count < 3; count++) polls.push((await send(server.url, '/proxy/api/poll')).text)
  t.strictSame(polls, ['"first"', '"second"', '"second"'])
  t.same((await send(server.url, '/proxy/api/image')).body, Buffer.from([0, 255]))
  t.equal((await send(server.url, '/proxy/api/other')).status, 404)
})

t.test('files that others write are noticed; invalid ones are reported and left out [PROXY-27]', async t => {
  const upstream = await startUpstream(t)
  const oneProcess = 'each replica notices files at a time of its own'
  const server = await proxyTo(t, [{ name: 'api', target: upstream.url, mode: 'replay' }], {}, { oneProcess })
  const folder = foldersOf(server, 'api')
  t.equal((await send(server.url, '/proxy/api/hello')).status, 404)
  await mkdir(folder, { recursive: true })
  await writeFile(
    join(folder, 'by-hand.yaml'),
    'version: 1\nrequest: {method: get, path: /hello, query: {n: 1}}\nresponses:\n  - {status: 299, headers: {X-A: 1}, body: hi}\n',
  )
  await until(async () => (await send(server.url, '/proxy/api/hello?n=1')).status === 299, 'the new file')
  const reply = await send(server.url, '/proxy/api/hello?n=1')
  t.strictSame([reply.text, reply.headers['x-a']], ['hi', '1'])
  const wrong: [name: string, text: string, message: RegExp][] = [
    ['a.yaml', 'version: 2\nrequest: {method: GET, path: /a}\n', /version: 1/],
    ['b.yaml', 'version: 1\nrequest: {path: /a}\nresponses: []\n', /method/],
    ['c.yaml', 'version: 1\nrequest: {method: GET, path: /c}\nresponses: [{status: 99}]\n', /status/],
    ['d.har', '{"log":1}', /log\.entries/],
    ['e.yaml', '&a [*a, *a', /./],
  ]
  for (const [name, text] of wrong) await writeFile(join(folder, name), text)
  await until(async () => (await send(server.url, '/proxy/api/c')).status === 404, 'the invalid files')
  const { upstreams } = (await send(server.url, '/_svc/proxy')).json<{ upstreams: { recordings: object }[] }>()
  t.match(upstreams[0]?.recordings, { files: 1 })
  for (const [name, , message] of wrong)
    t.ok(
      server.lines.some(line => line.includes(name) && message.test(line)),
      name,
    )
})

t.test('two requests with the same first digits of their key have two files [PROXY-20]', async t => {
  const upstream = await startUpstream(t)
  const server = await proxyTo(t, [{ name: 'api', target: upstream.url, mode: 'record' }])
  await send(server.url, '/proxy/api/x')
  const [name] = await recordingNames(server, 'api')
  const file = join(foldersOf(server, 'api'), name!)
  const text = await readFile(file, 'utf8')
  await writeFile(file, text.replace('path: /x', 'path: /other'))
  const fresh = await proxyTo(t, [
    { name: 'api', target: upstream.url, mode: 'record', recordings: foldersOf(server, 'api') },
  ])
  await send(fresh.url, '/proxy/api/x')
  t.strictSame(await recordingNames(server, 'api'), [name!.replace('.yaml', '-2.yaml'), name!].sort())
})
