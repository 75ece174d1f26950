/** `/echo` and `/anything`. */
import { METHODS } from 'node:http'
import net from 'node:net'
import zlib from 'node:zlib'
import t from 'tap'
import type { EchoRecord } from '../../../plugins/echo/types.ts'
import { readXml } from '../../support/refusals.ts'
import { send, type RequestOptions } from '../../support/request.ts'
import { serve } from '../../support/server.ts'

const { url, httpsUrl } = await serve(t)

async function echo(path: string, options?: RequestOptions): Promise<EchoRecord> {
  const reply = await send(url, path, options)
  if (reply.status !== 200) throw new Error(`${path} gave ${reply.status} ${reply.text}`)
  return reply.json<EchoRecord>()
}

/** Sends a raw request; returns the status and the record. */
function exchange(request: string): Promise<EchoRecord> {
  return new Promise((resolve, reject) => {
    let text = ''
    const socket = net.connect(Number(new URL(url).port), '127.0.0.1', () => socket.write(request, 'latin1'))
    socket
      .setEncoding('utf8')
      .on('data', data => {
        text += data
      })
      .on('error', reject)
    socket.on('end', () => resolve(JSON.parse(text.slice(text.indexOf('\r\n\r\n'))) as EchoRecord))
  })
}

t.test('the record has the members of the specification, in its order [ECHO-1]', async t => {
  const before = Date.now()
  const record = await echo('/anything/a%20b?x=1&x=2&y=', {
    method: 'POST',
    headers: { Host: 'localhost:8080', 'X-Tag': ['one', 'two'], 'X-Request-Id': 'r-1' },
    body: 'hi',
  })
  t.strictSame(
    { ...record, timestamp_unix_ms: 0, headers: { ...record.headers, connection: [] } },
    {
      method: 'POST',
      url: 'http://localhost:8080/anything/a%20b?x=1&x=2&y=',
      path: '/anything/a%20b',
      path_info: ['anything', 'a%20b'],
      query_string: 'x=1&x=2&y=',
      query_params: { x: ['1', '2'], y: '' },
      headers: {
        host: ['localhost:8080'],
        'x-tag': ['one', 'two'],
        'x-request-id': ['r-1'],
        connection: [],
        'content-length': ['2'],
      },
      host: 'localhost',
      port: 8080,
      scheme: 'http',
      remote_ip: '127.0.0.1',
      body: { present: true, included: true, body: 'hi', bytes: 2, truncated: false, utf8: true, reason: null },
      timestamp_unix_ms: 0,
    },
  )
  t.strictSame(Object.keys(record), [
    'method',
    'url',
    'path',
    'path_info',
    'query_string',
    'query_params',
    'headers',
    'host',
    'port',
    'scheme',
    'remote_ip',
    'body',
    'timestamp_unix_ms',
  ])
  t.ok(record.timestamp_unix_ms >= before && record.timestamp_unix_ms <= Date.now())
})

t.test('path and query are as received [ECHO-2]', async t => {
  const rows: [target: string, path: string, segments: string[], query: string][] = [
    ['/echo', '/echo', ['echo'], ''],
    ['/echo?', '/echo', ['echo'], ''],
    ['/echo/', '/echo/', ['echo'], ''],
    ['/anything', '/anything', ['anything'], ''],
    ['/anything//a///b/', '/anything//a///b/', ['anything', 'a', 'b'], ''],
    ['/anything/%2F%2e%2e/%C3%A9', '/anything/%2F%2e%2e/%C3%A9', ['anything', '%2F%2e%2e', '%C3%A9'], ''],
    ['/anything/../x', '/anything/../x', ['anything', '..', 'x'], ''],
    ['/anything/a+b;c=d,e:f@g', '/anything/a+b;c=d,e:f@g', ['anything', 'a+b;c=d,e:f@g'], ''],
    ['/echo?a=%20+&b=/?c', '/echo', ['echo'], 'a=%20+&b=/?c'],
    [`/anything/${'x'.repeat(20_000)}`, `/anything/${'x'.repeat(20_000)}`, ['anything', 'x'.repeat(20_000)], ''],
  ]
  for (const [target, path, segments, query] of rows) {
    const record = await echo(target)
    t.strictSame(
      [record.url, record.path, record.path_info, record.query_string],
      [url + target, path, segments, query],
      target.slice(0, 60),
    )
  }
  const record = await exchange(
    'GET http://other.test/anything/x?y=1 HTTP/1.1\r\nHost: other.test\r\nConnection: close\r\n\r\n',
  )
  t.match(
    record,
    { url: 'http://other.test/anything/x?y=1', path: '/anything/x', path_info: ['anything', 'x'], query_string: 'y=1' },
    'an absolute target',
  )
})

t.test('query_params is form-decoded [ECHO-3]', async t => {
  const rows: [query: string, params: string][] = [
    ['', '{}'],
    ['a', '{"a":""}'],
    ['a=', '{"a":""}'],
    ['a=1&b=2', '{"a":"1","b":"2"}'],
    ['a=1&a=2&a=3', '{"a":["1","2","3"]}'],
    ['a=b=c', '{"a":"b=c"}'],
    ['a+b=c+d%2B', '{"a b":"c d+"}'],
    ['%C3%A9=%F0%9F%98%80', '{"é":"😀"}'],
    ['&&a=1&', '{"a":"1"}'],
    ['=x', '{"":"x"}'],
    ['a[]=1&a[]=2', '{"a[]":["1","2"]}'],
    ['__proto__=1&__proto__=2&constructor=3&toString=4', '{"__proto__":["1","2"],"constructor":"3","toString":"4"}'],
    ['a=%&b=%zz&c=%ff', '{"a":"%","b":"%zz","c":"\ufffd"}'],
  ]
  for (const [query, params] of rows) {
    const record = await send(url, `/echo?${query}`)
    t.match(record.text, `"query_params":${params},"headers"`, query)
  }
})

t.test('headers has one entry per line [ECHO-4]', async t => {
  const record = await exchange(
    'GET /echo HTTP/1.1\r\nHost: x\r\nX-A: 1, 2\r\nx-a: 3\r\nX-A:\r\nCookie: a=1\r\nCookie: b=2\r\nUser-Agent: u\r\nUser-Agent: v\r\n__proto__: p\r\nX-Latin: \xe9\r\nConnection: close\r\n\r\n',
  )
  t.match(record.headers, {
    host: ['x'],
    'x-a': ['1, 2', '3', ''],
    cookie: ['a=1', 'b=2'],
    'user-agent': ['u', 'v'],
    connection: ['close'],
    'x-latin': ['é'],
  })
  t.same(Object.getOwnPropertyDescriptor(record.headers, '__proto__')?.value, ['p'])
})

t.test('text bodies are included, others only counted [ECHO-5]', async t => {
  const none = { present: false, included: false, body: null, bytes: 0, truncated: false, utf8: null, reason: null }
  const text = (body: string): object => ({
    present: true,
    included: true,
    body,
    bytes: Buffer.byteLength(body),
    truncated: false,
    utf8: true,
    reason: null,
  })
  const binary = (bytes: number): object => ({
    present: true,
    included: false,
    body: null,
    bytes,
    truncated: false,
    utf8: false,
    reason: 'binary',
  })
  const zipped = zlib.gzipSync('hello')
  const rows: [what: string, options: RequestOptions, body: object][] = [
    ['none', {}, none],
    ['an empty one', { method: 'POST', body: '' }, none],
    [
      'an empty one that claims to be JSON',
      { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '' },
      none,
    ],
    ['text', { method: 'POST', body: 'Grüße 😀\n' }, text('Grüße 😀\n')],
    ['invalid JSON', { method: 'PUT', headers: { 'Content-Type': 'application/json' }, body: '{"a":' }, text('{"a":')],
    [
      'a form',
      { method: 'POST', headers: { 'Content-Type': 'application/x-www-form-urlencoded' }, body: 'a=1&b=2' },
      text('a=1&b=2'),
    ],
    ['an invalid type', { method: 'POST', headers: { 'Content-Type': 'no type at all' }, body: 'x' }, text('x')],
    ['with GET', { body: 'x', headers: { 'Content-Length': '1' } }, text('x')],
    ['with DELETE', { method: 'DELETE', body: 'x', headers: { 'Content-Length': '1' } }, text('x')],
    ['NUL and control characters', { method: 'POST', body: '\0\x01\x7f' }, text('\0\x01\x7f')],
    ['a lone 0xff', { method: 'POST', body: Buffer.from([0xff]) }, binary(1)],
    ['a character that is cut', { method: 'POST', body: Buffer.from('é').subarray(0, 1) }, binary(1)],
    ['a surrogate in UTF-8', { method: 'POST', body: Buffer.from([0xed, 0xa0, 0x80]) }, binary(3)],
    [
      'a compressed one',
      { method: 'POST', headers: { 'Content-Encoding': 'gzip' }, body: zipped },
      binary(zipped.length),
    ],
    ['the largest', { method: 'POST', body: 'x'.repeat(1_048_576) }, text('x'.repeat(1_048_576))],
  ]
  for (const [what, options, body] of rows) t.strictSame((await echo('/echo', options)).body, body, what)
  t.equal((await send(url, '/echo', { method: 'POST', body: 'x'.repeat(1_048_577) })).status, 413, 'one byte more')
})

t.test('host, port and scheme are those of the request [ECHO-6]', async t => {
  const rows: [host: string, base: string, name: string, port: number][] = [
    ['api.test', 'http://api.test', 'api.test', 80],
    ['api.test:80', 'http://api.test', 'api.test', 80],
    ['API.test:8443', 'http://api.test:8443', 'api.test', 8443],
    ['[::1]:9', 'http://[::1]:9', '::1', 9],
    ['[2001:db8::1]', 'http://[2001:db8::1]', '2001:db8::1', 80],
  ]
  for (const [host, base, name, port] of rows) {
    t.match(
      await echo('/echo/x?y', { headers: { Host: host } }),
      { url: `${base}/echo/x?y`, host: name, port, scheme: 'http' },
      host,
    )
  }
  t.match((await send(httpsUrl, '/echo', { headers: { Host: 'api.test' } })).json(), {
    url: 'https://api.test/echo',
    host: 'api.test',
    port: 443,
    scheme: 'https',
  })
  const { url: behind } = await serve(t, { env: { SVC_TRUST_FORWARD: 'true' } })
  const headers = { 'X-Forwarded-Proto': 'https', 'X-Forwarded-Host': 'edge.test', 'X-Forwarded-For': '203.0.113.9' }
  t.match((await send(behind, '/echo', { headers })).json(), {
    url: 'https://edge.test/echo',
    host: 'edge.test',
    port: 443,
    scheme: 'https',
    remote_ip: '203.0.113.9',
    headers: { 'x-forwarded-host': ['edge.test'] },
  })
})

t.test('accepts every method, with a body, on every path [TOOL-4, TOOL-3]', async t => {
  for (const method of METHODS.filter(method => method !== 'CONNECT')) {
    for (const path of ['/echo', '/anything/a/b']) {
      const reply = await send(url, path, { method, headers: { 'Content-Length': '2' }, body: 'hi' })
      t.equal(reply.status, 200, `${method} ${path}`)
      if (method === 'HEAD') t.match(reply, { text: '', headers: { 'content-length': /^[1-9]\d\d$/ } })
      else t.match(reply.json(), { method, body: { body: 'hi' } })
    }
  }
})

t.test('responds in XML, whatever the request contains [TOOL-1, TOOL-2]', async t => {
  const reply = await send(url, '/echo?1a=x&a%20b=%3C%26%3E&ok=1&ok=2&%00=%01&xml=3&after:3=y', {
    method: 'POST',
    headers: { Accept: 'application/xml', 'X!Odd': '"<&>"' },
    body: '\u0001 <b>]]>&amp;</b>\r\n',
  })
  t.match(reply.headers, { 'content-type': 'application/xml; charset=utf-8', vary: 'Accept' })
  const record = readXml(reply.text) as {
    query_params: Record<string, unknown>
    headers: { entry: object }
    body: { body: string }
  }
  t.same(record.query_params.ok, { item: [1, 2] })
  t.match(record.query_params.entry, [
    { '@_key': '1a', '#text': 'x' },
    { '@_key': 'a b', '#text': '<&>' },
    { '@_key': '\ufffd', '#text': '\ufffd' },
    { '@_key': 'xml' },
    { '@_key': 'after:3' },
  ])
  t.match(record.headers.entry, { '@_key': 'x!odd', item: '"<&>"' })
  t.match(record.body.body, /<b>\]\]>&amp;<\/b>/)
  t.equal(
    (await send(url, '/echo', { headers: { Accept: 'text/html,application/xml;q=0.9,*/*;q=0.8' } })).headers[
      'content-type'
    ],
    'application/json; charset=utf-8',
    'browsers get JSON',
  )
})

t.test('similar paths are unknown', async t => {
  for (const path of ['/echox', '/Echo', '/anythingelse', '//echo']) t.equal((await send(url, path)).status, 404, path)
  t.equal((await send(url, '/echo/%zz')).status, 400, 'malformed percent-encoding')
})
