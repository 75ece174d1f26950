/** Limits, unsafe input, and input that breaks the originals. */
import t from 'tap'
import { send } from '../../support/request.ts'
import { serve } from '../../support/server.ts'

const plugins = ['httpbin', 'images', 'transfer']

t.test('redirects stay on the host in public mode [HB-8]', async t => {
  const { url } = await serve(t, {
    plugins,
    env: { SVC_PUBLIC_MODE: 'true' },
    settings: { httpbin: { redirect_hosts: ['ok.test', '*.fine.test'] } },
  })
  const to = async (target: string): Promise<number> =>
    (await send(url, `/httpbin/redirect-to?url=${encodeURIComponent(target)}`)).status
  for (const target of ['/get', `${url}/get`, 'http://ok.test/x', 'https://OK.test:8443/', 'http://a.fine.test'])
    t.equal(await to(target), 302, target)
  for (const target of [
    'http://evil.test',
    '//evil.test',
    '/\\evil.test',
    'http://ok.test@evil.test/',
    'http://ok.test.evil.test/',
    'fine.test',
    'http:evil.test',
    'ftp://ok.test/',
    '/\t/evil.test',
    'http://ok.test\\@evil.test',
  ])
    t.equal(await to(target), 403, target)
})

t.test('redirect targets that run scripts or split headers [HB-9]', async t => {
  for (const flavour of ['httpbin', 'go-httpbin']) {
    const { url } = await serve(t, { plugins, settings: { httpbin: { flavour } } })
    for (const target of [
      'javascript:alert(1)',
      ' JavaScript:x',
      'data:text/html,x',
      'vbscript:x',
      '/a\r\nX: y',
      '/a\nb',
    ])
      t.equal((await send(url, `/httpbin/redirect-to?url=${encodeURIComponent(target)}`)).status, 400, target)
    t.equal((await send(url, '/httpbin/redirect-to?url=http://other.test/')).headers.location, 'http://other.test/')
    t.equal((await send(url, '/httpbin/redirect/201')).status, 400)
  }
})

t.test('public instances have the lower limits [HB-10]', async t => {
  const { url } = await serve(t, {
    plugins,
    env: { SVC_PUBLIC_MODE: 'true' },
    settings: { httpbin: { flavour: 'go-httpbin', hosts: [{ host: 'py.test', serve: 'httpbin' }] } },
  })
  const on = (Host: string, path: string) => send(url, path, { headers: { Host } })
  t.equal((await on('py.test', '/bytes/99999')).body.length, 10_240)
  t.equal((await on('py.test', '/stream/99')).text.trim().split('\n').length, 20)
  t.equal((await on('py.test', '/drip?numbytes=9999&duration=0')).body.length, 1024)
  t.equal((await on('py.test', '/range/10241')).status, 404)
  for (const path of ['/bytes/10241', '/drip?numbytes=1025', '/range/10241', '/sse?count=101', '/links/201'])
    t.equal((await send(url, `/httpbin${path}`)).status, 400, path)
})

const HOSTILE = `
  /redirect/0 /redirect/99999999999999999999 /delay/x /delay/nan /delay/-1 /status/99 /status/100
  /status/1e3 /status/200:-1,300 /status/, /status/999 /status/200:0,201:0 /cache/99999999999999999999
  /drip?numbytes=x /drip?code=abc /drip?code=99 /drip?numbytes=3&duration=0&delay=0&code=204
  /bytes/1?seed=x /bytes/99999999999999999999 /stream/99999999999999999999
  /stream-bytes/10?chunk_size=-5 /range/10?chunk_size=x /range/10?duration=x
  /range/99999999999999999999 /links/5/99999999999999999999 /response-headers?a%0Ab=1
  /response-headers?a=%0Ab /response-headers?transfer-encoding=x /response-headers?__proto__=1
  /response-headers?Content-Length=5 /response-headers?Content-Type=%00 /cookies/set?a%3Bb=1
  /cookies/set?a=%0D%0Ax /cookies/set/%0A/1 /cookies/set?__proto__=1 /etag/%0Ax /etag/%22
  /etag/%E2%82%AC /base64/%FF /base64/== /base64/encode/%00 /base64/decode/a%2Fb
  /base64/decode/aGk=?content-type=%0A /image/__proto__ /image/constructor
  /digest-auth/auth/__proto__/x/constructor /basic-auth/%00/%00 /anything/%2F%2E%2E
  /get?__proto__=1&constructor=2 /sse?jitter=2 /sse?count=x /jsonl?delay=9s&duration=9s
  /unstable?seed=x /trailers?a%20b=1 /trailers?Host=1
  /websocket/echo?max_fragment_size=9&max_message_size=2 /dump/request?%FF /hidden-basic-auth/a/b
  /redirect-to?url=%FF
`
  .trim()
  .split(/\s+/)

t.test('no input causes a 500 [HB-11]', async t => {
  for (const flavour of ['httpbin', 'go-httpbin']) {
    const { url } = await serve(t, { plugins, settings: { httpbin: { flavour } } })
    for (const path of HOSTILE)
      for (const Authorization of ['Digest', 'Digest username="u", algorithm=__proto__, nonce=1'])
        t.not((await send(url, `/httpbin${path}`, { headers: { Authorization } })).status, 500, `${flavour} ${path}`)
    const bodies: [type: string, body: string | Buffer][] = [
      ['application/json', '['.repeat(100_000)],
      ['application/json', '9'.repeat(100_000)],
      ['application/json', '{"__proto__":{"a":1},"constructor":1}'],
      ['application/json', '1e999'],
      ['application/json', Buffer.from([0xff])],
      ['multipart/form-data', '--x'],
      ['multipart/form-data; boundary=', '--'],
      ['multipart/form-data; boundary=x', '--x\r\n\r\n'],
      ['application/x-www-form-urlencoded', '%zz=%&&=&%FF=%FF&__proto__=1'],
      ['__proto__', 'x'],
    ]
    for (const [type, body] of bodies) {
      const reply = await send(url, '/httpbin/post', { method: 'POST', headers: { 'Content-Type': type }, body })
      t.ok([200, 400].includes(reply.status), `${flavour} ${type} ${String(body).slice(0, 20)}`)
      t.doesNotThrow(() => reply.json(), 'the response is JSON')
    }
  }
})

t.test('content that a browser renders has an origin of its own [HB-11]', async t => {
  const { url } = await serve(t, { plugins })
  const go = await serve(t, { plugins, settings: { httpbin: { flavour: 'go-httpbin' } } })
  for (const [base, path] of [
    [url, '/base64/PHNjcmlwdD4='],
    [url, '/response-headers?Content-Type=text/html&x=%3Cscript%3E'],
    [url, '/response-headers?Content-Type=text/html&Content-Security-Policy=script-src%20*'],
    [go.url, '/response-headers?Content-Type=text/html&x=%3Cscript%3E'],
    [go.url, '/base64/PHNjcmlwdD4=?content-type=text/html'],
    [go.url, '/base64/PHNjcmlwdD4=?content-type=image/svg%2Bxml'],
  ] as const) {
    const { headers } = await send(base, `/httpbin${path}`)
    t.match(headers, { 'content-security-policy': /sandbox/, 'x-content-type-options': 'nosniff' }, path)
  }
})
