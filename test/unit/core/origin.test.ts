/** Origin and prefix of a request. */
import t from 'tap'
import { createOrigin, forwardedPrefix } from '../../../core/http/request/origin.ts'

type Headers = Record<string, string>
const direct = createOrigin({ trustForward: false, bindHost: '0.0.0.0' })
const trusting = createOrigin({ trustForward: true, bindHost: '0.0.0.0' })
const http = (headers: Headers) => ({ headers, scheme: 'http' as const, port: 8080 })
const https = (headers: Headers) => ({ headers, scheme: 'https' as const, port: 8443 })

t.test('uses the scheme of the listener and Host [ORIGIN-1]', async t => {
  const rows: [ReturnType<typeof http> | ReturnType<typeof https>, host: string, port: number, baseUrl: string][] = [
    [http({ host: 'localhost:8080' }), 'localhost', 8080, 'http://localhost:8080'],
    [http({ host: 'Example.COM' }), 'example.com', 80, 'http://example.com'],
    [http({ host: 'example.com:80' }), 'example.com', 80, 'http://example.com'],
    [http({ host: 'example.com:443' }), 'example.com', 443, 'http://example.com:443'],
    [http({ host: 'example.com:' }), 'example.com', 80, 'http://example.com'],
    [https({ host: 'example.com' }), 'example.com', 443, 'https://example.com'],
    [https({ host: 'example.com:443' }), 'example.com', 443, 'https://example.com'],
    [https({ host: 'my_service-1.x:8443' }), 'my_service-1.x', 8443, 'https://my_service-1.x:8443'],
    [http({ host: '[::1]:8080' }), '::1', 8080, 'http://[::1]:8080'],
    [http({ host: '[2001:DB8::1]' }), '2001:db8::1', 80, 'http://[2001:db8::1]'],
    [https({ ':authority': 'h2.example:9443', host: 'other' }), 'h2.example', 9443, 'https://h2.example:9443'],
  ]
  for (const [facts, host, port, baseUrl] of rows) {
    for (const origin of [direct(facts), trusting(facts)]) {
      t.strictSame(origin, { scheme: facts.scheme, host, port, serialized: baseUrl }, JSON.stringify(facts.headers))
    }
  }
})

t.test('falls back to the bind address without a usable Host [ORIGIN-2]', async t => {
  const unusable: Headers[] = [
    {},
    { host: '' },
    { host: 'bad host<>' },
    { host: 'a:0' },
    { host: 'a:65536' },
    { host: 'a:x' },
    { host: ':80' },
    { host: '[::1' },
    { host: '[1.2.3.4]' },
    { host: '[fe80::1%25eth0]' },
    { host: '[::1]x' },
    { host: '::1' },
    { host: 'user@host' },
    { host: 'a/b' },
    { host: 'a'.repeat(256) },
    { host: 'a'.repeat(100_000) },
    { host: '['.repeat(100_000) },
    { host: ':'.repeat(100_000) },
    { host: 'h\u00f6st' },
  ]
  for (const headers of unusable)
    t.equal(direct(http(headers)).serialized, 'http://localhost:8080', JSON.stringify(headers).slice(0, 60))
  const bound = [
    ['::', 'http://localhost:8080'],
    ['127.0.0.1', 'http://127.0.0.1:8080'],
    ['::1', 'http://[::1]:8080'],
    ['10.0.0.1', 'http://10.0.0.1:8080'],
  ]
  for (const [bindHost, baseUrl] of bound)
    t.equal(createOrigin({ trustForward: false, bindHost: bindHost! })(http({})).serialized, baseUrl)
  t.equal(direct({ headers: {}, scheme: 'http', port: 80 }).serialized, 'http://localhost')
})

t.test('a host of 255 characters is usable [ORIGIN-1]', async t => {
  const host = 'a'.repeat(255)
  t.equal(direct(http({ host: `${host}:65535` })).serialized, `http://${host}:65535`)
})

t.test('prefers X-Forwarded over Forwarded over Host [ORIGIN-3]', async t => {
  const rows: [headers: Headers, baseUrl: string][] = [
    [{ 'x-forwarded-host': 'api.example' }, 'http://api.example'],
    [{ 'x-forwarded-host': 'API.example:8443, inner' }, 'http://api.example:8443'],
    [{ 'x-forwarded-host': '[2001:db8::1]:99' }, 'http://[2001:db8::1]:99'],
    [{ 'x-forwarded-proto': 'https', 'x-forwarded-host': 'api.example' }, 'https://api.example'],
    [{ 'x-forwarded-proto': 'HTTPS, http', 'x-forwarded-host': 'api.example' }, 'https://api.example'],
    [{ 'x-forwarded-proto': 'wss', 'x-forwarded-host': 'api.example' }, 'https://api.example'],
    [{ 'x-forwarded-proto': 'ws', 'x-forwarded-host': 'api.example' }, 'http://api.example'],
    [{ 'x-forwarded-port': '9000' }, 'http://inner:9000'],
    [{ 'x-forwarded-port': '9000, 1' }, 'http://inner:9000'],
    [{ 'x-forwarded-host': 'api.example:1', 'x-forwarded-port': '9000' }, 'http://api.example:9000'],
    [{ 'x-forwarded-proto': 'https', 'x-forwarded-port': '443' }, 'https://inner'],
    [{ forwarded: 'proto=https;host=fwd.example' }, 'https://fwd.example'],
    [{ forwarded: 'Proto="HTTPS";Host="fwd.example:8443", host=second' }, 'https://fwd.example:8443'],
    [{ forwarded: 'for=1.2.3.4, proto=https;host=second' }, 'http://inner:8080'],
    [{ forwarded: 'proto=https;host=fwd.example', 'x-forwarded-host': 'x.example' }, 'https://x.example'],
    [{ forwarded: 'proto=https;host=fwd.example', 'x-forwarded-proto': 'http' }, 'http://fwd.example'],
    [
      { forwarded: 'proto=https;host=fwd.example', 'x-forwarded-host': 'bad host', 'x-forwarded-proto': 'ftp' },
      'https://fwd.example',
    ],
  ]
  for (const [headers, baseUrl] of rows)
    t.equal(trusting(http({ host: 'inner:8080', ...headers })).serialized, baseUrl, JSON.stringify(headers))
})

t.test('drops the port of Host if only the scheme changes [ORIGIN-4]', async t => {
  t.equal(trusting(http({ host: 'api.example:8080', 'x-forwarded-proto': 'https' })).serialized, 'https://api.example')
  t.equal(trusting(https({ host: 'api.example:8443', 'x-forwarded-proto': 'http' })).serialized, 'http://api.example')
  t.equal(trusting(http({ host: 'api.example:8080', forwarded: 'proto=https' })).serialized, 'https://api.example')
  t.equal(
    trusting(http({ host: 'api.example:8080', 'x-forwarded-proto': 'http' })).serialized,
    'http://api.example:8080',
  )
  t.equal(
    trusting(http({ host: 'api.example:8080', 'x-forwarded-proto': 'https', 'x-forwarded-port': '8080' })).serialized,
    'https://api.example:8080',
  )
  t.equal(trusting(http({ 'x-forwarded-proto': 'https' })).serialized, 'https://localhost:8080')
})

t.test('skips invalid forwarded values, and all of them without trust [ORIGIN-5]', async t => {
  const invalid: Headers[] = [
    { 'x-forwarded-proto': 'ftp' },
    { 'x-forwarded-proto': '' },
    { 'x-forwarded-proto': ', https' },
    { 'x-forwarded-proto': 'https:' },
    { 'x-forwarded-proto': '__proto__' },
    { 'x-forwarded-host': '' },
    { 'x-forwarded-host': 'a b' },
    { 'x-forwarded-host': 'evil"><script>' },
    { 'x-forwarded-host': 'a:99999' },
    { 'x-forwarded-host': 'x@y' },
    { 'x-forwarded-host': `${'a'.repeat(256)}` },
    { 'x-forwarded-port': '0' },
    { 'x-forwarded-port': '65536' },
    { 'x-forwarded-port': '-1' },
    { 'x-forwarded-port': '80x' },
    { 'x-forwarded-port': '1e3' },
    { 'x-forwarded-port': '' },
    { forwarded: '' },
    { forwarded: 'proto' },
    { forwarded: 'proto=gopher;host="a b"' },
    { forwarded: '=' },
    ...[',', '"', '\\', 'host=', ';', 'a', ':'].map(piece => {
      const value = piece.repeat(100_000 / piece.length)
      return { forwarded: value, 'x-forwarded-proto': value, 'x-forwarded-host': value, 'x-forwarded-port': value }
    }),
  ]
  for (const headers of invalid) {
    t.equal(
      trusting(http({ host: 'inner:8080', ...headers })).serialized,
      'http://inner:8080',
      JSON.stringify(headers).slice(0, 60),
    )
  }
  const all = {
    forwarded: 'proto=https;host=a',
    'x-forwarded-proto': 'https',
    'x-forwarded-host': 'b',
    'x-forwarded-port': '1',
  }
  t.equal(direct(http({ host: 'inner:8080', ...all })).serialized, 'http://inner:8080')
})

t.test('never returns the result of another request [ORIGIN-1]', async t => {
  const seen = [
    http({ host: 'a' }),
    http({ host: 'a' }),
    https({ host: 'a' }),
    http({ host: 'b' }),
    http({}),
    { ...http({}), port: 1 },
  ].map(facts => direct(facts).serialized)
  t.strictSame(seen, ['http://a', 'http://a', 'https://a', 'http://b', 'http://localhost:8080', 'http://localhost:1'])
  t.equal(Object.isFrozen(direct(http({ host: 'a' }))), true)
})

t.test('accepts a forwarded prefix [ORIGIN-6]', async t => {
  const good = [
    ['/api', '/api'],
    ['/api/', '/api'],
    ['/api/v1, /other', '/api/v1'],
    [' /api ', '/api'],
    ['/', ''],
    ['/a%20b', '/a%20b'],
    ["/a-._~!$&'()*+;=:@b", "/a-._~!$&'()*+;=:@b"],
    ['/a..b', '/a..b'],
    ['/...', '/...'],
    [`/${'a'.repeat(255)}`, `/${'a'.repeat(255)}`],
  ]
  for (const [value, prefix] of good)
    t.equal(forwardedPrefix({ 'x-forwarded-prefix': value! }, true), prefix, String(value))
  const bad = [
    '',
    'api',
    '//api',
    '//evil.example/x',
    '/a b',
    '/a"b',
    '/a<b',
    '/a\\b',
    '/a?b',
    '/a#b',
    '/a%2',
    '/a%zz',
    '/..',
    '/a/../b',
    '/a/..',
    '/a/%2e%2E/b',
    '/a/.%2e',
    '/\u00e4',
    ', /api',
    'https://x/api',
    `/${'a'.repeat(256)}`,
    '/'.repeat(100_000),
    `/${'%'.repeat(100_000)}`,
  ]
  for (const value of bad) t.equal(forwardedPrefix({ 'x-forwarded-prefix': value }, true), null, value.slice(0, 40))
  t.equal(forwardedPrefix({}, true), null)
  t.equal(forwardedPrefix({ 'x-forwarded-prefix': '/api' }, false), null)
})
