/** `svc/testing`: rules, requests, resets and sessions, in the process and against a running instance. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { connect, startTestServer, TestClientError, VerificationError, type Har, type TestClient } from 'svc/testing'

const server = await startTestServer({ plugins: ['echo'], env: { SVC_ADMIN_TOKEN: 'secret-token' } })
t.teardown(() => server.stop())
const thrownBy = (promise: Promise<unknown>): Promise<unknown> => promise.catch((thrown: unknown) => thrown)
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
  t.match(error, { error: 'invalid_rule', details: /expected a status/ })
  t.match(await thrownBy(connect('http://127.0.0.1:9').rules.list()), { status: 0, error: 'no_response' })
})

t.test('stores the rules of a file, all or none [TESTLIB-8]', async t => {
  await using test = server.session()
  const file = join(t.testdir(), 'rules.yaml')
  writeFileSync(
    file,
    'rules:\n  - { name: one, match: { path: /echo }, then: { fail: 418 } }\n  - { match: { path: /z }, then: { pass: true } }\n',
  )
  t.match(await test.rules.load(file), [{ name: 'one' }, { name: 'r1' }])
  t.equal(await statusOf(`${test.url}/echo`), 418)
  writeFileSync(file, '{ "rules": [{ "name": "two", "then": { "pass": true } }, { "then": { "fial": 1 } }] }')
  t.match(await thrownBy(test.rules.load(file)), { error: 'invalid_rule' })
  t.notMatch(await test.rules.list(), [{}, {}, {}])
  writeFileSync(file, '- one\n')
  t.match(await thrownBy(test.rules.load(file)), { message: /has no list of rules/ })
})

t.test('attaches to the instance of SVC_URL, and keeps the base path [TESTLIB-9]', async t => {
  const environment = process.env
  t.teardown(() => {
    process.env = environment
  })
  process.env = { ...environment, SVC_URL: '', SVC_ADMIN_TOKEN: '' }
  t.throws(() => connect(), { message: /SVC_URL/ })
  process.env = { ...environment, SVC_URL: `${server.url}/s/outer/`, SVC_ADMIN_TOKEN: 'secret-token' }
  t.equal(connect().url, `${server.url}/s/outer`)
  process.env = { ...environment, SVC_URL: server.url, SVC_ADMIN_TOKEN: 'secret-token' }
  t.equal(await connect().rules.clear(), 0)
  const { name, url } = connect().session()
  t.match(name, /^t-[a-z0-9]{12}$/)
  t.equal(url, `${server.url}/s/${name}`)
})

t.test('verifies the requests of a session, or of all [TESTLIB-4]', async t => {
  await using test = server.session()
  await fetch(`${test.url}/echo/a`, { method: 'POST', headers: { 'x-tenant': 'acme' }, body: '{"n":1}' })
  const match = { path: '/echo/**', header: { 'X-Tenant': 'acme' } }
  t.match(await test.verify({ match, exactly: 1 }), { verified: true, count: 1, expected: 'exactly 1' })
  t.match(await test.verify({ match: { path: '/never' }, none: true }), { count: 0 })
  const later = test.verify({ match, at_least: 2, within_ms: 5000 })
  await fetch(`${test.url}/echo/b`, { headers: { 'x-tenant': 'acme' } })
  t.match(await later, { count: 2 })
  t.match(await test.verify({ order: [{ path: '/echo/a' }, { path: '/echo/b' }], strict: true }), { count: 2 })
  const error = await thrownBy(test.verify({ match: { ...match, method: 'PUT' }, exactly: 1 }))
  t.type(error, VerificationError)
  t.match(error, {
    name: 'VerificationError',
    message: /^expected exactly 1 request with .*, got 0; the closest is GET \/echo\/b, which differs in method$/,
    expected: 'exactly 1',
    count: 0,
    requests: [],
    closest: [{ uri: '/echo/b', differences: [{ at: 'method', expected: 'PUT', got: 'GET' }] }, { uri: '/echo/a' }],
  })
  await using other = server.session()
  await other.verify({ none: true })
  t.match(await server.verify({ match: { session: { in: [test.name, other.name] } }, exactly: 2 }), { count: 2 })
  t.match(await thrownBy(test.verify({ match: { path: 7 } } as never)), {
    name: 'TestClientError',
    status: 400,
    body: { error: 'invalid_verification', at: 'match.path' },
  })
})

t.test('waits for requests [TESTLIB-5]', async t => {
  await using test = server.session()
  const waiting = test.waitFor({ path: '/echo/**', method: 'GET' }, 2)
  for (const part of ['a', 'b']) await fetch(`${test.url}/echo/${part}`)
  t.match(await waiting, [{ uri: '/echo/b' }, { uri: '/echo/a' }])
  t.match(await test.waitFor(), [{ uri: '/echo/b' }, {}])
  const error = await thrownBy(test.waitFor({ path: '/echo/**' }, 3, 10))
  t.type(error, VerificationError)
  t.match(error, {
    message:
      /^expected at least 3 requests with path \/echo\/\*\*, got 2 in \d+ ms; the newest requests are\nGET \/echo\/b 200\nGET \/echo\/a 200$/,
    expected: 'at least 3',
    count: 2,
    closest: [],
  })
  t.match(await thrownBy(test.waitFor({ pth: '/echo' })), { status: 400, body: { did_you_mean: 'path' } })
})

t.test('exports an HTTP archive [TESTLIB-6]', async t => {
  await using test = server.session()
  await fetch(`${test.url}/echo/a?x=1`)
  await fetch(`${test.url}/echo/b`, { method: 'POST', body: 'hello' })
  const har: Har = await test.har()
  t.match(har.log, {
    version: '1.2',
    creator: { name: 'svc' },
    entries: [
      {
        request: { url: `${test.url}/echo/a?x=1`, queryString: [{ name: 'x', value: '1' }] },
        response: { status: 200 },
      },
      { request: { method: 'POST', postData: { text: 'hello' } }, _session: test.name },
    ],
  })
  t.equal((await test.har({ method: 'POST' })).log.entries.length, 1)
  const all = await server.har()
  t.ok(all.log.entries.length > har.log.entries.length)
})
