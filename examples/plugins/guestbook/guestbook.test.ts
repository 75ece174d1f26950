import { after, before, test } from 'node:test'
import assert from 'node:assert/strict'
import { startTestServer, type TestServer } from 'svc/testing'

let server: TestServer
before(async () => {
  server = await startTestServer({
    folders: [import.meta.dirname],
    plugins: ['guestbook'],
    settings: { guestbook: { title: 'Visitors', max_entries: 2 } },
  })
})
after(() => server.stop())

const sign = (body: unknown, session: string): Promise<Response> =>
  fetch(`${server.url}/guestbook`, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'X-Svc-Session': session },
  })
const read = (session: string, accept = 'application/json'): Promise<Response> =>
  fetch(`${server.url}/guestbook`, { headers: { 'X-Svc-Session': session, Accept: accept } })

test('the plugin is enabled and its section of svc.yaml is valid', () => {
  assert.deepEqual(server.problems(), [])
  assert.equal(server.plugins().find(({ name }) => name === 'guestbook')?.state, 'enabled')
})

test('each session keeps its newest entries', async () => {
  for (const text of ['one', 'two', 'three']) assert.equal((await sign({ name: 'Ada', text }, 'a')).status, 201)
  assert.deepEqual(await (await read('a')).json(), {
    title: 'Visitors',
    entries: [
      { name: 'Ada', text: 'two' },
      { name: 'Ada', text: 'three' },
    ],
  })
  assert.deepEqual(await (await read('b')).json(), { title: 'Visitors', entries: [] })
  assert.match(await (await read('a', 'application/xml')).text(), /<text>three<\/text>/)
})

test('entries survive a reload', async () => {
  await sign({ name: 'Ben', text: 'still here' }, 'c')
  await server.reload()
  assert.match(await (await read('c')).text(), /still here/)
})

test('an invalid entry is a 400 with an explanation', async () => {
  for (const body of [{ text: 'x' }, { name: 'x' }, { name: 'x', text: 'x'.repeat(1001) }, []]) {
    const response = await sign(body, 'd')
    assert.equal(response.status, 400)
    assert.match(await response.text(), /invalid_entry.*expected/)
  }
})

test('an invalid option is reported and the default is used', async () => {
  await using other = await startTestServer({
    allowProblems: true,
    folders: [import.meta.dirname],
    plugins: ['guestbook'],
    settings: { guestbook: { max_entries: 0 } },
  })
  assert.equal(other.problems()[0]?.at, 'guestbook.max_entries')
  assert.equal((await fetch(`${other.url}/guestbook`)).status, 200)
})
