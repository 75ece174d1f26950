/**
 * No input in a path, a query or a header of the toolbox causes a 500.
 * Takes long: it sends hostile input to every path.
 */
import http from 'node:http'
import t from 'tap'
import type { Catalog } from '../../../core/contract/plugin.ts'
import { send } from '../../support/request.ts'
import { serve } from '../../support/server.ts'

const OWN = [
  'echo',
  'status',
  'delay',
  'caching',
  'transfer',
  'redirects',
  'info',
  'images',
  'reliability',
  'bins',
  'jsonrpc',
  'webhooks',
  'orchestration',
]

const NASTY = [
  '',
  '0',
  '-0',
  '-1',
  '00',
  '1e308',
  'NaN',
  'Infinity',
  '9'.repeat(1000),
  '-' + '9'.repeat(1000),
  '0'.repeat(15_000),
  '1.7976931348623157e309',
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  'null',
  'undefined',
  'true',
  '[object Object]',
  '{}',
  '[]',
  '[1]',
  '{"a":1}',
  '../..',
  '..%2f..',
  '%00',
  '%0d%0aX-Injected: 1',
  '%ff%fe',
  '%C3%28',
  '\u00e9',
  '%E2%80%8B',
  '%F0%9F%98%80',
  'a,b',
  'a:b',
  'a;b',
  'a&b',
  'a=b',
  '*',
  '**',
  '~',
  '!',
  "'",
  '"',
  '<script>',
  '`',
  '$(x)',
  '|',
  '\\',
  '200:1,'.repeat(2000),
  'S'.repeat(15_000),
  'A'.repeat(15_000),
  '='.repeat(5000),
  '%20'.repeat(3000),
  ','.repeat(5000),
  '/'.repeat(500),
]
const PARAMETERS = [
  'jitter',
  'seed',
  'chunk_size',
  'numbytes',
  'duration',
  'delay',
  'code',
  'url',
  'status_code',
  'scope',
  '_path',
  '_domain',
  '_maxage',
  '_samesite',
  '_secure',
  'a',
  'Content-Type',
  'Set-Cookie',
]
const HEADERS = [
  'Accept',
  'Range',
  'If-Range',
  'If-None-Match',
  'If-Modified-Since',
  'Cookie',
  'X-Svc-Session',
  'Accept-Encoding',
  'X-Forwarded-For',
  'Content-Type',
]

/** Text that a client can send in a request line. */
function encode(text: string): string {
  return text.replace(/[^\x21-\x7e]|[<>"`{}|\\^]/g, encodeURIComponent)
}

const agent = new http.Agent({ keepAlive: true })
t.teardown(() => agent.destroy())
const { url } = await serve(t, { env: { SVC_TRUST_FORWARD: 'true' } })
const { endpoints } = (await send(url, '/_svc/catalog')).json<Catalog>()
const own = endpoints.filter(({ plugin }) => plugin !== null && OWN.includes(plugin))

/** Sends one request and reports results that no input may cause. */
async function probe(path: string, headers: Record<string, string> = {}): Promise<string | null> {
  const reply = await send(url, path, { headers, agent })
  if (reply.status === 500 && reply.text.includes('internal error'))
    return `500: ${path.slice(0, 200)} ${JSON.stringify(headers).slice(0, 200)}`
  return reply.headers['x-injected'] === undefined ? null : `header injected: ${path.slice(0, 200)}`
}

async function findFaults(probes: (() => Promise<string | null>)[]): Promise<string[]> {
  const faults: string[] = []
  const queue = [...probes]
  await Promise.all(
    Array.from({ length: 4 }, async () => {
      for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
        const fault = await next()
        if (fault !== null) faults.push(fault)
      }
    }),
  )
  return faults
}

t.test('no path causes a 500 [TOOL-8]', async t => {
  const templates = new Set(own.map(({ path }) => path).filter(path => path.includes('{')))
  t.ok(templates.size > 15)
  const paths = [...templates].flatMap(template => NASTY.map(value => template.replaceAll(/\{[^}]*\}/g, encode(value))))
  t.same(await findFaults(paths.map(path => () => probe(path))), [])
})

t.test('no query causes a 500 [TOOL-8]', async t => {
  const paths = new Set(own.map(({ examples }) => examples[0]!.path.split('?', 1)[0]!))
  const values = NASTY.map(value => encode(value).slice(0, 10_000))
  const probes = [...paths].flatMap(path =>
    PARAMETERS.flatMap((name, index) => {
      const value = values[(index * 7 + path.length) % values.length]!
      return [
        () => probe(`${path}?${name}=${value}&duration=0`),
        () => probe(`${path}?duration=0&${name}=0&${name}=${value}&${value}&=`),
      ]
    }),
  )
  t.same(await findFaults(probes), [])
})

t.test('no header causes a 500 [TOOL-8]', async t => {
  const paths = [
    '/echo',
    '/status/200',
    '/cache/60',
    '/range/50',
    '/image',
    '/gzip',
    '/zstd',
    '/stream/2',
    '/cookies',
    '/cookies/set?a=1',
    '/ip',
    '/flaky/50',
    '/flaky/status',
    '/response-headers?a=1',
    '/random',
    '/redirect-to?url=/',
  ]
  const values = NASTY.map(value => value.replace(/[^\x20-\x7e]/g, '?'))
  // Each path gets a sixth of the values, another one for each header.
  const probes = paths.flatMap((path, at) =>
    HEADERS.flatMap((name, index) =>
      values.filter((_, number) => number % 6 === (at + index) % 6).map(value => () => probe(path, { [name]: value })),
    ),
  )
  t.same(await findFaults(probes), [])
})

t.test('everything still works afterwards', async t => {
  t.equal((await send(url, '/echo')).status, 200)
  t.equal((await send(url, '/_svc/ready')).status, 200)
})
