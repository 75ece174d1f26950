/** Directives of schemas, failures by place, files, and requests of browsers at mocks of GraphQL schemas. */
import t from 'tap'
import { createHash } from 'node:crypto'
import { connect } from 'node:net'
import WebSocket from 'ws'
import { until } from '../../support/until.ts'
import { mockServer } from './client.ts'

// Starting a server can take seconds on a busy machine.
t.setTimeout(600_000)

const server = await mockServer(t)
const ask = async (name: string, query: string, extra: object = {}) =>
  (await server.call(`/mock/${name}`, { method: 'POST', body: { query, ...extra } })).json as unknown as {
    data: Record<string, unknown> | null
    errors?: { message: string; path?: unknown[]; extensions?: { code?: string } }[]
  }

const HINTS = `
type Query { people(limit: Int): [Person!]!  one(id: ID!): Person }
type Person {
  id: ID!
  city: String @examples(values: ["Oslo", "Riga"])
  shoe: Int! @examples(values: [38, 42])
  tags: [String!]! @listLength(min: 3, max: 5)
  pets: [Pet!]! @listLength(min: 0, max: 0)
  none: [Pet!]! @listLength(min: 4, max: 1)
  nick: String @fake(type: firstName)
}
type Pet { id: ID! }
`

t.test('@examples, @listLength and @fake, without a definition and with one [MOCK-102]', async t => {
  const own = `directive @examples(values: [Any]!) on FIELD_DEFINITION
directive @listLength(min: Int!, max: Int!) on FIELD_DEFINITION
directive @fake(type: Any) on FIELD_DEFINITION
scalar Any
${HINTS}`
  const answers: unknown[] = []
  for (const spec of [HINTS, own]) {
    const { report } = await server.mock('hints', { spec })
    const { warnings } = report as { warnings: { code: string; at: string }[] }
    t.match(
      warnings.filter(({ code }) => code === 'fake_ignored'),
      [{ at: 'Person.nick' }],
    )
    const { data } = await ask('hints', '{ people(limit: 40) { city shoe tags pets { id } none { id } nick } }')
    const people = data!['people'] as {
      city: string
      shoe: number
      tags: string[]
      pets: object[]
      none: object[]
      nick: string
    }[]
    t.equal(people.length, 40)
    t.strictSame([...new Set(people.map(({ city }) => city))].sort(), ['Oslo', 'Riga'], 'each example, and no other')
    t.strictSame([...new Set(people.map(({ shoe }) => shoe))].sort(), [38, 42])
    t.strictSame([...new Set(people.map(({ tags }) => tags.length))].sort(), [3, 4, 5])
    t.ok(people.every(({ pets, none, nick }) => pets.length === 0 && none.length === 4 && typeof nick === 'string'))
    answers.push(data)
  }
  t.strictSame(answers[0], answers[1])
})

t.test('fail_percent by path: there alone, and about as often as it says [MOCK-103]', async t => {
  const put = (place: string, body: object) =>
    server.call(`/_svc/mocks/fails/overrides/${encodeURIComponent(place)}`, { method: 'PUT', body })
  await server.mock('fails', { spec: HINTS })
  t.match(await put('/people/1/city', { fail_percent: 100, error: { code: 'NO_CITY', message: 'no city' } }), {
    status: 200,
  })
  t.match(await ask('fails', '{ people(limit: 3) { city } other: people(limit: 3) { city } }'), {
    data: { people: [{ city: String }, { city: null }, { city: String }], other: [{ city: String }, {}, {}] },
    errors: [{ message: 'no city', path: ['people', 1, 'city'], extensions: { code: 'NO_CITY' } }],
  })
  await put('/people/1/city', { fail_percent: 0, error: { code: 'NO_CITY', message: 'no city' } })
  t.equal((await ask('fails', '{ people(limit: 3) { city } }')).errors, undefined)
  await server.call(`/_svc/mocks/fails/overrides/${encodeURIComponent('/people/1/city')}`, { method: 'DELETE' })
  await put('/people/*/city', { fail_percent: 50 })
  const { data, errors = [] } = await ask('fails', '{ people(limit: 100) { city } }')
  const cities = (data!['people'] as { city: string | null }[]).map(({ city }) => city)
  t.ok(cities.includes(null) && cities.some(city => city !== null), 'some fail, some do not')
  t.strictSame(
    errors.map(({ path }) => path![1]),
    cities.flatMap((city, index) => (city === null ? [index] : [])),
  )
  // A non-null field takes its parent with it.
  await put('/people/0/tags', { error: { code: 'DOWN' } })
  t.match(await ask('fails', '{ people(limit: 1) { tags } }'), {
    data: null,
    errors: [{ path: ['people', 0, 'tags'], extensions: { code: 'DOWN' } }],
  })
})

const FEED = `
type Query { none: Int }
type Subscription { ticks: Tick! }
type Tick { id: ID! }
`
const LONG = { subscription: { count: 100, interval_ms: 10_000 } }
const TICKS = 'subscription { ticks { id } }'

async function openStreams(): Promise<number> {
  const { text } = await server.call('/_svc/metrics')
  return Number(/^svc_streams_open (\d+)$/m.exec(text)?.[1])
}

t.test('a subscription ends with its client [MOCK-104]', async t => {
  await server.mock('feed', { spec: FEED, settings: LONG })
  t.equal(await openStreams(), 0)
  const body = JSON.stringify({ query: TICKS })
  const { hostname, port } = new URL(server.url)
  const stream = connect(Number(port), hostname)
  let text = ''
  stream.on('data', data => (text += String(data)))
  stream.write(
    `POST /mock/feed HTTP/1.1\r\nHost: x\r\nAccept: text/event-stream\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  )
  await until(() => text.includes('"tick-1"'))
  t.equal(await openStreams(), 1)
  stream.destroy()
  await until(async () => (await openStreams()) === 0)

  const socket = new WebSocket(`${server.url.replace('http', 'ws')}/mock/feed/ws`, 'graphql-transport-ws')
  const messages: string[] = []
  socket.on('message', message => messages.push(String(message)))
  await new Promise(resolve => socket.once('open', resolve))
  socket.send(JSON.stringify({ type: 'connection_init' }))
  await until(() => messages.some(text => text.includes('connection_ack')))
  socket.send(JSON.stringify({ id: '1', type: 'subscribe', payload: { query: TICKS } }))
  await until(() => messages.some(text => text.includes('tick-1')))
  t.equal(await openStreams(), 1)
  socket.terminate()
  await until(async () => (await openStreams()) === 0)
})

t.test('a delay of a field on an event stream of many operations ends with its client [MOCK-104] [GQL-66]', async t => {
  await server.mock('slow', { spec: 'type Query { a: Int }', settings: { capture: true } })
  const token = (await server.call('/mock/slow/stream', { method: 'PUT' })).text
  const leaving = new AbortController()
  const headers = { 'X-GraphQL-Event-Stream-Token': token }
  const stream = await fetch(`${server.url}/mock/slow/stream`, { headers, signal: leaving.signal })
  t.equal(stream.status, 200)
  const DELAY_MS = 20_000
  const started = await server.call('/mock/slow/stream', {
    method: 'POST',
    headers: { ...headers, 'x-svc-graphql': `delay=/a@${DELAY_MS}` },
    body: { query: '{ a }', extensions: { operationId: '1' } },
  })
  t.equal(started.status, 202)
  leaving.abort()
  const captured = async () =>
    (await server.call('/_svc/mocks/slow/requests')).json['requests'] as { latency_ms: number }[] | undefined
  await until(async () => (await captured())?.length === 1)
  t.ok((await captured())![0]!.latency_ms < DELAY_MS)
})

const FILES = `
scalar Upload
type Query { none: Int }
type Mutation { attach(name: String!, file: Upload!): Attachment! }
type Attachment { id: ID! name: String! size: Int! }
`
const ATTACH = 'mutation($file: Upload!, $name: String!) { attach(file: $file, name: $name) { id name size } }'

t.test('files come by the multipart request specification, and are data like other arguments [MOCK-105]', async t => {
  await server.mock('files', { spec: FILES })
  await server.mock('plain', { spec: HINTS })
  const send = async (content: string, mock = 'files', headers: Record<string, string> = {}) => {
    const form = new FormData()
    form.append('operations', JSON.stringify({ query: ATTACH, variables: { file: null, name: 'Echo' } }))
    form.append('map', '{"0": ["variables.file"]}')
    form.append('0', new Blob([content], { type: 'text/plain' }), 'notes.txt')
    const response = await fetch(`${server.url}/mock/${mock}`, { method: 'POST', body: form, headers })
    return { status: response.status, body: (await response.json()) as { data: { attach: object }; errors: object[] } }
  }
  const one = await send('one')
  t.match(one, { status: 200, body: { data: { attach: { name: 'Echo', size: Number } } } })
  t.strictSame(await send('one'), one, 'the same file gives the same data')
  t.match(await send('one', 'plain'), { status: 415 }, 'a schema without Upload takes no files')
  const form = new FormData()
  form.append('operations', JSON.stringify({ query: ATTACH, variables: { file: null, name: 'Echo' } }))
  form.append('map', '{"0": ["variables.file"]}')
  const missing = await fetch(`${server.url}/mock/files`, { method: 'POST', body: form })
  t.match([missing.status, await missing.json()], [400, { errors: [{ extensions: { code: 'BAD_REQUEST' } }] }])
  t.match(await ask('files', ATTACH, { variables: { file: 'text', name: 'Echo' } }), {
    errors: [{ extensions: { code: 'BAD_USER_INPUT' } }],
  })
  // The traffic names the file, and does not have its bytes.
  const large = 'x'.repeat(200_000)
  await send(large)
  const { requests } = (await server.call('/_svc/mocks/files/requests?limit=1')).json as unknown as {
    requests: { body: string; body_truncated: boolean }[]
  }
  t.match(requests[0], { body_truncated: false })
  t.match(JSON.parse(requests[0]!.body), {
    variables: {
      file: {
        filename: 'notes.txt',
        mimetype: 'text/plain',
        bytes: large.length,
        sha256: createHash('sha256').update(large).digest('hex'),
      },
    },
  })
})

t.test('with csrf, what any page could send needs a header [MOCK-106]', async t => {
  await server.mock('guarded', { spec: FILES, settings: { csrf: true } })
  const get = (headers: Record<string, string>) =>
    server.call('/mock/guarded?query=%7Bnone%7D', { headers: { accept: 'application/json', ...headers } })
  t.match(await get({}), { status: 400, json: { errors: [{ extensions: { code: 'CSRF_BLOCKED' } }] } })
  t.match(await get({ 'apollo-require-preflight': 'true' }), { status: 200, json: { data: { none: Number } } })
  const form = new FormData()
  form.append('operations', JSON.stringify({ query: ATTACH, variables: { file: null, name: 'a' } }))
  form.append('map', '{"0": ["variables.file"]}')
  form.append('0', new Blob(['x']))
  for (const [headers, status] of [
    [{}, 400],
    [{ 'graphql-require-preflight': '1' }, 200],
  ] as const)
    t.equal((await fetch(`${server.url}/mock/guarded`, { method: 'POST', body: form, headers })).status, status)
  t.match(await ask('guarded', '{ none }'), { data: { none: Number } }, 'JSON has a preflight')
})
