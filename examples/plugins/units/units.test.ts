import { test } from 'node:test'
import assert from 'node:assert/strict'
import { startTestServer } from 'svc/testing'

test('it converts its own units', async () => {
  await using server = await startTestServer({ folders: [import.meta.dirname], plugins: ['units'] })
  const convert = async (query: string): Promise<string> => (await fetch(`${server.url}/units?${query}`)).text()
  assert.equal(await convert('value=2&from=km&to=m'), '{"value":2000}')
  assert.match(await convert('value=1&from=cup&to=m'), /expected one of m, km"/)
  assert.match(await convert('value=much&from=km&to=m'), /expected a number/)
})
