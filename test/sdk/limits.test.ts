/** Clients that must work unmodified against the limits, the inspector's feed and control-plane authentication. */
import t from 'tap'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { EventSource } from 'eventsource'
import got from 'got'
import OpenAI from 'openai'
import { parseList } from 'structured-headers'
import { Agent, RetryAgent, fetch as undiciFetch } from 'undici'
import { WebSocket } from 'ws'
import { serveLimits, usageOf } from '../support/limits-server.ts'
import { until } from '../support/until.ts'

t.test('structured-headers reads both fields of a 429 [PLAN-10]', async t => {
  const server = await serveLimits(t, { SVC_PLAN: 'free', SVC_LIMIT_RPS: '1', SVC_LIMIT_BURST: '1' })
  await fetch(`${server.url}/x`)
  const refused = await fetch(`${server.url}/x`)
  const policies = parseList(refused.headers.get('ratelimit-policy')!).map(([name, parameters]) => [
    name,
    Object.fromEntries(parameters),
  ])
  t.strictSame(policies, [
    ['rps', { q: 1, w: 1, 'svc-burst': 1 }],
    ['concurrency', { q: 10, qu: 'concurrent-requests' }],
    ['streams', { q: 3, qu: 'concurrent-requests' }],
    ['requests', { q: 10_000, w: 86_400 }],
    ['egress', { q: 1_000_000_000, qu: 'content-bytes', w: 86_400 }],
  ])
  t.strictSame(
    parseList(refused.headers.get('ratelimit')!).map(([name, parameters]) => [name, Object.fromEntries(parameters)]),
    [['rps', { r: 0, t: 1 }]],
  )
})

t.test("got, undici's RetryAgent and the OpenAI SDK wait for Retry-After and get through [PLAN-10]", async t => {
  const server = await serveLimits(t, { SVC_LIMIT_RPS: '1', SVC_LIMIT_BURST: '1' })
  await fetch(`${server.url}/x`)
  t.equal(await got(`${server.url}/x`, { retry: { limit: 3 } }).text(), 'fine')
  const dispatcher = new RetryAgent(new Agent(), { statusCodes: [429] })
  t.teardown(() => dispatcher.close())
  t.equal(await (await undiciFetch(`${server.url}/x`, { dispatcher })).text(), 'fine')
  const openai = new OpenAI({ apiKey: 'x', baseURL: `${server.url}/x/items`, maxRetries: 3 })
  await openai.get('/models').then(() => t.pass('the SDK got through'))
  t.equal((await usageOf(server)).requests.used, 4)
})

t.test('ws sees the refused upgrade, and the close at the lifetime with its reason [PLAN-7, PLAN-13]', async t => {
  const server = await serveLimits(t, { SVC_LIMIT_STREAMS: '1', SVC_LIMIT_STREAM_SECS: '1' })
  const url = `${server.url.replace('http', 'ws')}/x/ws`
  const first = new WebSocket(url)
  const closed = new Promise(resolve => first.once('close', (code, reason) => resolve([code, String(reason)])))
  await new Promise(resolve => first.once('open', resolve))
  const second = new WebSocket(url)
  const refused = await new Promise<{ statusCode?: number; headers: Record<string, unknown> }>(resolve =>
    second.once('unexpected-response', (_request, response) => resolve(response)),
  )
  t.match([refused.statusCode, refused.headers['retry-after'], refused.headers['x-svc-limit']], [429, '1', 'streams'])
  second.on('error', () => {}).terminate()
  t.strictSame(await closed, [1008, 'svc plan stream lifetime reached'])
})

t.test('eventsource follows the feed and resumes where the lifetime cut it [INSP-7, PLAN-13]', async t => {
  const server = await serveLimits(t, {
    SVC_ADMIN_TOKEN: 'secret',
    SVC_CONTROL_AUTH: 'token',
    SVC_LIMIT_STREAM_SECS: '1',
  })
  const seen: string[] = []
  let opens = 0
  const source = new EventSource(`${server.url}/_svc/requests/stream`, {
    fetch: (input, init) => fetch(input, { ...init, headers: { ...init.headers, Authorization: 'Bearer secret' } }),
  })
  t.teardown(() => source.close())
  source.addEventListener('open', () => void opens++)
  source.addEventListener(
    'request',
    event => void seen.push((JSON.parse(event.data as string) as { query: string }).query),
  )
  await until(() => opens === 1)
  await fetch(`${server.url}/x?n=1`)
  await until(() => seen.length === 1)
  await until(() => source.readyState === source.CONNECTING, 'the lifetime is over')
  await fetch(`${server.url}/x?n=2`)
  await until(() => seen.length === 2)
  t.strictSame(seen, ['n=1', 'n=2'])
})

t.test('openssl signs control tokens that are taken [CAUTH-2]', async t => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-openssl-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const openssl = (...args: string[]) =>
    execFileSync('openssl', args, { cwd: folder, stdio: ['ignore', 'pipe', 'ignore'] })
  openssl('genpkey', '-algorithm', 'ed25519', '-out', 'key.pem')
  const publicKey = openssl('pkey', '-in', 'key.pem', '-pubout').toString()
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const input = `${encode({ alg: 'EdDSA', typ: 'JWT' })}.${encode({ aud: 'test-1', exp: Math.floor(Date.now() / 1000) + 60, scope: 'console' })}`
  writeFileSync(join(folder, 'input'), input)
  const signature = openssl('pkeyutl', '-sign', '-inkey', 'key.pem', '-rawin', '-in', 'input').toString('base64url')
  const server = await serveLimits(t, {
    SVC_CONTROL_AUTH: 'jwt',
    SVC_CONTROL_JWT_PUBLIC_KEY: publicKey.replaceAll('\n', ' '),
  })
  t.equal(
    (await fetch(`${server.url}/_svc/config`, { headers: { Authorization: `Bearer ${input}.${signature}` } })).status,
    200,
  )
  t.equal(
    (
      await fetch(`${server.url}/_svc/config`, {
        headers: { Authorization: `Bearer ${input}.${signature.slice(0, -4)}AAAA` },
      })
    ).status,
    401,
  )
})
