/** Documents that are deployed while others are served. Takes long: it deploys under load. */
import t from 'tap'
import { once } from 'node:events'
import type { Worker } from 'node:worker_threads'
import { mockServer } from './client.ts'
import { answering, documentOf } from './document.ts'

// Starting a server can take seconds on a busy machine.
t.setTimeout(600_000)

const spec = (version: number) => documentOf({ '/version': { get: answering({ example: { version } }) } })

t.test(
  'a deployment under load drops no request, and a failed deployment changes nothing [MOCK-83] [MOCK-23]',
  async t => {
    const server = await mockServer(t)
    await server.mock('busy', { spec: spec(1) })
    let isOver = false
    const seen = new Map<string, number>()
    const clients = Array.from({ length: 8 }, async () => {
      while (!isOver) {
        const reply = await fetch(`${server.url}/mock/busy/version`)
        const body = (await reply.json()) as { version: number }
        // Header and body belong to the same version.
        const key = `${reply.status} ${Number(reply.headers.get('x-svc-mock-version')) === body.version}`
        seen.set(key, (seen.get(key) ?? 0) + 1)
      }
    })
    let version = 1
    for (let round = 0; round < 12; round++) {
      await server.mock('busy', { spec: spec(++version) })
      const bad = await server.call('/_svc/mocks/busy', {
        method: 'PUT',
        body: '{"openapi":"3.1.0","paths":{"/x":{"$ref":"./other"}}}',
      })
      t.equal(bad.status, 422)
    }
    isOver = true
    await Promise.all(clients)
    t.same([...seen.keys()], ['200 true'], JSON.stringify([...seen]))
    t.ok((seen.get('200 true') ?? 0) > 12)
  },
)

t.test('requests in flight finish on their version [MOCK-83]', async t => {
  const server = await mockServer(t)
  await server.mock('slow', { spec: spec(1), settings: { delay_ms: 300 } })
  const waiting = [server.call('/mock/slow/version'), server.call('/mock/slow/version')]
  // The count of a session is incremented at the start of a request.
  while ((Object.values((await server.call('/_svc/mocks/slow/state')).json['counts'] as object)[0] ?? 0) < 2);
  await server.mock('slow', { spec: spec(2) })
  t.match((await server.call('/mock/slow/version')).json, { version: 2 })
  await server.call('/_svc/mocks/slow', { method: 'DELETE' })
  t.equal((await server.call('/mock/slow/version')).status, 404)
  for (const reply of await Promise.all(waiting))
    t.match(reply, { status: 200, json: { version: 1 }, headers: { 'x-svc-mock-version': '1' } })
})

t.test('a large document is deployed without blocking traffic [MOCK-83] [MOCK-80]', async t => {
  const server = await mockServer(t, { env: { SVC_BODY_LIMIT: String(16 << 20) } })
  const schema = {
    type: 'object',
    properties: Object.fromEntries(
      Array.from({ length: 20 }, (_, index) => [`p${index}`, { type: 'string', description: 'x'.repeat(100) }]),
    ),
  }
  const document = documentOf(
    Object.fromEntries(Array.from({ length: 1500 }, (_, index) => [`/p${index}`, { get: answering({ schema }) }])),
  )
  // The server runs in this process. Its check runs in a thread, and other requests are served meanwhile.
  const started = once(process, 'worker') as Promise<[Worker]>
  const upload = server.call('/_svc/mocks/large', { method: 'PUT', body: document })
  const [thread] = await started
  let isOver = false
  thread.once('exit', () => (isOver = true))
  let answered = 0
  do {
    const { status } = await server.call('/mock/petstore/v1/pets/1')
    if (status !== 200) t.fail(`answered ${status}`)
    if (!isOver) answered++
  } while (!isOver)
  t.match(await upload, { status: 201, json: { operations: 1500 } })
  t.ok(answered > 0, `${answered} requests were answered while the thread ran`)
  t.match(await server.call('/mock/large/p1499'), { status: 200 })
})
