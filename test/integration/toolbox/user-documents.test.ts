/** Documents created by users are served from the origin of the console, but cannot act for it. */
import t from 'tap'
import { SANDBOX_POLICY, sandboxPolicy } from '../../../core/toolkit/toolkit.ts'
import { send } from '../../support/request.ts'
import { serve } from '../../support/server.ts'

const JSON_HEADERS = { 'Content-Type': 'application/json' }

t.test('content that browsers may render or sniff is sandboxed, other content is not [SEC-8]', async t => {
  for (const type of [
    'text/html',
    'TEXT/HTML; charset=utf-8',
    ' text/html',
    'application/xhtml+xml',
    'image/svg+xml',
    'text/xml',
    'application/xml',
    'application/atom+xml',
    'multipart/x-mixed-replace',
    '',
    'x',
    '*/*',
    'unknown/unknown',
    undefined,
  ]) {
    t.equal(sandboxPolicy(type), SANDBOX_POLICY, String(type))
  }
  for (const type of [
    'application/json',
    'application/problem+json; charset=utf-8',
    'text/plain',
    'image/png',
    'application/octet-stream',
    'audio/mpeg',
    'text/event-stream',
    'text/css',
  ]) {
    t.equal(sandboxPolicy(type), null, type)
  }
  t.equal(
    sandboxPolicy('text/html', "default-src 'none'"),
    `default-src 'none', ${SANDBOX_POLICY}`,
    'its own policy holds too',
  )
  t.equal(sandboxPolicy(`text/html${' '.repeat(100_000)}`), SANDBOX_POLICY)
})

t.test('a bin can neither become a service worker nor act for the origin [SEC-8]', async t => {
  const server = await serve(t, { plugins: ['bins'] })
  for (const name of ['Service-Worker-Allowed', 'clear-site-data']) {
    const refused = await send(server.url, '/bin', {
      method: 'POST',
      headers: JSON_HEADERS,
      body: JSON.stringify({ headers: { [name]: '/' } }),
    })
    t.equal(refused.status, 400, name)
    t.match(refused.json(), { error: 'invalid_bin' })
  }
  for (const [headers, policy] of [
    [{ 'content-type': 'text/html' }, SANDBOX_POLICY],
    [{ 'content-type': 'image/svg+xml', 'content-security-policy': 'script-src *' }, `script-src *, ${SANDBOX_POLICY}`],
    [{ 'content-type': 'text/javascript' }, undefined],
    [{}, undefined],
  ] as const) {
    const created = await send(server.url, '/bin', {
      method: 'POST',
      headers: JSON_HEADERS,
      body: JSON.stringify({ headers, body: '<script>1</script>' }),
    })
    const { id } = created.json<{ id: string }>()
    const answered = await send(server.url, `/bin/${id}`)
    t.equal(answered.status, 200)
    t.equal(answered.headers['content-security-policy'], policy, JSON.stringify(headers))
    const worker = await send(server.url, `/bin/${id}`, { headers: { 'Service-Worker': 'script' } })
    t.equal(worker.status, 403)
    t.match(worker.json(), { error: 'service worker scripts are not served here' })
  }
})

t.test('chosen response headers cannot act for the origin either [SEC-8]', async t => {
  const server = await serve(t, { plugins: ['status'] })
  t.match((await send(server.url, '/response-headers?Service-Worker-Allowed=/')).json(), { error: 'forbidden_header' })
  t.match((await send(server.url, '/response-headers?Clear-Site-Data=*')).json(), { error: 'forbidden_header' })
  t.equal(
    (await send(server.url, '/response-headers?Content-Type=text/html')).headers['content-security-policy'],
    SANDBOX_POLICY,
  )
  t.equal(
    (await send(server.url, '/response-headers?Content-Type=image/svg%2Bxml&Content-Security-Policy=x')).headers[
      'content-security-policy'
    ],
    `x, ${SANDBOX_POLICY}`,
  )
  t.equal((await send(server.url, '/response-headers?A=1')).headers['content-security-policy'], undefined)
})

t.test('a mock and its rules cannot act for the origin either [SEC-8]', async t => {
  const server = await serve(t, { plugins: ['mocks'], env: { SVC_MOCKS_SAMPLE: 'false' } })
  const document = {
    openapi: '3.1.0',
    info: { title: 'Pages', version: '1' },
    paths: {
      '/page': {
        get: {
          operationId: 'page',
          responses: {
            200: {
              description: 'ok',
              content: { 'text/html': { example: '<script>1</script>' } },
              headers: {
                'Service-Worker-Allowed': { schema: { type: 'string' }, example: '/' },
                'Clear-Site-Data': { schema: { type: 'string' }, example: '"*"' },
              },
            },
          },
        },
      },
    },
  }
  t.equal(
    (
      await send(server.url, '/_svc/mocks/pages', {
        method: 'PUT',
        headers: JSON_HEADERS,
        body: JSON.stringify(document),
      })
    ).status,
    201,
  )
  const page = await send(server.url, '/mock/pages/page')
  t.equal(page.status, 200)
  t.equal(page.headers['content-security-policy'], SANDBOX_POLICY)
  t.equal(page.headers['service-worker-allowed'], undefined)
  t.equal(page.headers['clear-site-data'], undefined)
})
