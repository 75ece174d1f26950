import { after, before, test } from 'node:test'
import assert from 'node:assert/strict'
import { startTestServer, type TestServer } from 'svc/testing'

let server: TestServer
before(async () => {
  server = await startTestServer({
    folders: [import.meta.dirname],
    plugins: ['parcels', 'docs'],
    env: {
      SVC_PARCELS_DEPOTS: 'east, west',
      SVC_PARCELS_LAST_ID: 'many',
      SVC_PARCELS_TOKEN: 's3cret',
      SVC_LIMIT_REQUESTS: '100',
    },
  })
})
after(() => server.stop())

const get = (path: string, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(server.url + path, { headers })

test('the variables are read, validated and shown', async () => {
  const config = (await (await get('/_svc/config')).json()) as { parcels: unknown; warnings: string[] }
  assert.deepEqual(config.parcels, { depots: ['east', 'west'], last_id: 100, token_configured: true })
  assert.deepEqual(config.warnings, [
    'invalid SVC_PARCELS_LAST_ID "many" (expected whole number, 1 to 1000000), using 100',
  ])
  const response = await get('/parcels/2', { Origin: 'https://app.example' })
  assert.equal(response.headers.get('x-parcel-depot'), 'east')
  assert.match(response.headers.get('access-control-expose-headers') ?? '', /, X-Parcel-Depot/)
})

test('faults, limits and the inspector do not apply to the exempt path', async () => {
  const alive = await get('/parcels/alive', { 'X-Svc-Fail': '503' })
  assert.equal(alive.status, 200)
  assert.equal(alive.headers.get('x-svc-plan'), null)
  assert.equal((await get('/parcels/1')).headers.get('x-svc-plan'), 'custom')
  assert.doesNotMatch(await (await get('/_svc/requests')).text(), /parcels\/alive/)
})

test('requests and faults are counted in the metrics', async () => {
  const lost = await get('/parcels/1', { 'X-Svc-Fail': 'lost' })
  assert.deepEqual([lost.status, lost.headers.get('x-svc-fault')], [410, 'lost'])
  assert.deepEqual(await lost.json(), { error: 'parcel_lost', details: 'The parcel is lost' })
  const metrics = await (await get('/_svc/metrics')).text()
  assert.match(metrics, /svc_faults_injected_total\{kind="lost"\} 1\n/)
  assert.match(metrics, /svc_protocol_requests_total\{protocol="parcels"\} [1-9]/)
})

test('the category and the link are shown', async () => {
  const { categories } = (await (await get('/_svc/catalog')).json()) as { categories: { name: string }[] }
  assert.deepEqual(categories.map(({ name }) => name)[0], 'Parcels')
  assert.match(await (await get('/')).text(), /<a href="parcels\/alive">Parcel service status<\/a>/)
})
