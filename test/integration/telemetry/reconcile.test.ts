/** Reconciliation: what a gateway reports against what arrived, for gateways that tell the truth and for others. */
import t from 'tap'
import { randomBytes, randomUUID } from 'node:crypto'
import { attributes, exportJson, requestOf, span, type Json } from '../../support/otlp-requests.ts'
import { send } from '../../support/rules.ts'
import { serve } from '../../support/server.ts'

const server = await serve(t, {
  plugins: ['telemetry', 'echo', 'status', 'ext-authz', 'llm-openai'],
  settings: { llm: { prices: [{ model: '*', input: 1, output: 2 }] } },
})

const spanId = (): string => randomBytes(8).toString('hex')

interface Passed {
  requestId: string
  traceId: string
  parent: string
  session: string
}

/** A request as a gateway forwards it, with new ids. */
async function forward(path: string, init: Json = {}, over: Partial<Passed> = {}): Promise<Passed & { json: Json }> {
  const passed: Passed = {
    requestId: randomUUID(),
    traceId: randomBytes(16).toString('hex'),
    parent: spanId(),
    session: randomUUID(),
    ...over,
  }
  const { requestId, traceId, parent, session } = passed
  const reply = await send(server, path, {
    session,
    ...init,
    headers: {
      ...(requestId === '' ? {} : { 'x-request-id': requestId }),
      traceparent: `00-${traceId}-${parent}-01`,
      ...init.headers,
    },
  })
  return { ...passed, json: reply.json as Json }
}

/** The access log of a gateway, in the present. */
function accessLog({ requestId, traceId, session }: Passed, fields: Json): Promise<unknown> {
  return log({ 'http.request.header.x-request-id': requestId, 'svc.session': session, ...fields }, traceId)
}

function log(fields: Json, traceId = ''): Promise<unknown> {
  const record = { timeUnixNano: `${BigInt(Date.now()) * 1_000_000n}`, traceId, attributes: attributes(fields) }
  return exportJson(server, 'logs', requestOf('logs', [record], { 'service.name': 'gateway' }))
}

function spans(list: Json[], session: string): Promise<unknown> {
  const now = BigInt(Date.now()) * 1_000_000n
  const times = { startTimeUnixNano: String(now), endTimeUnixNano: String(now + 5_000_000_000n) }
  return exportJson(
    server,
    'traces',
    requestOf(
      'traces',
      list.map(one => span({ ...times, ...one })),
      { 'service.name': 'gateway', 'svc.session': session },
    ),
  )
}

const reconcile = async (session: string, query = ''): Promise<Json> =>
  (await send(server, `/_svc/telemetry/reconcile?session=${session}${query}`)).json as Json

const SAME = { 'http.request.method': 'GET', 'url.path': '/status/503', status: 503 }

t.test('a report that agrees has no difference [GWT-8]', async t => {
  const passed = await forward('/status/503')
  await accessLog(passed, { ...SAME, attempts: 1, duration_ms: 60_000, route_name: 'orders' })
  const { requests, only_reported, only_arrived, summary } = await reconcile(passed.session)
  t.strictSame(summary, { matched: 1, differ: 0, only_reported: 0, only_arrived: 0 })
  t.match(requests, [
    {
      trace_id: passed.traceId,
      request_id: passed.requestId,
      method: 'GET',
      path: '/status/503',
      routes: { reported: 'orders', arrived: '/status/{code}' },
      differ: [],
    },
  ])
  t.strictSame([only_reported, only_arrived], [[], []])
  const [id] = requests[0].arrivals
  t.equal(((await send(server, `/_svc/requests/${id}`)).json as Json).request_id, passed.requestId)
  const [report] = requests[0].reports
  t.equal(((await send(server, `/_svc/telemetry/logs?request_id=${passed.requestId}`)).json as Json).logs[0].id, report)
})

t.test('every field that is not equal is listed [GWT-8]', async t => {
  const passed = await forward('/status/503')
  await accessLog(passed, {
    method: 'POST',
    path: '/elsewhere?x=1',
    status: 200,
    upstream_status: 200,
    attempts: 3,
    bytes_sent: 999_999,
  })
  const { requests, summary } = await reconcile(passed.session)
  t.equal(summary.differ, 1)
  const fields = Object.fromEntries(
    requests[0].differ.map(({ field, reported, arrived }: Json) => [field, [reported, arrived]]),
  )
  t.match(fields, {
    upstream_status: [200, 503],
    attempts: [3, 1],
    method: ['POST', 'GET'],
    path: ['/elsewhere', '/status/503'],
    bytes_sent: [999_999, Number],
  })
  t.notOk('status' in fields, 'the client may get another status than the gateway')

  const alone = await forward('/status/503')
  await accessLog(alone, { ...SAME, status: 200 })
  t.match((await reconcile(alone.session)).requests[0].differ, [{ field: 'status', reported: 200, arrived: 503 }])
})

t.test('a duration below that of the upstream differs', async t => {
  const passed = await forward('/echo', { headers: { 'X-Svc-Delay': '30' } })
  await accessLog(passed, { duration_ms: 1 })
  t.match((await reconcile(passed.session)).requests[0].differ, [{ field: 'duration_ms', reported: 1 }])
})

t.test('attempts are arrivals with the same id [GWT-8]', async t => {
  const first = await forward('/status/503')
  await forward('/status/200', {}, first)
  await accessLog(first, { method: 'GET', status: 200, attempts: 2 })
  const right = await reconcile(first.session)
  t.strictSame(right.summary, { matched: 1, differ: 0, only_reported: 0, only_arrived: 0 })
  t.equal(right.requests[0].arrivals.length, 2)
  await send(server, `DELETE /_svc/telemetry/logs?session=${first.session}`)
  await accessLog(first, { method: 'GET', status: 200, attempts: 1 })
  t.match((await reconcile(first.session)).requests[0].differ, [{ field: 'attempts', reported: 1, arrived: 2 }])
})

t.test('spans are joined by trace, and each to its attempt [GWT-8]', async t => {
  const passed = await forward('/status/503', {}, { requestId: '' })
  const second = await forward('/status/200', {}, { ...passed, parent: spanId() })
  const http = { 'http.request.method': 'GET', 'url.path': '/status/503' }
  const server_ = {
    traceId: passed.traceId,
    spanId: spanId(),
    kind: 2,
    attributes: attributes({ ...http, 'http.response.status_code': 200 }),
  }
  const attempt = (parent: string, status: number): Json => ({
    traceId: passed.traceId,
    spanId: parent,
    kind: 3,
    attributes: attributes({ ...http, 'http.response.status_code': status }),
  })
  const check = {
    traceId: passed.traceId,
    spanId: spanId(),
    kind: 3,
    attributes: attributes({ 'rpc.system': 'grpc', 'url.path': '/envoy' }),
  }
  const internal = { traceId: passed.traceId, spanId: spanId(), kind: 1 }
  await spans([server_, attempt(passed.parent, 503), attempt(second.parent, 200), check, internal], passed.session)
  const { requests, summary } = await reconcile(passed.session)
  t.strictSame(summary, { matched: 1, differ: 0, only_reported: 0, only_arrived: 0 })
  t.equal(requests[0].reports.length, 3, 'calls of other services, and internal spans, do not count')

  const lying = await forward('/status/503', {}, { requestId: '' })
  await spans(
    [
      {
        traceId: lying.traceId,
        spanId: lying.parent,
        kind: 3,
        attributes: attributes({ ...http, 'http.status_code': 200 }),
      },
    ],
    lying.session,
  )
  t.match((await reconcile(lying.session)).requests[0].differ, [
    { field: 'upstream_status', reported: 200, arrived: 503 },
  ])
})

t.test('spans of attempts follow the span that has the request id, in traces that requests do not carry', async t => {
  const session = randomUUID()
  const requestId = randomUUID()
  for (let attempt = 0; attempt < 2; attempt++)
    await send(server, '/status/503', { session, headers: { 'x-request-id': requestId } })
  const http = { 'http.method': 'GET', 'http.url': 'http://shop.test/status/503', 'http.status_code': '503' }
  const traceId = randomBytes(16).toString('hex')
  const attempts = [0, 1].map(() => ({ traceId, spanId: spanId(), kind: 3, attributes: attributes(http) }))
  const access = {
    traceId,
    spanId: spanId(),
    kind: 2,
    attributes: attributes({ ...http, 'guid:x-request-id': requestId }),
  }
  await spans([...attempts, access], session)
  const { requests, summary } = await reconcile(session)
  t.strictSame(summary, { matched: 1, differ: 0, only_reported: 0, only_arrived: 0 })
  t.equal(requests[0].reports.length, 3)

  const own = randomUUID()
  for (let attempt = 0; attempt < 2; attempt++)
    await send(server, '/status/503', { session: own, headers: { 'x-request-id': `${requestId}-2` } })
  const unspecified = [...attempts, access].map((one, index) => ({
    ...one,
    kind: 0,
    traceId: 'e'.repeat(32),
    ...(index < 2
      ? { parentSpanId: spanId() }
      : { attributes: attributes({ ...http, 'guid:x-request-id': `${requestId}-2` }) }),
  }))
  const now = `${BigInt(Date.now()) * 1_000_000n}`
  const times = { startTimeUnixNano: now, endTimeUnixNano: `${BigInt(now) + 5_000_000_000n}` }
  await exportJson(
    server,
    'traces',
    requestOf(
      'traces',
      unspecified.map(one => span({ ...times, ...one })),
    ),
  )
  const other = await reconcile(own)
  t.strictSame(other.summary, { matched: 1, differ: 0, only_reported: 0, only_arrived: 0 })
  t.equal(other.requests[0].reports.length, 3, 'spans without a request id have the session of their trace')
})

t.test('requests of one trace with ids of their own stay apart', async t => {
  const first = await forward('/status/200')
  const second = await forward('/status/503', {}, { ...first, requestId: randomUUID(), parent: spanId() })
  const server_ = (path: string, status: number): Json => ({
    traceId: first.traceId,
    spanId: spanId(),
    kind: 2,
    attributes: attributes({ 'http.request.method': 'GET', 'url.path': path, 'http.response.status_code': status }),
  })
  await spans([server_('/status/503', 503), server_('/status/200', 200)], first.session)
  const { requests, summary } = await reconcile(second.session)
  t.strictSame(summary, { matched: 2, differ: 0, only_reported: 0, only_arrived: 0 })
  t.strictSame(requests.map(({ path, differ }: Json) => [path, differ]).sort(), [
    ['/status/200', []],
    ['/status/503', []],
  ])
})

t.test('a gateway that drops, doubles or renumbers is found out [GWT-8]', async t => {
  const dropped = await forward('/echo')
  const drops = await reconcile(dropped.session)
  t.match(drops.only_arrived, [{ request_id: dropped.requestId, path: '/echo', reports: [], arrivals: [String] }])
  t.strictSame(drops.summary, { matched: 0, differ: 0, only_reported: 0, only_arrived: 1 })

  const doubled = await forward('/status/503')
  await accessLog(doubled, SAME)
  await accessLog(doubled, SAME)
  t.match((await reconcile(doubled.session)).requests[0].differ, [{ field: 'reports', reported: 2, arrived: 1 }])

  const renumbered = await forward('/status/503')
  await log({ ...SAME, request_id: 'another', 'svc.session': renumbered.session })
  t.match(await reconcile(renumbered.session), {
    requests: [],
    only_reported: [{ request_id: 'another', method: 'GET', path: '/status/503', arrivals: [] }],
    only_arrived: [{ request_id: renumbered.requestId }],
    summary: { matched: 0, differ: 0, only_reported: 1, only_arrived: 1 },
  })
})

t.test('what the gateway refused needs no arrival [GWT-8]', async t => {
  const session = randomUUID()
  const refused = { method: 'GET', path: '/x', 'svc.session': session }
  await log({ ...refused, request_id: randomUUID(), status: 429, response_flags: 'RL' })
  await log({ ...refused, request_id: randomUUID(), status: 404 })
  await log({ ...refused, request_id: randomUUID(), status: 503, response_flags: 'UAEX' })
  await log({ ...refused, request_id: randomUUID(), status: 404, upstream_status: 404 })
  await log({ ...refused, request_id: randomUUID(), status: 503, response_flags: 'UF' })
  t.strictSame((await reconcile(session)).summary, { matched: 3, differ: 0, only_reported: 2, only_arrived: 0 })
})

t.test('decisions of services are compared with what the gateway did [GWT-8]', async t => {
  const ask = (policy: string, { requestId, session }: { requestId: string; session: string }): Promise<unknown> =>
    send(server, `/ext-authz/${policy}`, {
      session,
      headers: { 'X-Forwarded-Method': 'GET', 'X-Forwarded-Uri': '/status/503', 'x-request-id': requestId },
    })
  const ids = { requestId: randomUUID(), session: randomUUID() }
  await ask('deny', ids)
  const denied = await forward('/status/503', {}, ids)
  await accessLog(denied, SAME)
  t.match((await reconcile(ids.session)).requests[0].differ, [
    { field: 'decision', reported: 'forwarded', arrived: 'authz deny' },
  ])

  const other = { requestId: randomUUID(), session: randomUUID() }
  await ask('allow', other)
  await accessLog(await forward('/status/503', {}, other), SAME)
  t.strictSame((await reconcile(other.session)).requests[0].differ, [])

  const flagged = { requestId: randomUUID(), session: randomUUID() }
  await ask('allow', flagged)
  await accessLog(await forward('/status/503', {}, flagged), { ...SAME, response_flags: 'UAEX' })
  t.match((await reconcile(flagged.session)).requests[0].differ, [
    { field: 'decision', reported: 'UAEX', arrived: 'authz allow' },
  ])
})

t.test('tokens, models and costs are compared with the ledger [GWT-9]', async t => {
  const chat = (): Promise<Passed & { json: Json }> =>
    forward('POST /ai/openai/v1/chat/completions', {
      headers: { authorization: 'Bearer x' },
      body: { model: 'gpt-4o', messages: [{ role: 'user', content: 'hello there' }] },
    })
  const right = await chat()
  const { model, usage } = right.json
  const cost = (usage.prompt_tokens + 2 * usage.completion_tokens) / 1e6
  const said = {
    'gen_ai.response.model': model,
    'gen_ai.usage.input_tokens': usage.prompt_tokens,
    'gen_ai.usage.output_tokens': usage.completion_tokens,
    'gen_ai.usage.cost': cost,
  }
  await spans([{ traceId: right.traceId, spanId: spanId(), kind: 3, attributes: attributes(said) }], right.session)
  const agreed = await reconcile(right.session)
  t.strictSame(agreed.summary, { matched: 1, differ: 0, only_reported: 0, only_arrived: 0 })
  const wrong = await chat()
  await accessLog(wrong, {
    'gen_ai.request.model': 'another',
    'gen_ai.usage.prompt_tokens': 1,
    'gen_ai.usage.completion_tokens': usage.completion_tokens + 1,
    'gen_ai.usage.cost': cost + 1,
  })
  t.match((await reconcile(wrong.session)).requests[0].differ, [
    { field: 'model', reported: 'another', arrived: 'gpt-4o' },
    { field: 'input_tokens', reported: 1, arrived: usage.prompt_tokens },
    { field: 'output_tokens', reported: usage.completion_tokens + 1, arrived: usage.completion_tokens },
    { field: 'cost', reported: cost + 1, arrived: cost },
  ])
})

t.test('verifications count what the comparison says', async t => {
  const session = randomUUID()
  const verify = async (reconciled: Json, more: Json = { exactly: 1 }): Promise<Json> =>
    (await send(server, `POST /_svc/verify?session=${session}`, {
      body: { telemetry: { reconciled }, ...more },
    })) as Json
  const call = {
    headers: { authorization: 'Bearer x' },
    body: { model: 'gpt-4o', messages: [{ role: 'user', content: 'hi' }] },
  }
  const chat = () => forward('POST /ai/openai/v1/chat/completions', call, { session })
  const usage = (input: number) => ({ 'http.request.method': 'POST', 'gen_ai.usage.input_tokens': input })
  const right = await chat()
  const { prompt_tokens: prompt, completion_tokens: completion } = right.json.usage
  await accessLog(right, { ...usage(prompt), 'gen_ai.usage.output_tokens': completion })
  await accessLog(await chat(), usage(prompt + 1))
  await accessLog(await chat(), { 'http.request.method': 'POST' })
  await forward('/echo', {}, { session })
  for (const [filters, count] of [
    [{}, 4],
    [{ result: 'same' }, 2],
    [{ result: 'same', tokens: 'same' }, 1],
    [{ tokens: 'differ' }, 1],
    [{ tokens: 'unreported' }, 1],
    [{ result: 'differ', field: 'input_tokens' }, 1],
    [{ field: 'status' }, 0],
    [{ result: 'only_arrived', method: 'GET', path: '/echo' }, 1],
    [{ result: 'only_reported' }, 0],
  ] as const)
    t.match(
      await verify(filters, { exactly: count }),
      { status: 200, json: { verified: true, count } },
      JSON.stringify(filters),
    )
  const { requests } = await reconcile(session)
  const tokens = requests.find((one: Json) => one.request_id === right.requestId).tokens
  t.strictSame(tokens, { reported: prompt + completion, counted: prompt + completion })
  const later = chat()
  const waited = verify({ tokens: 'same' }, { exactly: 2, within_ms: 20_000, settle_ms: 0 })
  await accessLog(await later, { ...usage(prompt), 'gen_ai.usage.output_tokens': completion })
  t.match(await waited, { status: 200, json: { verified: true } })
  for (const [filters, at] of [
    [{ result: 'equal' }, 'telemetry.reconciled.result'],
    [{ tokens: 'none' }, 'telemetry.reconciled.tokens'],
    [{ pat: '/echo' }, 'telemetry.reconciled.pat'],
    [{ path: ['/echo'] }, 'telemetry.reconciled.path'],
  ] as const)
    t.match(await verify(filters), { status: 400, json: { error: 'invalid_verification', at } })
  t.match(await verify({}, { since: randomUUID() }), { status: 400 })
})

t.test('the window, limits, and wrong parameters', async t => {
  const session = randomUUID()
  for (let count = 0; count < 3; count++) await forward('/echo', {}, { session })
  const limited = await reconcile(session, '&limit=2')
  t.equal(limited.only_arrived.length, 2)
  t.equal(limited.summary.only_arrived, 3)
  const past = await reconcile(session, '&since=2999-01-01T00:00:00Z')
  t.equal(past.summary.only_arrived, 0)
  for (const [query, parameter] of [
    ['window_s=0', 'window_s'],
    ['window=5', 'window'],
    ['since=now', 'since'],
    [`since=${randomUUID()}`, 'since'],
    ['limit=x', 'limit'],
  ]) {
    const reply = await send(server, `/_svc/telemetry/reconcile?${query}`)
    t.equal(reply.status, 400)
    t.match(reply.json, { error: 'invalid_filter', parameter })
  }
})

t.test('calls of the sinks, and of services, do not count as arrivals', async t => {
  const session = randomUUID()
  await exportJson(server, 'logs', {}, { 'x-svc-session': session })
  await send(server, '/ext-authz/allow', { session })
  t.strictSame((await reconcile(session)).summary, { matched: 0, differ: 0, only_reported: 0, only_arrived: 0 })
})
