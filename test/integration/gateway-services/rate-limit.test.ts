/** The rate-limit service over HTTP: limits, faults, rules, and what is stored. */
import t, { type Test } from 'tap'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { putRule, send, type Reply } from '../../support/rules.ts'
import { serve, type TestServer } from '../../support/server.ts'

type Json = Record<string, any>
type Pairs = Record<string, string>

const perDay = (requests_per_unit: number, more = {}): Json => ({ unit: 'day', requests_per_unit, ...more })
const SHOP = {
  domain: 'shop',
  descriptors: [
    { key: 'tenant', rate_limit: perDay(2) },
    { key: 'free', rate_limit: { unlimited: true } },
    { key: 'shadow', shadow_mode: true, rate_limit: perDay(1) },
    { key: 'q1', quota_mode: true, rate_limit: perDay(1) },
    { key: 'q2', quota_mode: true, rate_limit: perDay(2) },
    { key: 'all', rate_limit: perDay(10, { name: 'all' }) },
    { key: 'gold', rate_limit: perDay(5, { name: 'gold', replaces: [{ name: 'all' }] }) },
    { key: 'path', value: '/orders', rate_limit: perDay(1) },
  ],
}
const server = await serve(t, {
  plugins: ['rate-limit', 'ext-authz', 'echo'],
  settings: { rate_limit: { domains: [SHOP] } },
})

const entries = (pairs: Pairs): Json => ({ entries: Object.entries(pairs).map(([key, value]) => ({ key, value })) })

interface Asked {
  on?: TestServer
  domain?: string
  hitsAddend?: number
  session?: string
}

function ask(descriptors: Json[], { on = server, domain = 'shop', hitsAddend, session }: Asked = {}): Promise<Reply> {
  return send(on, 'POST /rate-limit/json', {
    body: { domain, descriptors, ...(hitsAddend === undefined ? {} : { hitsAddend }) },
    headers: session === undefined ? {} : { 'X-Svc-Session': session },
  })
}

const statuses = ({ json }: Reply): Json[] => (json as Json).statuses

t.beforeEach(() => send(server, 'POST /_svc/reset?scope=instance', { body: { kinds: ['rate_limits'] } }))

t.test('a limit counts each value on its own, and is over when the count exceeds it [GWS-7]', async t => {
  const first = await ask([entries({ tenant: 'a' })])
  t.equal(first.status, 200)
  const { overallCode, statuses: all, responseHeadersToAdd } = first.json as Json
  t.equal(overallCode, 'OK')
  t.match(all, [{ code: 'OK', currentLimit: { requestsPerUnit: 2, unit: 'DAY' }, limitRemaining: 1 }])
  const reset = Number(/^(\d+)s$/.exec(all[0].durationUntilReset)![1])
  t.ok(reset >= 1 && reset <= 86_400)
  t.match(responseHeadersToAdd, [
    { key: 'RateLimit-Limit', value: '2' },
    { key: 'RateLimit-Remaining', value: '1' },
    { key: 'RateLimit-Reset', value: /^\d+$/ },
  ])
  t.equal((await ask([entries({ tenant: 'a' })])).status, 200)
  const over = await ask([entries({ tenant: 'a' })])
  t.equal(over.status, 429)
  t.match(over.json, { overallCode: 'OVER_LIMIT', statuses: [{ code: 'OVER_LIMIT', currentLimit: { unit: 'DAY' } }] })
  t.notOk('limitRemaining' in statuses(over)[0]!, 'the default is left out')
  t.equal((await ask([entries({ tenant: 'b' })])).status, 200)
})

t.test('hits: of the descriptor, else of the call; 0 only looks [GWS-7]', async t => {
  const two = await ask([entries({ tenant: 'a' })], { hitsAddend: 2 })
  t.match(two.json, { overallCode: 'OK' })
  t.match(statuses(await ask([{ ...entries({ tenant: 'a' }), hitsAddend: '0' }])), [{ code: 'OK' }])
  t.equal((await ask([{ ...entries({ tenant: 'a' }), hits_addend: 1 }], { hitsAddend: 0 })).status, 429)
  t.equal((await ask([{ ...entries({ tenant: 'b' }), hitsAddend: 3 }])).status, 429)
  t.equal((await ask([{ ...entries({ tenant: 'b' }), hitsAddend: 0 }])).status, 429, 'what was over is added')
})

t.test('unlimited, shadow, quota, replaces, override, and what no limit matches [GWS-7]', async t => {
  t.strictSame(statuses(await ask([entries({ free: 'x' }), entries({ other: 'x' })])), [
    { code: 'OK', limitRemaining: 4_294_967_295 },
    { code: 'OK' },
  ])
  await ask([entries({ shadow: 'x' })])
  const shadow = await ask([entries({ shadow: 'x' })])
  t.match(shadow.json, { overallCode: 'OK', statuses: [{ code: 'OK', currentLimit: { requestsPerUnit: 1 } }] })
  t.notOk('limitRemaining' in statuses(shadow)[0]!)
  const quotas = [entries({ q1: 'x' }), entries({ q2: 'x' })]
  await ask(quotas)
  const second = await ask(quotas)
  t.equal(second.status, 200, 'one quota is left')
  t.match(statuses(second), [{ code: 'OVER_LIMIT' }, { code: 'OK' }])
  t.equal((await ask(quotas)).status, 429, 'no quota is left')
  t.equal((await ask([entries({ q1: 'x' })])).status, 429, 'the only quota is over')
  const replaced = statuses(await ask([entries({ all: 'x' }), entries({ gold: 'x' })]))
  t.strictSame(replaced[0], { code: 'OK' })
  t.match(replaced[1], { currentLimit: { requestsPerUnit: 5, name: 'gold' }, limitRemaining: 4 })
  t.match(statuses(await ask([entries({ all: 'x' })])), [{ currentLimit: { name: 'all' }, limitRemaining: 9 }])
  const override = { ...entries({ tenant: 'o' }), limit: { requestsPerUnit: 1, unit: 'HOUR' } }
  t.match(statuses(await ask([override])), [{ currentLimit: { requestsPerUnit: 1, unit: 'HOUR' } }])
  t.equal((await ask([{ ...override, limit: { requests_per_unit: 1, unit: 3 } }])).status, 429)
  t.strictSame(statuses(await ask([override], { domain: 'unknown' })), [{ code: 'OK' }])
})

t.test('the headers are of the descriptor with the fewest left; one over its limit wins', async t => {
  const limitOf = ({ json }: Reply): string => (json as Json).responseHeadersToAdd[0].value
  t.equal(limitOf(await ask([entries({ all: 'h' }), entries({ tenant: 'h' })])), '2')
  await ask([entries({ tenant: 'i' })], { hitsAddend: 3 })
  await ask([entries({ shadow: 'i' })], { hitsAddend: 2 })
  t.equal(limitOf(await ask([entries({ shadow: 'i' }), entries({ tenant: 'i' })])), '2')
  const without = await serve(t, {
    plugins: ['rate-limit'],
    settings: { rate_limit: { domains: [SHOP], headers: false } },
  })
  const reply = await ask([entries({ tenant: 'a' })], { on: without })
  t.notOk('responseHeadersToAdd' in (reply.json as Json))
})

t.test('without configuration, the entry svc_limit is the limit [GWS-7]', async t => {
  const own = (limit: string): Promise<Reply> => ask([entries({ user: 'a', svc_limit: limit })], { domain: 'demo' })
  t.match(statuses(await own('1/3600s')), [{ currentLimit: { requestsPerUnit: 1, unit: 'HOUR' } }])
  t.equal((await own('1/3600s')).status, 429)
  const odd = statuses(await own('5/7000s'))[0]!
  t.strictSame(odd.currentLimit, { requestsPerUnit: 5 }, 'no unit has this length')
  t.equal((await own('0/60s')).status, 429)
  for (const wrong of ['5', '5/0s', '5/86401s', '1000001/1s', '-1/1s'])
    t.match(await own(wrong), { status: 400, json: { details: /svc_limit: .* is not <0-1000000>\/<1-86400>s/ } })
  t.strictSame(
    statuses(await ask([entries({ svc_limit: '0/60s' })])),
    [{ code: 'OK' }],
    'a configured domain has no such entry',
  )
})

t.test('what cannot be read is refused [GWS-9]', async t => {
  const raw = (body: unknown): Promise<Reply> => send(server, 'POST /rate-limit/json', { body })
  const many = Array.from({ length: 101 }, () => entries({ a: 'b' }))
  const deep = { entries: Array.from({ length: 51 }, () => ({ key: 'a', value: 'b' })) }
  for (const [body, details] of [
    [{}, /^rate limit domain must not be empty$/],
    [{ domain: 'd' }, /^rate limit descriptor list must not be empty$/],
    [{ domain: 'd', descriptors: [{}] }, /descriptors\[0\] has no entries/],
    [{ domain: 'd', descriptors: [entries({ '': 'x' })] }, /empty key/],
    [{ domain: 'd', descriptors: many }, /at most 100/],
    [{ domain: 'd', descriptors: [deep] }, /at most 50/],
    [{ domain: 'd'.repeat(1001), descriptors: [entries({ a: 'b' })] }, /the domain has more than/],
    [{ domain: 7 }, /^domain: expected a text/],
    [{ domain: 'd', descriptor: [] }, /^descriptor: unknown member "descriptor" \(did you mean "descriptors"\?\)/],
    [{ domain: 'd', descriptors: [{ entries: 'x' }] }, /^descriptors\[0\]\.entries: expected a list/],
    [{ domain: 'd', descriptors: [{ ...entries({ a: 'b' }), limit: { unit: 'X' } }] }, /limit\.unit: expected one of/],
    [{ domain: 'd', descriptors: [{ ...entries({ a: 'b' }), hitsAddend: -1 }] }, /hitsAddend: expected a whole/],
  ] as const)
    t.match(await raw(body), { status: 400, json: { error: 'invalid_rate_limit_request', details } })
  t.match(await raw('['), { status: 400, json: { details: 'expected a JSON object' } })
  t.match(await send(server, '/rate-limit/healthcheck'), { status: 200, text: 'OK' })
})

t.test('the entry svc asks for a fault, and is not counted [GWS-10]', async t => {
  const faulty = (value: string): Promise<Reply> => ask([entries({ tenant: 'f' }), entries({ svc: value })])
  t.match(await faulty('over'), { status: 429, json: { statuses: [{ code: 'OVER_LIMIT' }, { code: 'OVER_LIMIT' }] } })
  t.match(await faulty('ok'), { status: 200, json: { overallCode: 'OK' } })
  t.equal((await faulty('unknown')).status, 500)
  t.match(await faulty('error'), { status: 503, json: { error: 'service_failed' } })
  t.match(await faulty('ovr'), { status: 400, json: { header: 'X-Svc-Ratelimit', details: /ok, over, unknown/ } })
  t.match(statuses(await faulty('slow:1')), [{ limitRemaining: 1 }, { code: 'OK' }], 'nothing was counted before')
  const joined = await ask([entries({ tenant: 'f', svc: 'slow:0' })])
  t.match(statuses(joined), [{ currentLimit: { requestsPerUnit: 2 } }], 'in one descriptor with others')
  const strict = await serve(t, {
    plugins: ['rate-limit'],
    settings: { rate_limit: { domains: [SHOP] }, services: { by_header: false } },
  })
  t.equal((await ask([entries({ tenant: 'f', svc: 'over' })], { on: strict })).status, 200)
})

t.test('rules decide, by domain and descriptor [GWS-10]', async t => {
  t.teardown(() => send(server, 'DELETE /_svc/rules'))
  const rule = (then: unknown, match: Json = {}): Promise<unknown> =>
    putRule(server, 'r', {
      match: { service: { name: 'ratelimit', domain: 'shop', descriptor: 'tenant=r', ...match } },
      then,
    })
  await rule({
    decide: {
      code: 'over',
      headers: { 'X-Rule': '{{request.method}} {{request.path}}' },
      request_headers: { 'X-To': 'upstream' },
      metadata: { tier: 'gold' },
      raw_body: 'slow down',
    },
  })
  const asked = [entries({ tenant: 'r', path: '/a/b', method: 'PUT' })]
  const { status, json } = await ask(asked)
  t.equal(status, 429)
  t.match(json, {
    overallCode: 'OVER_LIMIT',
    statuses: [{ code: 'OVER_LIMIT' }],
    responseHeadersToAdd: [{ key: 'X-Rule', value: 'PUT /a/b' }],
    requestHeadersToAdd: [{ key: 'X-To', value: 'upstream' }],
    rawBody: Buffer.from('slow down').toString('base64'),
    dynamicMetadata: { tier: 'gold' },
  })
  t.equal((await ask([entries({ tenant: 'other' })])).status, 200)
  t.equal((await ask(asked, { domain: 'other' })).status, 200)
  await rule([{ fail: 503, retry_after: 3, times: 1 }, { pass: true }])
  const failed = await ask(asked)
  t.equal(failed.status, 503)
  t.equal(failed.headers.get('retry-after'), '3')
  t.equal((await ask(asked)).status, 200, 'the step pass')
  for (const [decide, at] of [
    [{ code: 'maybe' }, /code/],
    [{ allow: true, code: 'ok' }, /allow|code/],
    [{ code: 'ok', headers: { host: 'x' } }, /host/],
    [{ code: 'ok', metadata: 1 }, /metadata/],
    [{ code: 'ok', raw_body: '{{request.nope}}' }, /raw_body/],
  ] as const) {
    const refused = await send(server, 'PUT /_svc/rules/wrong', {
      body: { match: { service: { name: 'ratelimit' } }, then: { decide } },
    })
    t.equal(refused.status, 400, JSON.stringify(decide))
    t.match(refused.text, at)
  }
})

t.test('calls are recorded, and joined with what arrived [GWS-11]', async t => {
  await send(server, 'POST /rate-limit/json', {
    body: {
      domain: 'shop',
      descriptors: [
        entries({
          tenant: 't1',
          path: '/echo/rl',
          method: 'GET',
          authority: 'shop.test',
          remote_address: '203.0.113.9',
        }),
      ],
    },
    headers: { 'X-Request-Id': 'rl-1' },
  })
  await send(server, '/echo/rl', { headers: { 'X-Request-Id': 'rl-1' } })
  const { json } = await send(server, '/_svc/requests?service=ratelimit&limit=1')
  const { service } = (json as Json).requests[0]
  t.match(service, {
    name: 'ratelimit',
    policy: null,
    decision: 'ok',
    by: 'policy',
    checked: { method: 'GET', path: '/echo/rl', host: 'shop.test', client_ip: '203.0.113.9' },
  })
  t.type(service.arrival, 'string')
  await ask([entries({ tenant: 't2' })], { hitsAddend: 2 })
  t.match((await send(server, '/_svc/requests?service=ratelimit&limit=1')).json, {
    requests: [{ service: { reason: '0 of 2/day left (near the limit): tenant' } }],
  })
  await ask([entries({ tenant: 't2' })])
  t.match((await send(server, '/_svc/requests?service=ratelimit&decision=over&limit=1')).json, {
    requests: [{ service: { reason: 'over 2/day: tenant' } }],
  })
  const verify = (service: Json): Promise<Reply> =>
    send(server, 'POST /_svc/verify?scope=instance', { body: { match: { service }, exactly: 1 } })
  t.equal((await verify({ domain: 'shop', descriptor: 'tenant=t1' })).status, 200)
  t.equal((await verify({ domain: 'shop', descriptor: 'tenant=t3' })).status, 409)
  t.match((await send(server, '/_svc/services')).json, {
    services: [{ name: 'authz' }, { name: 'ratelimit', http: '/rate-limit/json' }],
  })
  t.match(
    (await send(server, '/_svc/metrics')).text,
    /svc_service_calls_total\{service="ratelimit",decision="over"\} \d/,
  )
})

t.test('sessions count on their own, and a path has no prefix of one [GWS-7]', async t => {
  for (const session of ['one', 'two']) t.equal((await ask([entries({ path: '/orders' })], { session })).status, 200)
  const prefixed = (name: string): Promise<Reply> => ask([entries({ path: `/s/${name}/orders` })])
  t.equal((await prefixed('one')).status, 429)
  t.equal((await prefixed('three')).status, 200)
  await send(server, 'POST /_svc/reset', { body: { kinds: ['rate_limits'] }, headers: { 'X-Svc-Session': 'one' } })
  t.equal((await prefixed('one')).status, 200)
  t.equal((await prefixed('three')).status, 429)
})

t.test('domains are stored over HTTP, for the instance or a session [GWS-8]', async t => {
  const limits = (requests: number): Json => ({ descriptors: [{ key: 'k', rate_limit: perDay(requests) }] })
  const put = (name: string, body: unknown, headers: Pairs = {}): Promise<Reply> =>
    send(server, `PUT /_svc/rate-limits/${name}`, { body, headers })
  const mine = { 'X-Svc-Session': 'mine' }
  t.match(await put('api', limits(1)), { status: 201, json: { domain: 'api', source: 'api', session: null } })
  t.equal((await put('api', limits(2))).status, 200)
  t.equal((await put('api', { domain: 'api', ...limits(3) }, mine)).status, 201)
  const left = async (session?: string): Promise<number> =>
    statuses(await ask([entries({ k: 'v' })], { domain: 'api', ...(session === undefined ? {} : { session }) }))[0]!
      .limitRemaining ?? 0
  t.equal(await left(), 1)
  t.equal(await left('mine'), 2)
  t.equal(await left('yours'), 1)
  const shown = (await send(server, '/_svc/rate-limits', { headers: mine })).json as Json
  t.match(
    shown.domains.map(({ domain, source, session }: Json) => [domain, source, session]),
    [
      ['api', 'api', null],
      ['api', 'api', 'mine'],
      ['shop', 'settings', null],
    ],
  )
  t.match(shown.domains[0].limits, [{ entries: [{ key: 'k' }], requests_per_unit: 2, unit: 'day' }])
  t.match(
    shown.counters.find(({ session }: Json) => session === 'mine'),
    { domain: 'api', entries: [{ key: 'k', value: 'v' }], limit: 3, count: 1, resets_at: /^\d{4}-.*Z$/ },
  )
  for (const [body, at, details] of [
    [{ descriptors: [{ key: 'k', rate_limit: { unit: 'x' } }] }, 'descriptors[0].rate_limit.unit', /expected one of/],
    [{ domain: 'other', descriptors: [] }, 'domain', /name in the path/],
    ['nope', '', /JSON object/],
    [`{"descriptors":[],"x":"${'x'.repeat(65_536)}"}`, '', /at most 65536 bytes/],
    ['['.repeat(200), '', /levels deep/],
  ] as const)
    t.match(await put('bad', body), { status: 400, json: { error: 'invalid_rate_limit', at, details } })
  t.match(await put('%00', limits(1)), { status: 400, json: { error: 'invalid_rate_limit', at: 'domain' } })
  t.equal((await put('shop', { descriptors: [] })).status, 201, 'it applies in place of the settings')
  t.strictSame(statuses(await ask([entries({ tenant: 'a' })])), [{ code: 'OK' }])
  t.equal((await send(server, 'DELETE /_svc/rate-limits/shop')).status, 204)
  t.match(statuses(await ask([entries({ tenant: 'a' })])), [{ limitRemaining: 1 }])
  t.equal((await send(server, 'DELETE /_svc/rate-limits/shop')).status, 404)
  t.equal((await send(server, 'DELETE /_svc/rate-limits/api', { headers: mine })).status, 204)
  t.equal(await left('mine'), 0, 'that of the instance again, with the counters of the session')
  await send(server, 'DELETE /_svc/rate-limits/api')
})

t.test(
  'an admin token protects the domains of the instance, and public mode shows only those of the session [GWS-8, GWS-10]',
  async t => {
    const env = { SVC_ADMIN_TOKEN: 'admin-token-0123456789' }
    const guarded = await serve(t, { plugins: ['rate-limit'], env })
    const put = (on: TestServer, name: string, headers: Pairs = {}): Promise<Reply> =>
      send(on, `PUT /_svc/rate-limits/${name}`, { body: { descriptors: [] }, headers })
    t.equal((await put(guarded, 'a')).status, 401)
    t.equal((await put(guarded, 'a', { 'X-Svc-Session': 's' })).status, 201)
    await ask([entries({ token: env.SVC_ADMIN_TOKEN, svc_limit: '5/60s' })], { on: guarded, domain: 'demo' })
    const counters = await send(guarded, '/_svc/rate-limits', { headers: { 'X-Svc-Admin-Token': env.SVC_ADMIN_TOKEN } })
    t.match(counters.json, { counters: [{ domain: 'demo', count: 1, limit: null }] })
    t.notMatch(counters.text, env.SVC_ADMIN_TOKEN, 'credentials of the control plane are not shown')
    const open = await serve(t, {
      plugins: ['rate-limit'],
      settings: { rate_limit: { domains: [SHOP] } },
      env: { SVC_PUBLIC_MODE: 'true' },
    })
    const [mine, yours] = [{ 'X-Svc-Session': 'mine' }, { 'X-Svc-Session': 'yours' }]
    t.equal((await put(open, 'a')).status, 403)
    for (const name of ['a', 'b']) t.equal((await put(open, name, mine)).status, 201)
    t.match(await put(open, 'c', mine), { status: 429, json: { error: 'too_many_rate_limits' } })
    t.equal((await put(open, 'a', mine)).status, 200)
    // As long as a delay may take there.
    const hanging = ask([entries({ svc: 'hang' })], { on: open })
    for (const session of ['mine', 'yours']) await ask([entries({ tenant: 'a' })], { on: open, session })
    const shown = (await send(open, '/_svc/rate-limits', { headers: yours })).json as Json
    t.strictSame(shown.domains, [])
    t.match(shown.counters, [{ session: 'yours', count: 1 }])
    t.equal(shown.counters.length, 1)
    t.match(await hanging, { status: 503, json: { details: 'no answer in time' } })
  },
)

t.test('files: one domain each, watched, and left out with a report if wrong [GWS-8]', async t => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-rate-limit-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  mkdirSync(join(folder, 'more'))
  const write = (name: string, text: string): void => writeFileSync(join(folder, name), text)
  const good = (requests: number): string =>
    `domain: files\ndescriptors:\n  - key: k\n    rate_limit:\n      unit: Day\n      requests_per_unit: ${requests}\n`
  write('a.yaml', good(5))
  write('more/b.yml', 'domain: bad\ndescriptors:\n  - key: k\n    rate_limit:\n      unit: fortnight\n')
  write('more/c.yaml', good(7))
  write('more/d.yaml', 'domain: [')
  const files = await serve(t, { plugins: ['rate-limit'], settings: { rate_limit: { files: [folder] } } })
  const problems = files.problems().toSorted((a, b) => (a.file! < b.file! ? -1 : 1))
  t.match(problems, [
    { file: join(folder, 'more/b.yml'), at: 'descriptors[0].rate_limit.unit', line: 5, message: /expected one of/ },
    { file: join(folder, 'more/c.yaml'), at: 'domain', line: 1, message: /"files" is there twice/ },
    { file: join(folder, 'more/d.yaml'), message: /not valid YAML/ },
  ])
  const left = async (test: Test, expected: number): Promise<unknown> =>
    test.match(statuses(await ask([entries({ k: 'v' })], { on: files, domain: 'files' })), [
      { limitRemaining: expected },
    ])
  await left(t, 4)
  write('a.yaml', good(50))
  await files.reload()
  await left(t, 48)
  t.match((await send(files, '/_svc/rate-limits')).json, {
    domains: [{ domain: 'files', source: 'file', file: /a\.yaml$/ }],
  })
})
