/** Subscriptions as event streams. */
import t from 'tap'
import { PacedSequence } from '../../../plugins/graphql/paced-sequence.ts'
import { sendResponse } from '../../../plugins/graphql/routes/response.ts'
import { createSchema } from '../../../plugins/graphql/schema.ts'
import { DEFAULT_LIMITS } from '../../../plugins/graphql/query-cost.ts'
import { ENDPOINT, createYogaServer } from '../../../plugins/graphql/yoga/server.ts'
import { until } from '../../support/until.ts'
import { serve } from '../../support/server.ts'

const headers = { 'content-type': 'application/json', accept: 'text/event-stream' }
const post = (url: string, body: object, extra = {}) =>
  fetch(`${url}/graphql`, { method: 'POST', headers: { ...headers, ...extra }, body: JSON.stringify(body) })

/** All events of a stream, as pairs of name and parsed data. */
function parseEvents(text: string): [event: string, data: unknown][] {
  return text
    .split('\n\n')
    .filter(block => block.startsWith('event:'))
    .map(block => {
      const data = /^data: (.*)$/m.exec(block)?.[1] ?? ''
      return [/^event: (.*)$/m.exec(block)![1]!, data === '' ? null : (JSON.parse(data) as unknown)]
    })
}

const { url } = await serve(t)

t.test('a subscription sends next events and completes, by POST and GET [GQL-20]', async t => {
  const query = 'subscription { ticker(count: 3, intervalMs: 50) { sequence } }'
  const expected = [...[0, 1, 2].map(sequence => ['next', { data: { ticker: { sequence } } }]), ['complete', null]]
  for (const response of [
    await post(url, { query }),
    await fetch(`${url}/graphql?query=${encodeURIComponent(query)}`, { headers }),
    await post(url, { query }, { accept: 'application/graphql-response+json, text/event-stream' }),
  ]) {
    t.equal(response.status, 200)
    t.equal(response.headers.get('content-type'), 'text/event-stream')
    t.equal(response.headers.get('cache-control'), 'no-cache')
    t.equal(response.headers.get('x-accel-buffering'), 'no')
    t.equal(response.headers.get('vary'), 'Accept')
    t.strictSame(parseEvents(await response.text()), expected)
  }
})

t.test('an operation that is not a subscription, or fails, sends one event and completes [GQL-21]', async t => {
  t.strictSame(parseEvents(await (await post(url, { query: '{ user(id: "u1") { id } }' })).text()), [
    ['next', { data: { user: { id: 'u1' } } }],
    ['complete', null],
  ])
  const bad: [body: object, code: string][] = [
    [{ query: '{' }, 'GRAPHQL_PARSE_FAILED'],
    [{ query: 'subscription { nothing }' }, 'GRAPHQL_VALIDATION_FAILED'],
    [
      { query: `subscription { ${'orderUpdates(orderId: "x") { orderId } '.repeat(260)} }` },
      'COMPLEXITY_LIMIT_EXCEEDED',
    ],
    [{ query: 'subscription($n: Int!) { ticker(count: $n) { sequence } }' }, 'BAD_USER_INPUT'],
  ]
  for (const [body, code] of bad) {
    const response = await post(url, body)
    t.equal(response.status, 200)
    t.match(
      parseEvents(await response.text()),
      [
        ['next', { errors: [{ extensions: { code } }] }],
        ['complete', null],
      ],
      code,
    )
  }
  const mixed = await post(
    url,
    { query: '{ user(id: "u1") { id } }' },
    { accept: 'application/json, text/event-stream' },
  )
  t.equal(
    mixed.headers.get('content-type'),
    'application/json; charset=utf-8',
    'a query is answered as JSON where that is acceptable',
  )
  const refused = await post(
    url,
    { query: 'subscription { nothing }' },
    { accept: 'application/json, text/event-stream' },
  )
  t.match(
    parseEvents(await refused.text()),
    [
      ['next', { errors: [{ extensions: { code: 'GRAPHQL_VALIDATION_FAILED', http: undefined } }] }],
      ['complete', null],
    ],
    'a subscription that is refused is a stream anyway',
  )
  const malformed = await post(url, {})
  t.equal(malformed.status, 400, 'a malformed request gets no stream')
  t.equal(malformed.headers.get('content-type'), 'application/json; charset=utf-8')
})

t.test('an order goes through its states, a ticker is clamped [GQL-22]', async t => {
  const updates = parseEvents(
    await (
      await post(url, {
        query: 'subscription { orderUpdates(orderId: "any", intervalMs: 1) { orderId sequence status } }',
      })
    ).text(),
  )
  t.strictSame(
    updates.slice(0, -1).map(([, data]) => (data as { data: { orderUpdates: object } }).data.orderUpdates),
    ['PENDING', 'PROCESSING', 'SHIPPED', 'DELIVERED'].map((status, sequence) => ({ orderId: 'any', sequence, status })),
  )
  for (const count of [-5, 0, 1]) {
    t.equal(
      parseEvents(
        await (
          await post(url, { query: `subscription { ticker(count: ${count}, intervalMs: -1) { sequence } }` })
        ).text(),
      ).length,
      2,
      `count ${count}`,
    )
  }
})

t.test('a subscription ends at once when the client disconnects [GQL-23]', async t => {
  const leaving = new AbortController()
  const sent: Buffer[] = []
  const stream = {
    closed: false,
    signal: leaving.signal,
    ready: async () => {},
    end: () => {},
    write: (bytes: Buffer) => {
      sent.push(bytes)
      return true
    },
  }
  const events = (): unknown[] => parseEvents(Buffer.concat(sent).toString()).map(([, data]) => data)
  const ticks = new PacedSequence(100, 3_600_000, sequence => ({ ticker: { sequence } }))
  const yoga = await createYogaServer({
    schema: createSchema(),
    rootValue: { ticker: () => ticks } as never,
    documents: { check: () => {} } as never,
    persistedQueries: {} as never,
    log: {} as never,
    limits: DEFAULT_LIMITS,
    path: '/graphql',
    requests: { batching: 0, maxFiles: 0 },
  })
  const asked = new yoga.fetchAPI.Request(ENDPOINT, {
    method: 'POST',
    headers,
    body: JSON.stringify({ query: 'subscription { ticker { sequence } }' }),
  })
  const response = await yoga.handleRequest(asked, {
    responseType: {
      mediaType: 'application/json',
      eventStream: 'always',
      takesSubscriptionParts: false,
      takesCallback: false,
      incremental: null,
      isBrowser: false,
    },
    streaming: {},
    run: { context: {}, faults: null, isTraced: false, maxFields: Infinity } as never,
  })
  const served = sendResponse(
    { streams: { sse: () => stream } } as never,
    {} as never,
    { code: () => {} } as never,
    response,
    { status: null, cut: null },
  )
  await until(() => events().length === 1)
  leaving.abort()
  await served
  t.strictSame(events(), [{ data: { ticker: { sequence: 0 } } }])
  t.strictSame(await ticks.next(), { done: true, value: undefined })
})
