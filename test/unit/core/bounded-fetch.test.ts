/** Requests to other servers: bounds, redirects, allowed hosts, and why there is no response. */
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import t from 'tap'
import { boundedFetch, FetchFailure, hostList } from '../../../core/toolkit/bounded-fetch.ts'

const LIMITS = { timeoutMs: 5000, maxBytes: 100 }

const server = http.createServer((request, response) => {
  if (request.url === '/late') return
  if (request.url === '/redirect') return void response.writeHead(302, { location: '/text' }).end()
  if (request.url === '/large') return void response.end('x'.repeat(101))
  response.writeHead(request.url === '/error' ? 500 : 200).end(`${request.method} ${request.headers['x-a'] ?? ''}`)
})
await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
t.teardown(() => {
  server.closeAllConnections()
  server.close()
})
const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

function failure(path: string, options: Partial<Parameters<typeof boundedFetch>[1]> = {}): Promise<FetchFailure> {
  return boundedFetch(base + path, { ...LIMITS, ...options }).then(
    () => Promise.reject(new Error('there is a response')),
    (error: FetchFailure) => error,
  )
}

t.test('a response, also with an error status', async t => {
  const { status, body } = await boundedFetch(`${base}/text`, { ...LIMITS, method: 'POST', headers: { 'x-a': '1' } })
  t.strictSame([status, body.toString()], [200, 'POST 1'])
  t.equal((await boundedFetch(`${base}/error`, LIMITS)).status, 500)
  t.equal((await boundedFetch(`${base}/large`, { ...LIMITS, maxBytes: null })).body.length, 0)
})

t.test('redirects are followed on request only', async t => {
  t.equal((await boundedFetch(`${base}/redirect`, LIMITS)).status, 302)
  t.equal((await boundedFetch(`${base}/redirect`, { ...LIMITS, followsRedirects: true })).status, 200)
})

t.test('why there is no response', async t => {
  t.match(await failure('/large'), { reason: 'too_large', message: 'the response has more than 100 bytes' })
  t.match(await failure('/late', { timeoutMs: 30 }), { reason: 'timeout', message: 'no response came within 30 ms' })
  t.match(await failure('/late', { signal: AbortSignal.timeout(30) }), { reason: 'failed' })
  t.match(await failure('/text', { allows: hostList(['other.test']) }), { reason: 'not_allowed' })
  const refused = await boundedFetch('http://127.0.0.1:1/', LIMITS).catch((error: unknown) => error)
  t.match(refused, { reason: 'failed', message: 'no usable response came' })
})

t.test('a list of hosts', async t => {
  const allows = hostList(['a.test', 'B.test:8443', '[::1]', 'c.test:443'])
  const isAllowed = (url: string): boolean => allows(new URL(url))
  for (const url of [
    'http://a.test/',
    'https://a.test:9/',
    'http://A.TEST/',
    'https://b.test:8443/',
    'http://[::1]:3/',
    'https://c.test/',
  ])
    t.equal(isAllowed(url), true, url)
  for (const url of ['http://b.test/', 'http://x.a.test/', 'http://c.test/', 'ftp://a.test/', 'http://me@a.test/'])
    t.equal(isAllowed(url), false, url)
})
