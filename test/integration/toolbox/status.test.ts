/** `/status` and `/response-headers`. */
import { METHODS } from 'node:http'
import t from 'tap'
import { selectStatus, parseStatuses } from '../../../plugins/status/weighted-status.ts'
import { checkRefusals, readXml } from '../../support/refusals.ts'
import { send } from '../../support/request.ts'
import { serve } from '../../support/server.ts'

const { url } = await serve(t)

t.test('sends every status with its number [STATUS-1]', async t => {
  for (let code = 200; code <= 599; code++) {
    const reply = await send(url, `/status/${code}`)
    const { status, headers, text } = reply
    const isBodiless = [204, 205, 304].includes(code)
    if (status === code && headers.vary === 'Accept' && text === (isBodiless ? '' : `{"status":${code}}`)) continue
    t.fail(`${code} gave ${status} ${text}`)
  }
  for (const code of [204, 205, 304]) {
    const { headers } = await send(url, `/status/${code}`)
    t.equal(headers['content-type'], undefined, `${code} has no type`)
    t.equal(headers['content-length'], code === 205 ? '0' : undefined, `${code} has the right length`)
  }
  t.equal((await send(url, '/status/0418')).status, 418, 'leading zeros')
})

t.test('sends the headers that a status requires [STATUS-2]', async t => {
  const rows: [codes: number[], header: string, value: string | undefined][] = [
    [[301, 302, 303, 307, 308], 'location', '/echo'],
    [[300, 304], 'location', undefined],
    [[401], 'www-authenticate', 'Basic realm="svc"'],
    [[407], 'proxy-authenticate', 'Basic realm="svc"'],
    [[429, 503], 'retry-after', '1'],
    [[500, 404], 'retry-after', undefined],
  ]
  for (const [codes, header, value] of rows) {
    for (const code of codes) t.equal((await send(url, `/status/${code}`)).headers[header], value, `${code} ${header}`)
  }
})

t.test('selects from a list and echoes it [STATUS-3]', async t => {
  const rows: [path: string, spec: string, possible: number[]][] = [
    ['/status/200,201', '200,201', [200, 201]],
    ['/status/200:1,500:0', '200:1,500:0', [200]],
    ['/status/200:.5,%20500:0.0%20', '200:.5, 500:0.0 ', [200]],
    ['/status/500:0,404', '500:0,404', [404]],
    ['/status/418:3', '418:3', [418]],
    ['/status/202,202', '202,202', [202]],
    [`/status/${Array(20).fill('203').join(',')}`, Array(20).fill('203').join(','), [203]],
    [`/status/200:${'9'.repeat(400)},201:0`, `200:${'9'.repeat(400)},201:0`, [200]],
  ]
  for (const [path, spec, possible] of rows) {
    const reply = await send(url, path)
    t.ok(possible.includes(reply.status), `${path.slice(0, 60)} gave ${reply.status}`)
    t.same(reply.json(), { status: reply.status, chosen_from: spec })
  }
})

t.test('selects in proportion to the weights [STATUS-3]', async t => {
  const drawAt = (spec: string, at: number): number => selectStatus(parseStatuses(spec), () => at)
  t.equal(drawAt('200:0.9,500:0.1', 0), 200)
  t.equal(drawAt('200:0.9,500:0.1', 0.899), 200)
  t.equal(drawAt('200:0.9,500:0.1', 0.901), 500)
  t.equal(drawAt('200:9,500', 0.89), 200, 'without a weight it is 1')
  t.equal(drawAt('200:9,500', 0.91), 500)
  t.equal(drawAt('500:0,200,404:0', 0.9999999999999999), 200, 'a weight of 0 is never selected')
  t.equal(drawAt(`200:${'9'.repeat(400)},500:${'9'.repeat(400)}`, 0.75), 500, 'huge weights')
})

t.test('rejects invalid lists of codes [STATUS-4, TOOL-1]', async t => {
  const invalid = [
    '99',
    '600',
    '000',
    'abc',
    '200,',
    ',200',
    '200,,201',
    '+200',
    '-200',
    '2e2',
    '200.0',
    '0xc8',
    '20%200',
    '200:-1',
    '200:NaN',
    '200:1e3',
    '200:',
    '200:1:2',
    '200:0',
    '200:0,201:0',
    Array(21).fill('200').join(','),
    '9'.repeat(300),
    '%E2%91%A0',
    '__proto__',
    ',',
    ' ',
  ]
  await checkRefusals(
    t,
    url,
    [
      ...invalid.map(spec => ({ path: `/status/${spec.replaceAll(' ', '%20')}`, error: 'invalid_status_code' })),
      ...['100', '101', '199', '200,100', '100:0.5,200', 'abc,103', '0100'].map(spec => ({
        path: `/status/${spec}`,
        error: 'unsupported_status_code',
      })),
    ],
    { negotiated: true },
  )
})

t.test('accepts every method, with a body [TOOL-4, TOOL-3]', async t => {
  for (const method of METHODS.filter(method => method !== 'CONNECT')) {
    const reply = await send(url, '/status/202', { method, headers: { 'Content-Length': '2' }, body: 'hi' })
    t.equal(reply.status, 202, method)
    t.equal(reply.text, method === 'HEAD' ? '' : '{"status":202}', `${method} body`)
  }
  const head = await send(url, '/status/418', { method: 'HEAD' })
  t.match(head.headers, { 'content-type': 'application/json; charset=utf-8', 'content-length': '14' })
})

t.test('responds in XML if requested [TOOL-1]', async t => {
  const reply = await send(url, '/status/500:1', { headers: { Accept: 'text/xml' } })
  t.equal(reply.headers['content-type'], 'text/xml; charset=utf-8')
  t.same(readXml(reply.text), { status: 500, chosen_from: '500:1' })
})

t.test('sets the requested headers and lists them [RESPHEAD-1]', async t => {
  const rows: [query: string, shown: object, lines: [string, string][]][] = [
    ['', {}, []],
    ['X-One=1', { 'x-one': '1' }, [['x-one', '1']]],
    [
      'X-One=1&x-one=2&X-ONE=3',
      { 'x-one': ['1', '2', '3'] },
      [
        ['x-one', '1'],
        ['x-one', '2'],
        ['x-one', '3'],
      ],
    ],
    [
      'a=1&b=2&a=3',
      { a: ['1', '3'], b: '2' },
      [
        ['a', '1'],
        ['a', '3'],
        ['b', '2'],
      ],
    ],
    [
      'Empty=&Bare',
      { empty: '', bare: '' },
      [
        ['empty', ''],
        ['bare', ''],
      ],
    ],
    ['X=a%20b+c%2Bd%25%09e', { x: 'a b c+d%\te' }, [['x', 'a b c+d%\te']]],
    [
      '__proto__=1&__proto__=2&constructor=2',
      { ['__proto__']: ['1', '2'], constructor: '2' },
      [
        ['__proto__', '1'],
        ['__proto__', '2'],
        ['constructor', '2'],
      ],
    ],
    [
      'Set-Cookie=a%3D1&Set-Cookie=b%3D2',
      { 'set-cookie': ['a=1', 'b=2'] },
      [
        ['set-cookie', 'a=1'],
        ['set-cookie', 'b=2'],
      ],
    ],
    [
      'Cache-Control=no-store&ETag=%22x%22',
      { 'cache-control': 'no-store', etag: '"x"' },
      [
        ['cache-control', 'no-store'],
        ['etag', '"x"'],
      ],
    ],
    ['Vary=Origin', { vary: 'Origin' }, [['vary', 'Origin, Accept']]],
  ]
  for (const [query, shown, lines] of rows) {
    const reply = await send(url, `/response-headers?${query}`)
    t.equal(reply.status, 200, query)
    t.equal(reply.text.replaceAll('\\u0026', '&'), JSON.stringify(shown), `${query}: shown`)
    for (const name of new Set(lines.map(([name]) => name))) {
      t.same(
        reply.lines.filter(line => line[0] === name),
        lines.filter(line => line[0] === name),
        `${query}: ${name} on the wire`,
      )
    }
  }
  const fifty = Array.from({ length: 50 }, (_, index) => `h${index}=x`).join('&')
  t.equal((await send(url, `/response-headers?${fifty}`)).headers.h49, 'x', 'fifty of them')
  t.match(await send(url, '/response-headers?X-One=1', { method: 'HEAD' }), {
    status: 200,
    headers: { 'x-one': '1' },
    text: '',
  })
})

t.test('rejects headers that cannot be set, and sets none [RESPHEAD-2]', async t => {
  const forbidden = [
    'Connection',
    'content-length',
    'TRANSFER-ENCODING',
    'Keep-Alive',
    'Proxy-Connection',
    'te',
    'Trailer',
    'Upgrade',
    'HOST',
    'HTTP2-Settings',
  ]
  const invalid = [
    '=x',
    'a%20b=1',
    'a%0d%0ab=1',
    'a:b=1',
    '%C3%A9=1',
    'x=%0d%0aSet-Cookie:%20a',
    'x=%00',
    'x=%7f',
    'x=%C3%A9',
    'x=é',
    '%3Cb%3E=1',
    '(=1',
  ]
  await checkRefusals(
    t,
    url,
    [
      ...forbidden.map(name => ({ path: `/response-headers?X-First=1&${name}=1`, error: 'forbidden_header' })),
      ...invalid.map(query => ({
        path: encodeNonAscii(`/response-headers?X-First=1&${query}`),
        error: 'invalid_header',
      })),
      { path: `/response-headers?${Array(51).fill('a=1').join('&')}`, error: 'too_many_headers' },
      { path: `/response-headers?${Array(20_000).fill('a').join('&')}`, error: 'too_many_headers' },
    ],
    { negotiated: true },
  )
  const reply = await send(url, '/response-headers?X-First=1&Upgrade=h2c')
  t.equal(reply.headers['x-first'], undefined)
  t.match(reply.json().details, /Upgrade/)
})

function encodeNonAscii(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, encodeURIComponent)
}

t.test('never reflects text that could become markup [RESPHEAD-3]', async t => {
  const attack = encodeURIComponent('<script>alert(1)</script>&')
  const page = await send(url, `/response-headers?Content-Type=text/html&content-type=text/plain&x=${attack}`)
  t.equal(page.headers['content-type'], 'text/html', 'the first type is used')
  t.equal(page.headers['x-content-type-options'], 'nosniff')
  t.equal(page.headers.x, '<script>alert(1)</script>&')
  t.notMatch(page.text, /[<>&]/)
  t.same(page.json(), { 'content-type': ['text/html', 'text/plain'], x: '<script>alert(1)</script>&' })

  const refused = await send(url, `/response-headers?Content-Type=text/html&${attack}=1`)
  t.match(refused, {
    status: 400,
    headers: { 'content-type': 'application/json; charset=utf-8', 'x-content-type-options': 'nosniff' },
  })
  t.notMatch(refused.text, /[<>&]/)
  const weakened = await send(url, '/response-headers?X-Content-Type-Options=sniff')
  t.equal(weakened.headers['x-content-type-options'], 'nosniff', 'sniffing cannot be enabled')
})

t.test('the XML is well-formed for names of all kinds [TOOL-2]', async t => {
  const reply = await send(url, '/response-headers?1a=1&x!y=2&xml=3&a.b=4&a=%3C%26%09%3E', {
    headers: { Accept: 'application/xml' },
  })
  t.equal(reply.status, 200)
  t.same(readXml(reply.text), {
    entry: [
      { '@_key': '1a', '#text': 1 },
      { '@_key': 'x!y', '#text': 2 },
      { '@_key': 'xml', '#text': 3 },
    ],
    'a.b': 4,
    a: '<&\t>',
  })
})

t.test('only GET and HEAD are allowed [TOOL-5]', async t => {
  const reply = await send(url, '/response-headers', { method: 'POST' })
  t.equal(reply.status, 405)
  t.equal(reply.headers.allow, 'GET, HEAD')
})
