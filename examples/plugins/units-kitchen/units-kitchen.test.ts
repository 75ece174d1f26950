import { after, before, test } from 'node:test'
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { startTestServer, type TestServer } from 'svc/testing'

const folders = [import.meta.dirname, join(import.meta.dirname, '..', 'units')]
let server: TestServer
before(async () => {
  server = await startTestServer({ folders, plugins: ['units-kitchen'] })
})
after(() => server.stop())

const convert = (query: string): Promise<Response> => fetch(`${server.url}/units?${query}`)

test('the plugin that it builds on is enabled and knows its units', async () => {
  assert.deepEqual(
    server
      .plugins()
      .filter(({ state }) => state === 'enabled')
      .map(({ name }) => name),
    ['units', 'units-kitchen'],
  )
  assert.deepEqual(await (await convert('value=2&from=cup&to=tbsp')).json(), { value: 32 })
  assert.match(await (await convert('value=2&from=cup&to=km')).text(), /expected a unit of volume/)
  assert.match(await (await convert('value=2&from=cup&to=oz')).text(), /expected one of m, km, ml, tsp, tbsp, cup/)
})
