/** Bounds of graphs, on a usual instance and on a public one. */
import t, { type Test } from 'tap'
import { mockServer, type MockServer } from '../mocks/client.ts'

// Starting a server can take seconds on a busy machine.
t.setTimeout(600_000)

interface Bounds {
  representations: number
  batch: number
  places: number
  files: number
  tokens: number
  operations: number
}

const REVIEWS = '/graphql/subgraphs/reviews'
const times = (count: number): number[] => Array.from({ length: count }, (_, index) => index)

async function post(server: MockServer, path: string, body: object, headers = {}) {
  const { status, json } = await server.call(path, { method: 'POST', body, headers: { ...headers } })
  return { status, json }
}

/** A mutation for each file. */
async function upload(server: MockServer, count: number) {
  const form = new FormData()
  const variables = Object.fromEntries(times(count).map(index => [`f${index}`, null]))
  const declared = times(count).map(index => `$f${index}: Upload!`)
  const fields = times(count).map(index => `m${index}: attachPhoto(reviewId: "r1", photo: $f${index}) { bytes }`)
  const query = `mutation(${declared.join(', ')}) { ${fields.join(' ')} }`
  form.set('operations', JSON.stringify({ query, variables }))
  form.set('map', JSON.stringify(Object.fromEntries(times(count).map(index => [index, [`variables.f${index}`]]))))
  for (const index of times(count)) form.set(String(index), new Blob(['x']), 'x.txt')
  const response = await fetch(server.url + REVIEWS, { method: 'POST', body: form })
  return { status: response.status, json: (await response.json()) as object }
}

async function checkBounds(t: Test, env: Record<string, string>, bounds: Bounds): Promise<void> {
  const server = await mockServer(t, { env, plugins: ['graphql-subgraphs'] })
  const wrong = (code: string) => ({ errors: [{ extensions: { code } }] })
  const notAllowed = { status: 400, json: wrong('BAD_REQUEST') }

  const query = 'query($r: [_Any!]!) { _entities(representations: $r) { __typename } }'
  const entities = (count: number) =>
    post(server, REVIEWS, { query, variables: { r: times(count).map(() => ({ __typename: 'User', id: 'u1' })) } })
  t.equal(((await entities(bounds.representations)).json as { errors?: object }).errors, undefined)
  t.match((await entities(bounds.representations + 1)).json, wrong('BAD_USER_INPUT'))

  const batch = (count: number) =>
    post(
      server,
      REVIEWS,
      times(count).map(() => ({ query: '{ release }' })),
    )
  t.match(await batch(bounds.batch), { status: 200 })
  t.match(await batch(bounds.batch + 1), notAllowed)

  const faults = (count: number) =>
    post(
      server,
      REVIEWS,
      { query: '{ release }' },
      {
        'x-svc-graphql': times(count)
          .map(() => 'remove=/x')
          .join(';'),
      },
    )
  t.match(await faults(bounds.places), { status: 200 })
  t.match(await faults(bounds.places + 1), notAllowed)

  t.match(await upload(server, bounds.files), { status: 200, json: { data: { m0: { bytes: 1 } } } })
  t.match(await upload(server, bounds.files + 1), notAllowed)

  const reserve = () => server.call(`${REVIEWS}/stream`, { method: 'PUT' })
  const first = await reserve()
  for (const _ of times(bounds.tokens - 1)) t.match(await reserve(), { status: 201 })
  t.match(await reserve(), { status: 429 })
  const run = (id: number) => {
    const body = {
      query: 'subscription { reviewAdded(count: 100, intervalMs: 10000) { id } }',
      extensions: { operationId: String(id) },
    }
    return post(server, `${REVIEWS}/stream`, body, { 'X-GraphQL-Event-Stream-Token': first.text })
  }
  for (const id of times(bounds.operations)) t.match(await run(id), { status: 202 })
  t.match(await run(bounds.operations), notAllowed)
}

t.test('the bounds of an instance [GQLSUB-8]', t =>
  checkBounds(t, {}, { representations: 1000, batch: 10, places: 20, files: 10, tokens: 100, operations: 100 }),
)
t.test('the bounds of a public instance [GQLSUB-8]', t =>
  checkBounds(
    t,
    { SVC_PUBLIC_MODE: 'true', SVC_ADMIN_TOKEN: 'secret' },
    { representations: 200, batch: 5, places: 10, files: 3, tokens: 20, operations: 20 },
  ),
)
