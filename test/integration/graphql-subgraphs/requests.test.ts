/** Requests of graphs beyond single operations: batches, uploads, and requests that any page could send. */
import { createHash } from 'node:crypto'
import t from 'tap'
import { serve } from '../../support/server.ts'

const { url } = await serve(t)
const SUBGRAPH = `${url}/graphql/subgraphs/reviews`

const send = async (at: string, body: unknown, headers: Record<string, string> = {}) => {
  const response = await fetch(at, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
  return { status: response.status, body: (await response.json()) as unknown }
}

t.test('batches are answered in order, each with its own errors [GQL-60]', async t => {
  const { status, body } = await send(SUBGRAPH, [
    { query: '{ review(id: "r1") { rating } }' },
    { query: '{ nothing }' },
    { query: 'subscription { reviewAdded { id } }' },
    { query: 'query A { a: release } query B { b: release }', operationName: 'B' },
  ])
  t.equal(status, 200)
  t.match(body, [
    { data: { review: { rating: 5 } } },
    { errors: [{ extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } }] },
    { errors: [{ extensions: { code: 'SUBSCRIPTION_NOT_SUPPORTED' } }] },
    { data: { b: 'svc-demo-1' } },
  ])
  const one = { query: '{ release }' }
  t.strictSame((await send(SUBGRAPH, [one], { accept: 'text/event-stream' })).body, [
    { data: { release: 'svc-demo-1' } },
  ])
  for (const wrong of [[], Array.from({ length: 11 }, () => one), [one, 3], [one, { query: 7 }], [one, {}]])
    t.match(await send(SUBGRAPH, wrong), { status: 400, body: { errors: [{ extensions: { code: 'BAD_REQUEST' } }] } })
  t.match(await send(`${url}/graphql`, [one]), {
    status: 400,
    body: { errors: [{ message: 'Batched requests are not supported' }] },
  })
  const open = await serve(t, { yaml: 'graphql: { batching: true }\n' })
  t.match(await send(`${open.url}/graphql`, [{ query: '{ user(id: "u1") { id } }' }]), {
    status: 200,
    body: [{ data: { user: { id: 'u1' } } }],
  })
})

t.test('conditions see each operation of a batch [GQL-60]', async t => {
  await send(`${url}/s/batch/graphql/subgraphs/reviews`, [
    { query: '{ release }' },
    { query: 'query Named { reviews { id } }', variables: { n: 1 } },
  ])
  const verified = await send(`${url}/s/batch/_svc/verify`, {
    match: { graphql: { operation: 'Named', variables: { '/n': 1 } } },
    exactly: 1,
    within_ms: 2000,
  })
  t.match(verified.body, { verified: true })
})

const MUTATION =
  'mutation($photo: Upload!) { attachPhoto(reviewId: "r1", photo: $photo) { filename mimetype bytes sha256 } }'
const upload = async (parts: Record<string, string | Blob>, at = SUBGRAPH) => {
  const form = new FormData()
  for (const [name, value] of Object.entries(parts))
    if (typeof value === 'string') form.set(name, value)
    else form.set(name, value, 'photo.png')
  const response = await fetch(at, { method: 'POST', body: form })
  return { status: response.status, body: (await response.json()) as unknown }
}

t.test('a file arrives as it was sent [GQL-61]', async t => {
  const content = Buffer.from(Array.from({ length: 100_000 }, (_, index) => (index * 7) % 256))
  const file = new Blob([content], { type: 'image/png' })
  const attachPhoto = {
    filename: 'photo.png',
    mimetype: 'image/png',
    bytes: content.length,
    sha256: createHash('sha256').update(content).digest('hex'),
  }
  const operation = { query: MUTATION, variables: { photo: null } }
  t.strictSame(await upload({ operations: JSON.stringify(operation), map: '{"0":["variables.photo"]}', 0: file }), {
    status: 200,
    body: { data: { attachPhoto } },
  })
  t.strictSame(await upload({ operations: JSON.stringify([operation]), map: '{"a":["0.variables.photo"]}', a: file }), {
    status: 200,
    body: [{ data: { attachPhoto } }],
  })
})

t.test(
  'uploads that are not well-formed are bad requests; graphs without files have another type [GQL-61]',
  async t => {
    const operations = JSON.stringify({ query: MUTATION, variables: { photo: null } })
    const file = new Blob(['x'])
    const table: Record<string, string | Blob>[] = [
      { map: '{}', 0: file },
      { operations, 0: file },
      { operations: '{', map: '{}' },
      { operations, map: '[]' },
      { operations, map: '{' },
      { operations, map: '{"0":["variables.photo"]}' },
      { operations, map: '{"0":"variables.photo"}', 0: file },
      { operations, map: '{"0":["variables.other"]}', 0: file },
      { operations, map: '{"0":["variables.photo.x"]}', 0: file },
      { operations, map: '{"0":["__proto__.x"]}', 0: file },
      { operations, map: '{"0":[7]}', 0: file },
      { operations, map: '{"operations":["variables.photo"]}' },
      { operations, map: JSON.stringify(Object.fromEntries(Array.from({ length: 11 }, (_, i) => [i, []]))) },
    ]
    for (const parts of table)
      t.match(
        await upload(parts),
        { status: 400, body: { errors: [{ extensions: { code: 'BAD_REQUEST' } }] } },
        JSON.stringify(parts),
      )
    t.match(await upload({ operations, map: '{}' }, `${url}/graphql/subgraphs/users`), { status: 415 })
    t.match(await send(SUBGRAPH, { query: MUTATION, variables: { photo: 'text' } }), {
      status: 200,
      body: { errors: [{ extensions: { code: 'BAD_USER_INPUT' } }] },
    })
  },
)

t.test('with csrf, requests that any page could send need a header [GQL-62]', async t => {
  const guarded = await serve(t, { yaml: 'graphql: { csrf: true }\n' })
  const at = `${guarded.url}/graphql/subgraphs/users`
  const ask = async (init: RequestInit, query = '') => {
    const response = await fetch(at + query, init)
    const body = (await response.json()) as { data?: unknown; errors?: { extensions: { code: string } }[] }
    return body.errors?.[0]?.extensions.code ?? body.data
  }
  const query = `?query=${encodeURIComponent('{ release }')}`
  const data = { release: 'svc-demo-1' }
  t.equal(await ask({}, query), 'CSRF_BLOCKED')
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x'])
    t.equal(
      await ask({ method: 'POST', headers: { 'content-type': type }, body: '{"query":"{ release }"}' }),
      'CSRF_BLOCKED',
    )
  for (const name of ['Apollo-Require-Preflight', 'X-Apollo-Operation-Name', 'GraphQL-Require-Preflight'])
    t.strictSame(await ask({ headers: { [name]: '1' } }, query), data)
  const json = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"query":"{ release }"}' }
  t.strictSame(await ask(json), data)
})
