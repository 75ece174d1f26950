/** Streams of graphs: multipart subscriptions, parts of @defer and @stream, and one event stream for many operations. */
import { connect } from 'node:net'
import t from 'tap'
import { PacedSequence } from '../../../plugins/graphql/paced-sequence.ts'
import { multipartSubscription } from '../../../plugins/graphql/wire/multipart/subscription.ts'
import { serve } from '../../support/server.ts'
import { until } from '../../support/until.ts'

const { url } = await serve(t)
const AT = `${url}/graphql/subgraphs/reviews`

interface Parts {
  status: number
  type: string | null
  parts: Record<string, unknown>[]
  isWhole: boolean
}

/** The JSON parts of a `multipart/mixed` answer; `isWhole` says whether it has its end. */
async function readParts(body: object, accept: string, headers: Record<string, string> = {}, at = AT): Promise<Parts> {
  const response = await fetch(at, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept, ...headers },
    body: JSON.stringify(body),
  })
  const type = response.headers.get('content-type')
  const boundary = /boundary="([^"]+)"/.exec(type ?? '')?.[1] ?? ''
  let text = ''
  try {
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) text += chunk
  } catch {
    // Cut.
  }
  const parts = text
    .split(`--${boundary}`)
    .map(part => /\r\n\r\n(\{.*\})\r\n$/s.exec(part)?.[1])
    .filter(json => json !== undefined)
    .map(json => JSON.parse(json) as Record<string, unknown>)
  return { status: response.status, type, parts, isWhole: text.endsWith(`--${boundary}--\r\n`) }
}

const ADDED = 'subscription { reviewAdded(count: 3, intervalMs: 50) { id } }'
const SUBSCRIPTION = 'multipart/mixed;subscriptionSpec="1.0", application/json'

t.test('subscriptions as multipart/mixed [GQL-63]', async t => {
  const { status, type, parts, isWhole } = await readParts({ query: ADDED }, SUBSCRIPTION)
  t.strictSame([status, type], [200, 'multipart/mixed; boundary="graphql"; subscriptionSpec=1.0'])
  t.strictSame(
    parts,
    ['r1', 'r2', 'r3'].map(id => ({ payload: { data: { reviewAdded: { id } } } })),
  )
  t.ok(isWhole)
  const cut = await readParts({ query: ADDED }, SUBSCRIPTION, { 'X-Svc-Graphql': 'cut=2' })
  t.strictSame([cut.parts.length, cut.isWhole], [2, false])
  const refused = await readParts({ query: 'subscription { reviewAdded { nothing } }' }, SUBSCRIPTION)
  t.match(refused.parts, [{ payload: { errors: [{ extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } }] } }])
  const query = await readParts({ query: '{ release }' }, SUBSCRIPTION)
  t.match(query.type, /^application\/json/, 'a query is one answer')
})

const DEFERRED = '{ first: review(id: "r1") { id ... @defer(label: "slow") { comment author { name } } } release }'
const SLOW = { 'X-Svc-Graphql': 'delay=/first/comment@40' }

t.test('deferred fragments, in the format that the client names [GQL-64]', async t => {
  for (const accept of ['multipart/mixed', 'multipart/mixed;deferSpec=20220824, application/json']) {
    const { type, parts, isWhole } = await readParts({ query: DEFERRED }, accept, SLOW)
    t.equal(type, 'multipart/mixed; boundary="-"; deferSpec=20220824')
    t.match(parts, [
      { data: { first: { id: 'r1' }, release: 'svc-demo-1' }, hasNext: true },
      { incremental: [{ data: { author: { name: 'Alice Chen' } }, path: ['first'], label: 'slow' }], hasNext: false },
    ])
    t.notOk('comment' in (parts[0]!.data as { first: object }).first)
    t.ok(isWhole)
  }
  const newer = await readParts({ query: DEFERRED }, 'multipart/mixed;incrementalSpec=v0.2', SLOW)
  t.equal(newer.type, 'multipart/mixed; boundary="-"; incrementalSpec=v0.2')
  t.match(newer.parts, [
    { data: { first: { id: 'r1' } }, pending: [{ id: '0', path: ['first'], label: 'slow' }], hasNext: true },
    { incremental: [{ id: '0', data: { author: { name: 'Alice Chen' } } }], completed: [{ id: '0' }], hasNext: false },
  ])
  const failing = await readParts({ query: DEFERRED }, 'multipart/mixed;incrementalSpec=v0.2', {
    'X-Svc-Graphql': 'error=Review.comment@DOWN',
  })
  t.match(failing.parts.at(-1), {
    completed: [{ id: '0', errors: [{ extensions: { code: 'DOWN' } }] }],
    hasNext: false,
  })
})

t.test('the first part does not wait for a deferred field [GQL-64]', async t => {
  const response = await fetch(AT, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'multipart/mixed',
      'X-Svc-Graphql': 'delay=/first/comment@60000',
    },
    body: JSON.stringify({ query: DEFERRED }),
  })
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    text += next.value
    if (text.includes('hasNext')) break
  }
  t.match(text, /"id":"r1"/)
  await reader.cancel()
})

t.test('streamed lists, one complete response without parts, and parts over event streams [GQL-64]', async t => {
  const query = '{ reviews(limit: 3) @stream(initialCount: 1) { id } }'
  const { parts } = await readParts({ query }, 'multipart/mixed')
  t.match(parts[0], { data: { reviews: [{ id: 'r1' }] }, hasNext: true })
  t.strictSame(
    parts
      .slice(1)
      .flatMap(
        part => (part.incremental as { items?: unknown[] }[] | undefined)?.flatMap(({ items = [] }) => items) ?? [],
      ),
    [{ id: 'r2' }, { id: 'r3' }],
  )
  const newer = await readParts({ query }, 'multipart/mixed;incrementalSpec=v0.2')
  t.match(newer.parts[0], { pending: [{ id: '0', path: ['reviews'] }], hasNext: true })
  t.match(newer.parts.at(-1), { completed: [{ id: '0' }], hasNext: false })
  const whole = await fetch(AT, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify({ query }),
  })
  t.strictSame(await whole.json(), { data: { reviews: [{ id: 'r1' }, { id: 'r2' }, { id: 'r3' }] } })
  const events = await fetch(AT, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
    body: JSON.stringify({ query: DEFERRED }),
  })
  const results = [...(await events.text()).matchAll(/^data: (\{.*)$/gm)].map(
    ([, json]) => JSON.parse(json!) as unknown,
  )
  t.match(results, [{ data: { first: { id: 'r1' } }, hasNext: true }, { incremental: [{ path: ['first'] }] }])
  const off = await readParts({ query: DEFERRED.replace('label: "slow"', 'if: false') }, 'multipart/mixed')
  t.match(off.type, /^application\/json/)
})

const STREAM = `${AT}/stream`
const withToken = (token: string) => ({ 'X-GraphQL-Event-Stream-Token': token })

t.test('one event stream for many operations [GQL-65]', async t => {
  const reserved = await fetch(STREAM, { method: 'PUT' })
  t.equal(reserved.status, 201)
  const token = await reserved.text()
  const leaving = new AbortController()
  const stream = await fetch(`${STREAM}?token=${token}`, { signal: leaving.signal })
  t.match(stream.headers.get('content-type'), /^text\/event-stream/)
  t.equal((await fetch(STREAM, { headers: withToken(token) })).status, 409, 'a second one')
  let text = ''
  const reading = (async () => {
    for await (const chunk of stream.body!.pipeThrough(new TextDecoderStream())) text += chunk
  })().catch(() => {})
  const events = (id: string): [string, unknown][] =>
    [...text.matchAll(/^event: (\w+)\ndata: (.*)$/gm)]
      .map(([, name, data]): [string, { id: string; payload?: unknown }] => [
        name!,
        JSON.parse(data!) as { id: string },
      ])
      .filter(([, data]) => data.id === id)
      .map(([name, { payload }]) => [name, payload])
  const run = async (query: string, operationId?: string, headers: Record<string, string> = {}): Promise<number> => {
    const response = await fetch(STREAM, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...withToken(token), ...headers },
      body: JSON.stringify({ query, extensions: { operationId } }),
    })
    await response.text()
    return response.status
  }
  t.equal(await run('{ release }', 'a'), 202)
  await until(() => events('a').length === 2)
  t.strictSame(events('a'), [
    ['next', { data: { release: 'svc-demo-1' } }],
    ['complete', undefined],
  ])
  t.equal(await run('{ nothing }', 'b'), 202)
  await until(() => events('b').length === 2)
  t.match(events('b')[0]![1], { errors: [{ extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } }] })
  t.equal(await run('subscription { reviewAdded(count: 100, intervalMs: 60) { id } }', 'c'), 202)
  t.equal(await run('{ release }', 'c'), 409)
  t.equal(await run('{ release }'), 400)
  await until(() => events('c').length >= 2)
  const stopped = await fetch(`${STREAM}?operationId=c`, { method: 'DELETE', headers: withToken(token) })
  t.equal(stopped.status, 200)
  const count = events('c').length
  t.equal(await run('{ release }', 'd', { 'X-Svc-Graphql': 'value=/release@7' }), 202)
  await until(() => events('d').length === 2)
  t.strictSame(events('d')[0]![1], { data: { release: 7 } })
  t.ok(events('c').length <= count + 1, 'it has ended')
  leaving.abort()
  await reading
  await until(async () => (await run('{ release }', 'e')) === 404)
  for (const method of ['GET', 'POST', 'DELETE'])
    t.equal((await fetch(STREAM, { method, headers: withToken('odd') })).status, 404, method)
})

t.test(
  'the event stream of many operations is cut, and its requests have the status of a fault [GQL-53] [GQL-65]',
  async t => {
    for (const [query, cut, expected] of [
      ['subscription { reviewAdded(count: 5, intervalMs: 50) { id } }', 2, 2],
      ['subscription { reviewAdded(count: 5, intervalMs: 50) { id } }', 0, 0],
      ['{ release }', 1, 1],
    ] as const) {
      const token = await (await fetch(STREAM, { method: 'PUT' })).text()
      const stream = await fetch(STREAM, { headers: withToken(token) })
      const started = await fetch(STREAM, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...withToken(token), 'X-Svc-Graphql': `cut=${cut}; status=207` },
        body: JSON.stringify({ query, extensions: { operationId: 'a' } }),
      })
      t.equal(started.status, 207)
      await started.text()
      let text = ''
      await t.rejects(async () => {
        for await (const chunk of stream.body!.pipeThrough(new TextDecoderStream())) text += chunk
      }, query)
      t.strictSame(
        text.match(/^event: \w+/gm) ?? [],
        Array.from({ length: expected }, () => 'event: next'),
        query,
      )
      await until(async () => (await fetch(STREAM, { headers: withToken(token) })).status === 404)
    }
  },
)

t.test('the client’s leaving ends the generator, on every transport [GQL-66]', async t => {
  const body = JSON.stringify({ query: 'subscription { reviewAdded(count: 100, intervalMs: 10000) { id } }' })
  const { hostname, port } = new URL(url)
  for (const accept of ['text/event-stream', 'multipart/mixed;subscriptionSpec=1.0']) {
    const socket = connect(Number(port), hostname)
    let text = ''
    socket.on('data', data => (text += String(data)))
    socket.write(
      `POST /graphql/subgraphs/reviews HTTP/1.1\r\nHost: x\r\nAccept: ${accept}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    )
    await until(() => text.includes('"r1"'))
    await until(async () => (await openStreams()) === 1)
    socket.destroy()
    await until(async () => (await openStreams()) === 0)
  }

  const events = new PacedSequence(100, 3_600_000, sequence => ({ data: { sequence } }))
  const answer = multipartSubscription(events)
  const chunks: string[] = []
  const reading = (async () => {
    for await (const chunk of answer.chunks) chunks.push(chunk.text)
  })()
  await until(() => chunks.some(chunk => chunk.includes('"sequence":0')))
  answer.end()
  await reading
  t.strictSame(await events.next(), { done: true, value: undefined })
})

async function openStreams(): Promise<number> {
  const metrics = await (await fetch(`${url}/_svc/metrics`)).text()
  return Number(/^svc_streams_open (\d+)$/m.exec(metrics)?.[1])
}
