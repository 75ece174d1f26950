/** Shared mode: identification, limits and visibility of keys. */
import t from 'tap'
import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseRegistry } from '../../../core/keys/registry-document.ts'
import { serveLimits, serveTogether, usageOf } from '../../support/limits-server.ts'
import type { TestServer } from '../../support/server.ts'
import { until } from '../../support/until.ts'

const REGISTRY = `keys:
  - { id: acme, key: svc-acme-7f3d9a, name: Acme team, daily_requests: 3 }
  - { id: fast, key_sha256: ${createHash('sha256').update('svc-fast-key').digest('hex')}, rps: 1, burst: 2, daily_requests: unlimited }
  - { id: off, key: svc-off-key-1, enabled: false }
  - { id: old, key: svc-old-key-1, expires_at: 2020-01-31T00:00:00Z }
`

function fileOf(t: { teardown(callback: () => unknown): unknown }, text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-keys-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  writeFileSync(join(folder, 'keys.yaml'), text)
  return join(folder, 'keys.yaml')
}

async function ask(server: TestServer, path: string, headers: Record<string, string> = {}) {
  const response = await fetch(server.url + path, { headers })
  const text = await response.text()
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: (text.startsWith('{') ? JSON.parse(text) : {}) as Record<string, unknown>,
  }
}
const withKey = (key: string): Record<string, string> => ({ 'X-Svc-Key': key })

interface KeysUsage {
  shared_mode: boolean
  count: number
  registry: { error: string | null; keys: number } | null
  keys: {
    id: string
    requests: Record<string, number | null>
    rejected: { rate: number; quota: number }
    last_seen: string | null
  }[]
}
async function keysUsage(server: TestServer, headers: Record<string, string> = {}, query = ''): Promise<KeysUsage> {
  return (await ask(server, `/_svc/keys/usage${query}`, headers)).body as unknown as KeysUsage
}

t.test(
  'the key is the header, else rb_key, else svc_key; the first value counts, an empty one is absent [KEY-1]',
  async t => {
    const server = await serveTogether(t, {
      SVC_SHARED_MODE: 'true',
      SVC_KEY_REGISTRY: fileOf(t, REGISTRY.replace('daily_requests: 3', 'daily_requests: 100')),
    })
    const FOUND: [path: string, headers: Record<string, string>, id: string | null][] = [
      ['/x', withKey('svc-acme-7f3d9a'), 'acme'],
      ['/x?rb_key=svc-acme-7f3d9a', {}, 'acme'],
      ['/x?svc_key=svc-acme-7f3d9a', {}, 'acme'],
      ['/x?rb_key=svc-fast-key', withKey('svc-acme-7f3d9a'), 'acme'],
      ['/x?svc_key=svc-fast-key&rb_key=svc-acme-7f3d9a', {}, 'acme'],
      ['/x?rb_key=svc-acme-7f3d9a&rb_key=wrong-wrong', {}, 'acme'],
      ['/x?rb_key=&svc_key=svc-acme-7f3d9a', withKey(''), 'acme'],
      ['/x?%72b_key=svc%2Dacme-7f3d9a', {}, 'acme'],
      ['/x', withKey(' svc-acme-7f3d9a '), 'acme'],
      ['/x?rb_key=', {}, null],
      ['/x', {}, null],
    ]
    for (const [path, headers, id] of FOUND) {
      const answer = await ask(server, path, headers)
      t.strictSame([answer.status, answer.headers.get('x-svc-key-id')], [200, id], `${path} ${JSON.stringify(headers)}`)
    }
  },
)

t.test('exempt paths need no key and are not counted [KEY-1, LAYER-2]', async t => {
  const server = await serveLimits(t, { SVC_REQUIRE_KEY: 'true', SVC_KEY_REGISTRY: fileOf(t, REGISTRY) })
  t.match(server.lines.join(''), /SVC_REQUIRE_KEY turns shared mode on/)
  for (const path of [
    '/',
    '/ui',
    '/ui/x',
    '/_svc/config',
    '/%5Fsvc/config',
    '/favicon.ico',
    '/health',
    '/docs',
    '/docs/x',
    '/openapi.json',
    '/oauth/jwks',
    '/.well-known/x',
  ]) {
    for (const headers of [{}, withKey('no-such-key')]) t.not((await ask(server, path, headers)).status, 401, path)
  }
  for (const path of ['/x', '/healthx', '/docsx', '/oauth/jwks/x', '/uix', '/identity', '/no/such', '/%zz'])
    t.equal((await ask(server, path)).status, 401, path)
  t.equal((await fetch(`${server.url}/health/toggle`, { method: 'POST' })).status, 401)
  t.equal(
    (await fetch(`${server.url}/x`, { method: 'OPTIONS', headers: { 'Access-Control-Request-Method': 'GET' } })).status,
    200,
  )
  t.strictSame(
    (await keysUsage(server)).keys.map(({ id, last_seen }) => [id, last_seen]),
    [
      ['acme', null],
      ['fast', null],
      ['off', null],
      ['old', null],
    ],
  )
})

t.test('an invalid key is rejected with its reason [KEY-2, LAYER-1]', async t => {
  const server = await serveLimits(t, {
    SVC_SHARED_MODE: 'true',
    SVC_KEY_REGISTRY: fileOf(t, REGISTRY),
    SVC_LIMIT_REQUESTS: '100',
  })
  const REASONS: [key: string, reason: string][] = [
    ['svc-no-such-key', 'unknown'],
    ['short', 'malformed'],
    ['has a blank in it', 'malformed'],
    ['x'.repeat(257), 'malformed'],
    ['svc-off-key-1', 'disabled'],
    ['svc-old-key-1', 'expired'],
  ]
  for (const [key, reason] of REASONS) {
    const answer = await ask(server, '/x', { ...withKey(key), 'X-Svc-Fail': '503' })
    t.strictSame(
      [answer.status, answer.headers.get('www-authenticate'), answer.headers.get('x-svc-fault')],
      [401, 'Key realm="svc"', null],
      key,
    )
    t.match(answer.body, { error: 'svc_key_invalid', reason })
    t.notMatch(answer.text, key)
  }
  t.equal((await ask(server, '/x')).status, 200, 'none is fine')
  t.match(await usageOf(server), { requests: { used: 1 } })
  t.match(await (await fetch(`${server.url}/_svc/status`)).json(), { inspector: { total_captured: 1 } })
  t.match((await ask(server, '/_svc/metrics')).text, /svc_key_rejections_total\{reason="invalid"\} 6\n/)
  const required = await serveTogether(t, { SVC_SHARED_MODE: 'true', SVC_REQUIRE_KEY: 'true' })
  const missing = await ask(required, '/x')
  t.match(
    [missing.status, missing.headers.get('www-authenticate'), missing.body],
    [401, 'Key realm="svc"', { error: 'svc_key_required' }],
  )
  t.match((await ask(required, '/x', withKey('any-well-formed-key'))).headers.get('x-svc-key-id'), /^k-[\da-f]{12}$/)
  const off = await serveTogether(t)
  t.equal((await ask(off, '/x', withKey('x'))).status, 200, 'shared mode off')
  t.notMatch((await ask(off, '/_svc/metrics')).text, /svc_key|quota_store/)
})

t.test(
  'rate and daily quota of a key are enforced; a request rejected by one limit does not count for the others [KEY-4]',
  async t => {
    const server = await serveLimits(t, {
      SVC_SHARED_MODE: 'true',
      SVC_KEY_REGISTRY: fileOf(t, REGISTRY),
      SVC_LIMIT_REQUESTS: '6',
      SVC_ADMIN_TOKEN: 'secret',
    })
    const acme = withKey('svc-acme-7f3d9a')
    for (const remaining of ['2', '1', '0'])
      t.equal((await ask(server, '/x', acme)).headers.get('x-svc-key-quota-remaining'), remaining)
    const refused = await ask(server, '/x', acme)
    const secs = Number(refused.headers.get('retry-after'))
    t.ok(secs >= 1 && secs <= 86_400)
    for (const [name, value] of Object.entries({
      'ratelimit-policy': '"key-requests";q=3;w=86400',
      ratelimit: `"key-requests";r=0;t=${secs}`,
      'x-svc-limit': 'key-requests',
      'x-svc-plan': null,
      'x-svc-quota-remaining': null,
      'x-svc-key-id': null,
    }))
      t.equal(refused.headers.get(name), value, name)
    t.equal(refused.status, 429)
    t.match(refused.body, {
      error: 'svc_quota_exceeded',
      key: 'acme',
      limit: 'key-requests',
      quota: 3,
      used: 3,
      retry_after_secs: secs,
      resets_at: /T00:00:00Z$/,
      usage: '/_svc/keys/usage',
      message:
        /^Rejected by this service's own key quota, not by the gateway in front of it\. Key acme: 3 requests per day; the quota resets at 00:00 UTC\.$/,
    })
    t.match(await usageOf(server), { requests: { used: 3 }, in_flight: { current: 0 } }, 'the plan has it back')

    const fast = withKey('svc-fast-key')
    t.strictSame([(await ask(server, '/x', fast)).status, (await ask(server, '/no/such', fast)).status], [200, 404])
    const limited = await ask(server, '/x', fast)
    t.match(
      [
        limited.status,
        limited.headers.get('retry-after'),
        limited.headers.get('ratelimit-policy'),
        limited.headers.get('ratelimit'),
        limited.body,
      ],
      [
        429,
        '1',
        '"key-rps";q=1;w=1;svc-burst=2',
        '"key-rps";r=0;t=1',
        {
          error: 'svc_key_rate_limited',
          key: 'fast',
          limit: 'key-rps',
          message: /^Rejected by this service's own key quota/,
        },
      ],
    )
    t.equal((await ask(server, '/x')).status, 200)
    t.equal((await ask(server, '/x', acme)).body.error, 'svc_plan_limit', 'the plan is asked first')
    const { keys } = await keysUsage(server, { 'X-Svc-Admin-Token': 'secret' })
    t.match(
      keys.map(({ id, requests, rejected }) => [
        id,
        requests.used,
        requests.limit,
        requests.remaining,
        requests.instance_used,
        rejected.rate,
        rejected.quota,
      ]),
      [
        ['acme', 3, 3, 0, 3, 0, 1],
        ['fast', 2, null, null, 2, 1, 0],
        ['off', 0, 10_000, 10_000, 0, 0, 0],
        ['old', 0, 10_000, 10_000, 0, 0, 0],
      ],
    )
    t.match(
      (await ask(server, '/_svc/metrics')).text,
      /svc_key_rejections_total\{reason="rate"\} 1\n.*svc_key_rejections_total\{reason="quota"\} 1\n/s,
    )
    t.match((await ask(server, '/_svc/metrics')).text, /svc_limit_rejections_total\{dimension="requests"\} 1\n/)
  },
)

t.test(
  'a stream rejected late is not counted for its key either, calls outside of HTTP are identified and counted [KEY-4, PLAN-14]',
  async t => {
    const server = await serveTogether(t, {
      SVC_REQUIRE_KEY: 'true',
      SVC_SHARED_MODE: 'true',
      SVC_KEY_REGISTRY: fileOf(t, REGISTRY),
      SVC_LIMIT_STREAMS: '1',
    })
    const leaving = new AbortController()
    await fetch(`${server.url}/x/feed?rb_key=svc-fast-key`, { signal: leaving.signal })
    t.equal((await ask(server, '/x/late', withKey('svc-acme-7f3d9a'))).status, 429)
    t.match((await keysUsage(server, {}, '?id=acme')).keys, [{ requests: { used: 0, instance_used: 0 } }])
    leaving.abort()
    const carrier = 'rb_key=svc-acme-7f3d9a'
    const call = async (key: string) => (await ask(server, `/x/call?${carrier}&key=${key}`)).body
    t.match(await call(''), { admitted: false, grpcStatus: 16 })
    t.match(await call('no-such-key'), { admitted: false, grpcStatus: 16 })
    t.match(await call('svc-fast-key'), { admitted: true })
    t.match(
      await call('svc-fast-key').then(async () => (await keysUsage(server, {}, '?id=fast')).keys[0]!.rejected.rate),
      0,
    )
    const quota = await serveTogether(t, { SVC_SHARED_MODE: 'true', SVC_KEY_DAILY_REQUESTS: '1' })
    const calls = [await ask(quota, '/x/call?key=some-open-key'), await ask(quota, '/x/call?key=some-open-key')]
    t.match(
      calls.map(({ body }) => body),
      [
        { admitted: true },
        { admitted: false, grpcStatus: 8, metadata: { 'x-svc-limit': 'key-requests', 'retry-after': /^\d+$/ } },
      ],
    )
  },
)

t.test('invalid entries are ignored with index and reason, never with the key [KEY-3]', async t => {
  const BAD: [entry: string, reason: RegExp][] = [
    ['just text', /expected a mapping/],
    ['{ key: svc-secret-key }', /id must be/],
    ['{ id: "a b", key: svc-secret-key }', /id must be/],
    ['{ id: 7, key: svc-secret-key }', /id must be/],
    ['{ id: a }', /exactly one/],
    ['{ id: a, key: svc-secret-key, key_sha256: x }', /exactly one/],
    ['{ id: a, key: short }', /8 to 256/],
    ['{ id: a, key_sha256: abc }', /64 hex/],
    ['{ id: a, key: svc-secret-key, daily_requests: -1 }', /daily_requests/],
    ['{ id: a, key: svc-secret-key, daily_requests: 1.5 }', /daily_requests/],
    ['{ id: a, key: svc-secret-key, rps: fast }', /rps/],
    ['{ id: a, key: svc-secret-key, enabled: maybe }', /enabled/],
    ['{ id: a, key: svc-secret-key, expires_at: soon }', /expires_at/],
    [`{ id: a, key: svc-secret-key, name: ${'x'.repeat(81)} }`, /name/],
    ['{ id: good, key: svc-secret-key }', /the id good is already used/],
    ['{ id: b, key: svc-good-key }', /the key is already used by another entry/],
  ]
  for (const [entry, reason] of BAD) {
    const { keys, problems } = parseRegistry(`keys:\n  - { id: good, key: svc-good-key }\n  - ${entry}\n`, 10)
    t.equal(keys.size, 1, entry)
    t.match(problems, [new RegExp(`^keys\\[1\\]: .*${reason.source}`)], entry)
    t.notMatch(problems[0], /svc-/)
  }
  for (const text of ['', '[]', 'keys: 1', 'other: []', 'keys: [', '{"keys": [}', `keys: [${'{},'.repeat(10_001)}]`])
    t.throws(() => parseRegistry(text, 10), text.slice(0, 20))
  const server = await serveLimits(t, {
    SVC_SHARED_MODE: 'true',
    SVC_KEY_REGISTRY: fileOf(t, `${REGISTRY}  - { id: bad id, key: svc-secret-key }\n`),
  })
  t.match(server.lines.join(''), /key registry: keys\[4\]: id must be/)
  t.equal((await ask(server, '/x', withKey('svc-acme-7f3d9a'))).status, 200)
})

t.test('until a registry is loaded keys get 503; a failed reload keeps the last good one [KEY-3]', async t => {
  const registry = REGISTRY.replace('daily_requests: 3', 'daily_requests: 5')
  const file = fileOf(t, registry)
  const missing = await serveLimits(t, { SVC_SHARED_MODE: 'true', SVC_KEY_REGISTRY: join(file, '..', 'later.yaml') })
  const answer = await ask(missing, '/x', withKey('svc-acme-7f3d9a'))
  t.match(
    [answer.status, answer.headers.get('retry-after'), answer.body],
    [503, '5', { error: 'svc_key_registry_unavailable' }],
  )
  t.equal((await ask(missing, '/x')).status, 200)
  t.match(await keysUsage(missing), { registry: { kind: 'file', keys: 0, loaded_at: null, error: 'ENOENT' }, count: 0 })
  const reload = () => fetch(`${missing.url}/_svc/reload`, { method: 'POST' }).then(response => response.json())
  writeFileSync(join(file, '..', 'later.yaml'), registry)
  await reload()
  t.equal((await ask(missing, '/x', withKey('svc-acme-7f3d9a'))).status, 200)
  for (const broken of ['keys: [', 'x'.repeat(5 * 1024 * 1024), '{"key": "svc-acme-7f3d9a"']) {
    writeFileSync(join(file, '..', 'later.yaml'), broken)
    await reload()
    t.equal((await ask(missing, '/x', withKey('svc-acme-7f3d9a'))).status, 200)
    t.ok((await keysUsage(missing)).registry!.error)
  }
  t.equal(
    missing.lines.filter(line => line.includes('cannot read the key registry')).length,
    2,
    'one warning per streak',
  )
  writeFileSync(join(file, '..', 'later.yaml'), registry.replace('svc-acme-7f3d9a', 'svc-acme-second'))
  await reload()
  t.equal((await ask(missing, '/x', withKey('svc-acme-7f3d9a'))).body.reason, 'unknown')
  t.equal(
    (await ask(missing, '/x', withKey('svc-acme-second'))).headers.get('x-svc-key-quota-remaining'),
    '0',
    'usage stays with the id',
  )
  t.notMatch(missing.lines.join(''), /svc-acme/)
})

t.test('a registry is fetched with its token, within its timeout and size limit [KEY-3]', async t => {
  const seen: (string | undefined)[] = []
  let answer: { status: number; body: string } = { status: 200, body: REGISTRY }
  const upstream = createServer((request, response) => {
    seen.push(request.headers.authorization)
    response.writeHead(answer.status).end(answer.body)
  }).listen(0, '127.0.0.1')
  t.teardown(() => upstream.close())
  await until(() => upstream.listening)
  const silent = createServer(() => {}).listen(0, '127.0.0.1')
  t.teardown(() => {
    silent.closeAllConnections()
    silent.close()
  })
  await until(() => silent.listening)
  const waiting = await serveLimits(t, {
    SVC_SHARED_MODE: 'true',
    SVC_KEY_REGISTRY: `http://127.0.0.1:${(silent.address() as AddressInfo).port}/keys`,
  })
  t.equal(
    (await ask(waiting, '/x', withKey('svc-acme-7f3d9a'))).status,
    503,
    'a registry that does not answer holds up no start',
  )
  const server = await serveLimits(t, {
    SVC_SHARED_MODE: 'true',
    SVC_KEY_REGISTRY: `http://127.0.0.1:${(upstream.address() as AddressInfo).port}/keys`,
    SVC_KEY_REGISTRY_TOKEN: 'registry-secret',
    SVC_KEY_REGISTRY_SECS: '1',
  })
  t.strictSame(seen, ['Bearer registry-secret'])
  t.equal((await ask(server, '/x', withKey('svc-acme-7f3d9a'))).status, 200)
  answer = { status: 200, body: REGISTRY.replace('svc-acme-7f3d9a', 'svc-acme-second') }
  await until(async () => (await ask(server, '/x', withKey('svc-acme-second'))).status === 200, 'read again by itself')
  for (const bad of [
    { status: 404, body: REGISTRY },
    { status: 200, body: 'x'.repeat(5 * 1024 * 1024) },
  ]) {
    answer = bad
    await fetch(`${server.url}/_svc/reload`, { method: 'POST' })
    t.match((await keysUsage(server)).registry, {
      keys: 4,
      error: bad.status === 404 ? 'the server responded with status 404' : /larger/,
    })
  }
  t.match(await (await fetch(`${server.url}/_svc/config`)).json(), {
    shared_mode: true,
    require_key: false,
    key_registry: 'url',
    quota_store_configured: false,
  })
  t.notMatch((await (await fetch(`${server.url}/_svc/config`)).text()) + server.lines.join(''), /registry-secret/)
})

t.test('without permission to see all keys, only the presented key is shown [KEY-5]', async t => {
  const registry = fileOf(t, REGISTRY)
  const guarded = await serveLimits(t, {
    SVC_SHARED_MODE: 'true',
    SVC_KEY_REGISTRY: registry,
    SVC_ADMIN_TOKEN: 'secret',
  })
  t.equal((await ask(guarded, '/_svc/keys/usage')).status, 401)
  t.equal((await ask(guarded, '/_svc/keys/usage', withKey('svc-no-such-key'))).status, 401)
  t.strictSame(
    (await keysUsage(guarded, withKey('svc-acme-7f3d9a'))).keys.map(({ id }) => id),
    ['acme'],
  )
  t.match(await keysUsage(guarded, withKey('svc-acme-7f3d9a'), '?id=fast'), { count: 0, keys: [] })
  t.equal((await keysUsage(guarded, { 'X-Svc-Admin-Token': 'secret' })).count, 4)
  t.match(await keysUsage(guarded, { 'X-Svc-Admin-Token': 'secret' }, '?id=nobody'), { count: 0, keys: [] })
  const open = await serveLimits(t, { SVC_SHARED_MODE: 'true', SVC_KEY_REGISTRY: registry, SVC_PUBLIC_MODE: 'true' })
  t.equal((await ask(open, '/_svc/keys/usage')).status, 403)
  t.equal((await keysUsage(open, withKey('svc-acme-7f3d9a'))).count, 1)
  const everything = await ask(guarded, '/_svc/keys/usage', { 'X-Svc-Admin-Token': 'secret' })
  t.notMatch(everything.text, /svc-acme|svc-fast/)
  const off = await serveLimits(t)
  t.match((await ask(off, '/_svc/keys/usage')).body, {
    shared_mode: false,
    registry: null,
    count: 0,
    keys: [],
    quota_store: { configured: false, up: false },
  })
})
