/** `svc/testing`: rules, requests, resets and sessions, in the process and against a running instance. */
import t from 'tap'
import { connect, startTestServer, TestClientError } from 'svc/testing'
import type { TestClient } from 'svc/testing'

const server = await startTestServer({ plugins: ['echo'], env: { SVC_ADMIN_TOKEN: 'secret-token' } })
t.teardown(() => server.stop())
const statusOf = async (url: string): Promise<number> => (await fetch(url)).status

t.test('stores and reads rules of the instance [TESTLIB-1]', async t => {
  for (const client of [server, connect(`${server.url}/`, { token: 'secret-token' })] as TestClient[]) {
    const stored = await client.rules.put('busy', { match: { path: '/echo' }, then: [{ fail: 503, times: 2 }] })
    t.match(stored, { name: 'busy', scope: 'instance', state: 'active' })
    t.equal(await statusOf(`${client.url}/echo`), 503)
    t.match(await client.rules.get('busy'), { hits: 1 })
    t.match(await client.rules.add([{ then: { delay: 1 }, match: { path: '/z' } }]), [{ name: 'r1' }])
    t.equal((await client.rules.list()).length, 2)
    t.equal(await client.rules.delete('r1'), 1)
    t.match((await client.requests({ limit: 1 }))[0], { uri: '/echo', rule: 'busy' })
    t.equal(await client.rules.clear(), 1)
    t.ok((await client.reset(['requests'])).requests! > 0)
  }
})

t.test('a session has a name of its own and is reset at its end [TESTLIB-2]', async t => {
  let name: string
  {
    await using test = server.session()
    ;({ name } = test)
    await test.rules.put('busy', { match: { path: '/echo' }, then: { fail: 418 } })
    t.equal(await statusOf(`${test.url}/echo`), 418)
    t.equal((await fetch(`${server.url}/echo`, { headers: test.headers })).status, 418)
    t.equal((await test.requests()).length, 2)
    t.equal(await statusOf(`${server.url}/echo`), 200)
    await using other = server.session()
    t.not(other.name, test.name)
    t.strictSame(await other.requests(), [])
  }
  const again = server.session(name)
  t.strictSame(await again.rules.list(), [])
  t.strictSame(await again.requests(), [])
})

t.test('errors have the status and the body of the response [TESTLIB-3]', async t => {
  const error = await server.rules.put('x', { then: { fail: 42 } }).catch((thrown: unknown) => thrown)
  t.type(error, TestClientError)
  t.match(error, { status: 400, body: { error: 'invalid_rule', at: 'then.fail' }, message: /expected a status/ })
  const denied: unknown = await connect(server.url)
    .rules.clear()
    .catch((thrown: unknown) => thrown)
  t.match(denied, { status: 401 })
})
