/** What `llm` offers to providers of other plugins, used by a plugin that is loaded from a folder outside the repository. */
import t from 'tap'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { serve } from '../../support/server.ts'

const folder = mkdtempSync(join(tmpdir(), 'svc-letters-'))
t.teardown(() => rmSync(folder, { recursive: true, force: true }))
cpSync(join(import.meta.dirname, '../../fixtures/plugins/llm-letters'), join(folder, 'llm-letters'), {
  recursive: true,
})

const server = await serve(t, { yaml: 'plugins: { enable: [llm, llm-letters] }', env: { SVC_PLUGINS_DIR: folder } })
const letters = `${server.url}/ai/letters/letters`

async function ask(
  url: string,
  body?: object,
  headers: Record<string, string> = {},
): Promise<{ status: number; json: Record<string, unknown> }> {
  const response = await fetch(url, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { 'X-Svc-Tokens-Per-Second': '0', ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  return { status: response.status, json: (await response.json()) as Record<string, unknown> }
}

t.test('a chain of generations, and tokens that cannot be changed [LLMN-200]', async t => {
  const first = await ask(letters, { text: 'Who are you?' })
  t.equal(first.status, 202)
  const ticket = String(first.json.ticket)
  t.match((await ask(`${letters}/${ticket}`)).json, { text: 'user: Who are you?', isWhole: true, letters: 1 })
  const second = await ask(letters, { text: 'And now?', answers: ticket })
  t.match((await ask(`${letters}/${String(second.json.ticket)}`)).json, {
    text: 'user: Who are you?\nassistant: user: Who are you?\nuser: And now?',
    letters: 2,
  })
  t.equal((await ask(`${letters}/${ticket.slice(0, -3)}AAA`)).status, 404)
  const third = await ask(letters, { text: 'x', answers: second.json.ticket })
  const fourth = await ask(letters, { text: 'x', answers: third.json.ticket })
  t.match(await ask(letters, { text: 'x', answers: fourth.json.ticket }), { status: 400 }, 'at most three')
})

t.test('the timeline of a reply is replayed as it was planned [LLMN-200]', async t => {
  const { json } = await ask(letters, { text: 'slow' }, { 'X-Svc-Tokens-Per-Second': '10' })
  const url = `${letters}/${String(json.ticket)}`
  t.match((await ask(url)).json, { text: '', isWhole: false })
  const begun = Date.now()
  const streamed = await (await fetch(`${url}?stream`)).text()
  const words = streamed
    .trim()
    .split('\n')
    .map(line => (JSON.parse(line) as { word: string }).word)
  t.equal(words.join(''), 'user: slow')
  t.ok(Date.now() - begun >= 100 * (words.length - 1), 'at the planned times')
  t.match((await ask(url)).json, { text: 'user: slow', isWhole: true })
})

t.test('a generation has exact replies, rules, limits and an entry in the ledger [LLMN-200]', async t => {
  const session = { 'X-Svc-Session': 'letters' }
  const exact = await ask(letters, { text: 'x' }, { ...session, 'X-Svc-Reply': 'exact' })
  t.match((await ask(`${letters}/${String(exact.json.ticket)}`)).json, { text: 'exact' })
  const rule = { name: 'ruled', match: { llm: { user: 'ruled' } }, then: { reply: { text: 'by a rule' } } }
  const put = await fetch(`${server.url}/_svc/rules/ruled`, {
    method: 'PUT',
    headers: { ...session, 'Content-Type': 'application/json' },
    body: JSON.stringify(rule),
  })
  t.ok(put.ok, await put.text())
  const ruled = await ask(letters, { text: 'ruled' }, session)
  t.match((await ask(`${letters}/${String(ruled.json.ticket)}`)).json, { text: 'by a rule' })
  const { json: usage } = await ask(`${server.url}/ai/usage?session=letters&group=op`)
  t.match(usage, { rows: [{ op: 'chat', requests: 2, ok: 2 }] }, 'the letters themselves are not calls')
  const limit = { ...session, 'X-Svc-Limit-Rpm': '1' }
  t.equal((await ask(letters, { text: 'x' }, limit)).status, 202)
  t.match(await ask(letters, { text: 'x' }, limit), { status: 429, json: { trouble: 'rate_limit' } })
})

t.test('records of a provider are kept for their owner, within bounds, until a reset [LLMN-8]', async t => {
  const drafts = `${server.url}/ai/letters/drafts`
  const send = async (method: string, id: string, text?: string, session = 'drafts'): Promise<[number, object]> => {
    const response = await fetch(`${drafts}/${id}`, {
      method,
      headers: { 'X-Svc-Session': session },
      ...(text === undefined ? {} : { body: JSON.stringify({ text }) }),
    })
    return [response.status, (await response.json()) as object]
  }
  t.same(await send('PUT', 'a', 'Dear'), [201, { text: 'Dear', version: 1 }])
  t.same(await send('PATCH', 'a', 'Dear Ada'), [200, { text: 'Dear Ada', version: 2 }])
  t.same(await send('GET', 'a'), [200, { text: 'Dear Ada', version: 2 }])
  t.equal((await send('PATCH', 'b', 'x'))[0], 404)
  t.same(await send('DELETE', 'a'), [200, { deleted: true }])
  t.equal((await send('DELETE', 'a'))[0], 404)
  for (const id of ['one', 'two', 'three', 'four']) await send('PUT', id, id)
  await send('PUT', 'other', 'other', 'another')
  const { json } = await ask(drafts)
  const ids = (json.drafts as { id: string }[]).map(({ id }) => id)
  t.same(ids, ['other', 'four', 'three', 'two'], 'the newest first, three of a session')
  const reset = await fetch(`${server.url}/_svc/reset`, {
    method: 'POST',
    headers: { 'X-Svc-Session': 'drafts' },
    body: '{"kinds":["llm_state"]}',
  })
  t.match(await reset.json(), { removed: { llm_state: 3 } })
  t.same([(await send('GET', 'two'))[0], (await send('GET', 'other'))[0]], [404, 200])
})

t.test('a handler is not called if a rule fails its request, and its calls are not counted [LLMN-8]', async t => {
  const session = { 'X-Svc-Session': 'handled' }
  const draft = `${server.url}/ai/letters/drafts/handled`
  await fetch(draft, { method: 'PUT', headers: session, body: '{"text":"x"}' })
  const rule = { match: { method: 'DELETE', llm: { op: 'other', stream: false } }, then: { fail: 'overloaded' } }
  const put = await fetch(`${server.url}/_svc/rules/undeletable`, {
    method: 'PUT',
    headers: { ...session, 'Content-Type': 'application/json' },
    body: JSON.stringify(rule),
  })
  t.ok(put.ok, await put.text())
  t.equal((await fetch(draft, { method: 'DELETE', headers: session })).status, 503)
  t.equal((await fetch(draft, { headers: session })).status, 200, 'it was not deleted')
  const { json } = await ask(`${server.url}/ai/usage/calls?session=handled`)
  t.match(json, { calls: [{ endpoint: '/ai/letters/drafts/handled', status: 503 }] }, 'only the error is a call')
  t.equal((json.calls as unknown[]).length, 1)
})

t.test('in public mode, a record exists only for the session that made it [LLMN-8, LLMN-156]', async t => {
  const env = { SVC_PLUGINS_DIR: folder, SVC_PUBLIC_MODE: 'true' }
  const { url } = await serve(t, { yaml: 'plugins: { enable: [llm, llm-letters] }', env })
  const send = (method: string, session: string, path = '/a'): Promise<Response> =>
    fetch(`${url}/ai/letters/drafts${path}`, {
      method,
      headers: { 'X-Svc-Session': session },
      ...(method === 'GET' || method === 'DELETE' ? {} : { body: '{"text":"x"}' }),
    })
  t.equal((await send('PUT', 'one')).status, 201)
  for (const method of ['GET', 'PATCH', 'DELETE']) t.equal((await send(method, 'two')).status, 404, method)
  t.same(await (await send('GET', 'two', '')).json(), { drafts: [] })
  t.match(await (await send('GET', 'one', '')).json(), { drafts: [{ id: 'a', value: { text: 'x' } }] })
})

t.test('a provider enters in the ledger what it does outside of requests [LLMN-8]', async t => {
  const session = { 'X-Svc-Session': 'editor' }
  const draft = `${server.url}/ai/letters/drafts/edited`
  await fetch(draft, { method: 'PUT', headers: session, body: '{"text":"a few words"}' })
  t.equal((await ask(`${draft}/edit?cached=2`, {}, session)).status, 200)
  t.match((await ask(`${server.url}/ai/usage?session=editor`)).json, {
    rows: [
      { provider: 'letters', model: 'editor', requests: 1, ok: 1, completion_tokens: 1, cached_tokens: 2, cost: null },
    ],
  })
  const { json } = await ask(`${server.url}/ai/usage/calls?session=editor`)
  t.match(json, { calls: [{ endpoint: 'editor', op: 'chat', key: 'none', status: 200, stream: false }] })
  for (const wrong of ['0.5', '-1', '99'])
    t.equal((await ask(`${draft}/edit?cached=${wrong}`, {}, session)).status, 500)
  t.match(
    (await ask(`${server.url}/ai/usage?session=editor&model=editor`)).json,
    { totals: { requests: 1 } },
    'nothing wrong is entered',
  )
})
