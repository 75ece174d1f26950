/** Redirect chains and single redirects. */
import { METHODS } from 'node:http'
import t from 'tap'
import { rejectionReason } from '../../../plugins/redirects/redirect-target.ts'
import { checkRefusals } from '../../support/refusals.ts'
import { send } from '../../support/request.ts'
import { serve } from '../../support/server.ts'

const { url } = await serve(t)
const host = url.slice('http://'.length)

t.test('a chain counts down to /echo and keeps the query [REDIR-1]', async t => {
  const rows: [path: string, location: string][] = [
    ['/redirect/20', '/redirect/19'],
    ['/redirect/2?x=1&x=%20+', '/redirect/1?x=1&x=%20+'],
    ['/redirect/1', '/echo'],
    ['/redirect/1?a=/b?c', '/echo?a=/b?c'],
    ['/redirect/003', '/redirect/2'],
    ['/redirect/2?', '/redirect/1'],
    ['/absolute-redirect/10', `${url}/absolute-redirect/9`],
    ['/absolute-redirect/2?x=1', `${url}/absolute-redirect/1?x=1`],
    ['/absolute-redirect/1?x', `${url}/echo?x`],
  ]
  for (const [path, location] of rows) {
    const reply = await send(url, path)
    t.match(reply, { status: 302, text: '', headers: { location } }, path)
    t.match(await send(url, path, { method: 'HEAD' }), { status: 302, headers: { location } }, `HEAD ${path}`)
  }
})

t.test('absolute redirects stay on the origin of the request [REDIR-1]', async t => {
  t.equal(
    (await send(url, '/absolute-redirect/1', { headers: { Host: 'api.example.test' } })).headers.location,
    'http://api.example.test/echo',
  )
  const forwarded = { 'X-Forwarded-Proto': 'https', 'X-Forwarded-Host': 'edge.example.test' }
  t.equal(
    (await send(url, '/absolute-redirect/1', { headers: forwarded })).headers.location,
    `${url}/echo`,
    'not trusted',
  )
  const { url: behind } = await serve(t, { env: { SVC_TRUST_FORWARD: 'true' } })
  t.equal(
    (await send(behind, '/absolute-redirect/1', { headers: forwarded })).headers.location,
    'https://edge.example.test/echo',
    'trusted',
  )
})

t.test('rejects lengths out of range [REDIR-1, TOOL-5]', async t => {
  await checkRefusals(
    t,
    url,
    [
      ...['0', '21', '-1', '1.5', 'abc', '', '99999999999999999999', '%2B1'].map(n => ({
        path: `/redirect/${n}`,
        error: 'invalid_count',
      })),
      ...['0', '11', '-1', '1.5', 'abc', ''].map(n => ({ path: `/absolute-redirect/${n}`, error: 'invalid_count' })),
    ],
    { negotiated: false },
  )
  t.equal((await send(url, '/redirect/1', { method: 'POST' })).status, 405)
})

t.test('allows paths and the requested host [REDIR-2, REDIR-3]', async t => {
  const rows: [target: string, location?: string][] = [
    ['/'],
    ['/echo'],
    ['/a?b=c&d#e'],
    ['/a//b'],
    ['/a:b@c'],
    ['/?u=http://evil.test/'],
    [`http://${host}`],
    [`http://${host}/x?y`],
    [`https://${host}/x`],
    [`HTTP://${host.toUpperCase()}/X`],
    [`http://${host}?q`],
    [`http://${host}#f`],
    ['/Grüße/日本', '/Gr%C3%BC%C3%9Fe/%E6%97%A5%E6%9C%AC'],
    ['/😀', '/%F0%9F%98%80'],
    ['/a%20b'],
    ['/a"<b>'],
  ]
  for (const [target, location = target] of rows) {
    const reply = await send(url, `/redirect-to?url=${encodeURIComponent(target)}`)
    t.match(reply, { status: 302, text: '', headers: { location } }, target)
  }
  t.equal((await send(url, '/redirect-to?url=/a&url=//evil.test')).headers.location, '/a', 'the first url is used')
  for (const method of METHODS.filter(method => method !== 'CONNECT'))
    t.equal(
      (
        await send(url, '/redirect-to?url=/echo&status_code=307', {
          method,
          headers: { 'Content-Length': '1' },
          body: 'x',
        })
      ).status,
      307,
      method,
    )
})

t.test('redirects with one of six statuses [REDIR-3]', async t => {
  for (const status of [300, 301, 302, 303, 307, 308])
    t.match(await send(url, `/redirect-to?url=/echo&status_code=${status}`), { status, headers: { location: '/echo' } })
  await checkRefusals(
    t,
    url,
    ['200', '304', '305', '306', '309', '999', 'abc', '', '302.0', '-302', '99999999999999999999'].map(status => ({
      path: `/redirect-to?url=/echo&status_code=${status}`,
      error: 'invalid_parameter',
      parameter: 'status_code',
    })),
    { negotiated: false },
  )
})

t.test('rejects all other targets [REDIR-2]', async t => {
  const encoded = [
    '',
    'echo',
    './echo',
    '../echo',
    '?x',
    '#x',
    '//evil.test',
    '///evil.test',
    '////evil.test',
    '/\\evil.test',
    '\\/evil.test',
    '\\\\evil.test',
    'http:/evil.test',
    'http:evil.test',
    'http:///evil.test',
    'http://',
    'https://',
    'http://evil.test',
    'http://evil.test/',
    `http://${host}.evil.test/`,
    `http://evil.test#${host}`,
    `http://${host}@evil.test/`,
    `http://user@${host}/`,
    `http://user:pass@${host}/`,
    `http://evil.test\\@${host}/`,
    `http://${host}\\.evil.test`,
    `http://127.0.0.1/`,
    `http://127.0.0.1:1/`,
    `http://localhost:${host.split(':')[1]}/`,
    `ftp://${host}/`,
    'javascript:alert(1)',
    `javascript://${host}/%0aalert(1)`,
    'data:text/html,x',
    'mailto:a@b.test',
    `ws://${host}/`,
    ' /echo',
    '/echo ',
    '/a b',
    '/\t/evil.test',
    '/\n/evil.test',
    '/\r\nSet-Cookie: a=b',
    '/\u0000',
    '/\u007f',
    '/\u00a0',
    '/\u2028',
    '\ufeff/echo',
    '/a\u0085b',
    ` http://${host}/`,
    `http://${host} /`,
    '/%09/evil.test',
    '/%5C/evil.test',
    '/%5cevil.test',
    '/%0d%0aSet-Cookie:a=b',
    '/%00',
    '/%7F',
  ]
  for (const target of encoded) {
    const reply = await send(url, `/redirect-to?url=${encodeURIComponent(target)}`)
    t.equal(reply.status, 400, encodeURIComponent(target))
    t.match(reply.json(), { error: 'redirect target refused', reason: /^the url |^the scheme |^no url/, url: target })
    t.equal(reply.headers.location, undefined)
  }
  t.match((await send(url, '/redirect-to')).json(), { error: 'redirect target refused', url: '' })
  for (const query of [
    'url=%2F%09%2Fevil.test',
    'url=/%5Cevil.test',
    'url=/%5C%5Cevil.test',
    'url=+/echo',
    'url=%',
    'url=%zz',
    'url=%ff%fe',
  ])
    t.equal((await send(url, `/redirect-to?${query}`)).status, 400, query)
})

t.test('compares the host exactly, including the port [REDIR-2]', async t => {
  t.equal(rejectionReason('http://a.test:8080/', 'a.test:8080'), null)
  t.equal(rejectionReason('http://A.test:8080/', 'a.TEST:8080'), null)
  t.equal(rejectionReason('http://[::1]:80/', '[::1]:80'), null)
  for (const target of [
    'http://a.test/',
    'http://a.test:80/',
    'http://a.test:8080.b.test/',
    'http://a.test:08080/',
    'http://a.test.:8080/',
  ])
    t.type(rejectionReason(target, 'a.test:8080'), 'string', target)
  t.type(rejectionReason('http://a.test:80/', 'a.test'), 'string')
  t.type(rejectionReason('http:///', ''), 'string', 'no host at all')
})
