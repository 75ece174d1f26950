import { after, before, test } from 'node:test'
import assert from 'node:assert/strict'
import { startTestServer, type TestServer } from 'svc/testing'

const name = 'starter'
let server: TestServer
before(async () => {
  server = await startTestServer({
    folders: [import.meta.dirname],
    plugins: [name],
    settings: { [name]: { greeting: 'Ahoy' } },
  })
})
after(() => server.stop())

test('the plugin starts with its options', () => {
  assert.deepEqual(server.problems(), [])
  assert.equal(server.plugins().find(plugin => plugin.name === name)?.error, null)
})

test('greetings are counted for each session', async () => {
  const greet = async (session: string): Promise<unknown> =>
    (await fetch(`${server.url}/${name}`, { headers: { 'X-Svc-Session': session } })).json()
  assert.deepEqual(await greet('a'), { greeting: 'Ahoy', count: 1 })
  assert.deepEqual(await greet('a'), { greeting: 'Ahoy', count: 2 })
  assert.deepEqual(await greet('b'), { greeting: 'Ahoy', count: 1 })

  const post = (body: string): Promise<Response> =>
    fetch(`${server.url}/${name}`, { method: 'POST', body, headers: { 'Content-Type': 'application/json' } })
  assert.deepEqual(await (await post('{"name":"Ada"}')).json(), { greeting: 'Ahoy, Ada' })
  assert.equal((await post('{}')).status, 400)
})
