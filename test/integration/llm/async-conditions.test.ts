/** Conditions on captured requests to routes that parse asynchronously. */
import t from 'tap'
import { join } from 'node:path'
import { root } from '../../support/examples.ts'
import { serve } from '../../support/server.ts'

const { url } = await serve(t, {
  folders: [join(root, 'test', 'fixtures', 'plugins', 'llm-deferred')],
  plugins: ['llm', 'llm-deferred', 'llm-bedrock', 'llm-azure', 'llm-openai'],
})

const send = (path: string, body: object, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(url + path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-Svc-Session': 'one', ...headers },
    body: JSON.stringify(body),
  })
const verify = async (verification: object): Promise<any> => {
  const response = await send('/_svc/verify', { ...verification, session: 'one' })
  return { status: response.status, ...((await response.json()) as object) }
}

await send('/ai/deferred/talk', { text: 'ship the parcel' }, { 'X-Deferred-Model': 'other' })
await send('/ai/deferred/talk', { text: 'return the parcel' })
await send('/ai/bedrock/model/meta.llama3-3-70b-instruct-v1:0/invoke', { prompt: 'tell me a story' })
await send('/ai/azure/openai/deployments/my-deployment/chat/completions?api-version=2024-10-21', {
  messages: [{ role: 'user', content: 'hello' }],
})

t.test('a verification counts them', async t => {
  t.match(await verify({ match: { llm: { user: { contains: 'parcel' } } }, exactly: 2 }), { verified: true, count: 2 })
  t.match(await verify({ match: { llm: { user: { contains: 'story' } } } }), { verified: true, count: 1 })
  t.match(await verify({ match: { llm: { user: { contains: 'nothing of that' } } }, none: true }), { verified: true })
})

t.test('all headers are there', async t => {
  t.match(await verify({ match: { llm: { model: 'other' } } }), { verified: true, count: 1 })
})

t.test('a deployment is the model', async t => {
  t.match(await verify({ match: { llm: { model: 'my-deployment' } } }), { verified: true, count: 1 })
})

t.test('an order, and what is closest', async t => {
  const ship = { llm: { user: { contains: 'ship' } } }
  const back = { llm: { user: { contains: 'return' } } }
  t.match(await verify({ order: [ship, back] }), { verified: true })
  t.match(await verify({ order: [back, ship] }), { verified: false })
  const failed = await verify({ match: { path: '/ai/deferred/talk', llm: { user: 'send the parcel' } } })
  t.match(failed, { status: 409, looked_at: 4 })
  t.match(failed.closest[0], { uri: '/ai/deferred/talk', differences: [{ at: 'llm.user' }] })
})

t.test('a wait sees one that comes later', async t => {
  const waiting = verify({ match: { llm: { user: { contains: 'later' } } }, within_ms: 30_000 })
  await send('/ai/deferred/talk', { text: 'see you later' })
  t.match(await waiting, { verified: true, count: 1 })
})

t.test('rules and expectations see them before the route answers', async t => {
  const rule = await send('/_svc/rules', {
    name: 'parcel',
    match: { path: '/ai/deferred/talk', llm: { user: { contains: 'rule' } } },
    then: { respond: { status: 418 } },
  })
  t.ok(rule.ok)
  t.equal((await send('/ai/deferred/talk', { text: 'a rule acts' })).status, 418)
  t.equal((await send('/ai/deferred/talk', { text: 'none acts' })).status, 200)
  const expect = (text: string): Record<string, string> => ({
    'X-Svc-Expect': JSON.stringify({ llm: { user: { contains: text } } }),
  })
  t.equal((await send('/ai/deferred/talk', { text: 'expected' }, expect('expected'))).status, 200)
  t.equal((await send('/ai/deferred/talk', { text: 'something else' }, expect('expected'))).status, 417)
})
