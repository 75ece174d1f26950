/** The ledger: `/ai/usage`, its filters and groups, the calls behind it, CSV and prices. */
import t from 'tap'
import { askFormat, formats, serveLlm } from '../../support/llm-formats.ts'
import { readUsage, settledUsage, usageCalls } from '../../support/llm-usage.ts'

const anthropic = formats.find(({ id }) => id === 'anthropic')!
const CHAT = '/ai/v1/chat/completions'

const prices = `
llm:
  currency: EUR
  prices:
    - { model: "svc-gpt*", provider: openai, input: 2, output: 10 }
    - { model: "svc-claude", input: 4, output: 20 }
`

async function chat(url: string, body: object, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(url + CHAT, { method: 'POST', headers, body: JSON.stringify(body) })
}
const hello = { model: 'svc-gpt', messages: [{ role: 'user', content: 'hello' }] }

t.test('calls of all formats are counted by provider and model [LLMN-2]', async t => {
  const server = await serveLlm(t)
  for (const format of formats) await askFormat(server.url, format)
  for (const format of formats) await askFormat(server.url, format, { stream: true })
  await fetch(`${server.url}/ai/v1/models`)
  const { totals, rows, group, currency } = await settledUsage(server.url)
  t.same([group, currency], [['provider', 'model'], 'USD'])
  t.match(totals, { requests: 14, ok: 14, errors: 0, streams: 7, streams_cut: 0, cost: null, unpriced: 14 })
  t.equal(rows.length, 7, 'lists of models are not calls')
  t.equal(totals.total_tokens, totals.prompt_tokens + totals.completion_tokens)
  for (const row of rows) t.match(row, { requests: 2, streams: 1 })
  const reply = (await (await chat(server.url, hello)).json()) as {
    usage: { prompt_tokens: number; completion_tokens: number }
  }
  const { prompt_tokens, completion_tokens } = reply.usage
  t.match((await readUsage(server.url, '?provider=openai')).totals, {
    requests: 3,
    prompt_tokens: 3 * prompt_tokens,
    completion_tokens: 3 * completion_tokens,
  })
})

t.test('errors, faults and the model are counted; credentials are not [LLMN-2]', async t => {
  const server = await serveLlm(t)
  await chat(server.url, hello, { 'X-Svc-Fail': 'rate_limit' })
  await chat(server.url, { ...hello, modalities: ['audio'] })
  await chat(server.url, hello, { 'X-Svc-Require-Auth': 'true' })
  await fetch(`${server.url}/ai/openai/v1/nowhere`)
  const { totals, rows } = await readUsage(server.url, '?group=status')
  t.match(totals, { requests: 3, ok: 0, errors: 3, faults: 1, limited: 0, prompt_tokens: 0 })
  t.same(rows.map(({ status }) => status).sort(), [400, 404, 429])
})

t.test('rows are grouped by key, session, operation and time, and filtered [LLMN-2]', async t => {
  const server = await serveLlm(t)
  const authorization = 'Bearer sk-secret-abcd'
  await chat(server.url, hello, { authorization, 'X-Svc-Session': 'one' })
  await chat(server.url, hello, { authorization, 'X-Svc-Session': 'two' })
  await chat(server.url, hello)
  await fetch(`${server.url}/ai/v1/embeddings`, { method: 'POST', body: '{"input":"a b","model":"svc-embed"}' })
  const { rows: byKey } = await readUsage(server.url, '?group=key')
  const keyed = byKey.find(({ key }) => key === 'bearer ****abcd')!
  t.match(keyed, { requests: 2, key_id: /^[0-9a-f]{12}$/ })
  t.match(
    byKey.find(({ key }) => key === 'none'),
    { requests: 2, key_id: 'none' },
  )
  t.match((await readUsage(server.url, `?key=${String(keyed.key_id)}`)).totals, { requests: 2 })
  t.same((await readUsage(server.url, '?group=session,op&session=one')).rows.length, 1)
  t.match((await readUsage(server.url, '?group=op&op=embed')).rows, [{ op: 'embed', requests: 1 }])
  t.match((await readUsage(server.url, '?model=svc-g*')).totals, { requests: 3 })
  t.match((await readUsage(server.url, '?group=none')).rows, [{ requests: 4 }])
  for (const span of ['minute', 'hour', 'day'])
    t.match((await readUsage(server.url, `?group=${span}`)).rows[0], { time: /^\d{4}-\d\d-\d\dT\d\d:\d\d:00\.000Z$/ })
  t.match((await readUsage(server.url, '?since=1h')).totals, { requests: 4 })
  t.match((await readUsage(server.url, '?until=2020-01-01T00:00:00Z')).totals, { requests: 0 })
  t.equal((await readUsage(server.url, '?limit=1&group=op')).rows.length, 1)
  const calls = await usageCalls(server.url, '?limit=2')
  t.match(calls[0], { op: 'embed', provider: 'openai', endpoint: '/ai/v1/embeddings', status: 200, stream: false })
  const older = await usageCalls(server.url, `?after=${calls[1]!.id}`)
  t.equal(older.length, 2)
  t.equal((await usageCalls(server.url, `?request_id=${calls[0]!.request_id}`)).length, 1)
})

t.test('a wrong parameter is an error [LLMN-2]', async t => {
  const server = await serveLlm(t)
  const wrong = [
    'group=color',
    'group=op,op',
    'group=minute,day',
    'since=yesterday',
    'limit=0',
    'limit=1001',
    'modle=x',
  ]
  for (const query of [...wrong.map(one => `usage?${one}`), 'usage/calls?after=x', 'usage/calls?group=op']) {
    const response = await fetch(`${server.url}/ai/${query}`)
    const parameter = query.slice(query.indexOf('?') + 1, query.indexOf('='))
    t.equal(response.status, 400, query)
    t.match(await response.json(), { error: 'invalid_filter', parameter, details: /./ }, query)
  }
  t.match(await (await fetch(`${server.url}/ai/usage?modle=x`)).json(), { details: 'did you mean model?' })
})

t.test('a stream that was cut counts what was written, and says what cut it [LLMN-1]', async t => {
  const server = await serveLlm(t)
  for (const format of formats) {
    for (const fault of ['disconnect', 'stream_error', 'malformed'])
      await askFormat(server.url, format, {
        stream: true,
        headers: { 'X-Svc-Fail': `${fault}@4`, 'X-Request-Id': `${format.id}-${fault}` },
      }).catch(() => null)
    for (const fault of ['disconnect', 'stream_error', 'malformed']) {
      await settledUsage(server.url)
      const [call] = await usageCalls(server.url, `?request_id=${format.id}-${fault}`)
      t.match(
        call,
        { completion_tokens: 4, status: 200, fault, cut: { after_tokens: 4, by: 'fault' } },
        `${format.id} ${fault}`,
      )
      t.ok(call!.cut!.of_tokens > 4 && call!.cut!.after_events > 0)
    }
  }
})

t.test('a client that disconnects pays for what it received [LLMN-1]', async t => {
  const server = await serveLlm(t)
  const left = new AbortController()
  const response = await fetch(server.url + CHAT, {
    method: 'POST',
    signal: left.signal,
    headers: { 'X-Svc-Tokens-Per-Second': '1', 'X-Request-Id': 'left' },
    body: JSON.stringify({ ...hello, stream: true }),
  })
  let text = ''
  for await (const chunk of response.body!) {
    text += Buffer.from(chunk).toString()
    if (text.includes('"Hell"')) break
  }
  left.abort()
  await settledUsage(server.url)
  const [call] = await usageCalls(server.url, '?request_id=left')
  t.match(call, { completion_tokens: 1, cut: { after_tokens: 1, by: 'client' }, stream: true })
  t.type(call!.ttft_ms, 'number')
  t.match((await readUsage(server.url)).totals, { streams: 1, streams_cut: 1, completion_tokens: 1 })
})

t.test('attempts are counted by request id, idempotency key and the count of an SDK [LLMN-3]', async t => {
  const server = await serveLlm(t)
  const attempt = async (headers: Record<string, string>): Promise<number> => {
    await chat(server.url, hello, headers)
    return (await usageCalls(server.url, '?limit=1'))[0]!.attempt
  }
  t.equal(await attempt({}), 1)
  t.equal(await attempt({}), 1, 'an id that the server made never groups')
  t.same([await attempt({ 'X-Request-Id': 'a' }), await attempt({ 'X-Request-Id': 'a' })], [1, 2])
  t.equal(await attempt({ 'X-Request-Id': 'a', 'X-Svc-Session': 'other' }), 1)
  t.same([await attempt({ 'Idempotency-Key': 'k' }), await attempt({ 'Idempotency-Key': 'k' })], [1, 2])
  t.equal(await attempt({ 'X-Stainless-Retry-Count': '2' }), 3)
  t.equal((await readUsage(server.url)).totals.retries, 3)
})

t.test('costs follow the first matching price; CSV has the same rows [LLMN-4, LLMN-5]', async t => {
  const server = await serveLlm(t, { yaml: prices })
  await chat(server.url, hello)
  await askFormat(server.url, anthropic)
  await chat(server.url, { ...hello, model: '=1+"a,b"' })
  const { rows, totals, currency } = await readUsage(server.url)
  t.equal(currency, 'EUR')
  const row = rows.find(({ model }) => model === 'svc-gpt')!
  t.equal(row.cost, (row.prompt_tokens * 2 + row.completion_tokens * 10) / 1e6)
  t.match(totals, { unpriced: 1, requests: 3 })
  t.match(rows.at(-1), { model: '=1+"a,b"', cost: null, unpriced: 1 }, 'those that cost most come first')
  const response = await fetch(`${server.url}/ai/usage.csv`)
  t.match(response.headers.get('content-type'), 'text/csv')
  t.equal(response.headers.get('content-disposition'), 'attachment; filename="usage.csv"')
  const csv = await response.text()
  const lines = csv.split('\r\n')
  t.match(lines[0], /^provider,model,requests,ok,errors,.*,total_tokens,cost,unpriced$/)
  t.match(lines[3], /^openai,"'=1\+""a,b""",1,1,0,/)
  t.equal(lines.length, 5)
  t.equal(await (await fetch(`${server.url}/ai/usage`, { headers: { Accept: 'text/csv' } })).text(), csv)
})

t.test('a reset removes the rows and calls of a session [LLMN-2]', async t => {
  const server = await serveLlm(t)
  await chat(server.url, hello, { 'X-Svc-Session': 'one' })
  await chat(server.url, hello, { 'X-Svc-Session': 'two' })
  const response = await fetch(`${server.url}/_svc/reset`, {
    method: 'POST',
    headers: { 'X-Svc-Session': 'one' },
    body: '{"kinds":["usage"]}',
  })
  t.match(await response.json(), { removed: { usage: 1 } })
  t.match((await readUsage(server.url, '?group=session')).rows, [{ session: 'two', requests: 1 }])
  t.equal((await usageCalls(server.url)).length, 1)
})

t.test('in public mode only the session of the caller is shown, without keys [LLMN-6]', async t => {
  const server = await serveLlm(t, { env: { SVC_PUBLIC_MODE: 'true' } })
  await chat(server.url, hello, { 'X-Svc-Session': 'one' })
  await chat(server.url, hello, { 'X-Svc-Session': 'two' })
  t.match(await readUsage(server.url, '', { 'X-Svc-Session': 'one' }), { totals: { requests: 1 } })
  t.match(await readUsage(server.url), { totals: { requests: 0 } })
  for (const query of ['usage?group=key', 'usage?session=two', 'usage.csv?session=two', 'usage/calls?session=two']) {
    const response = await fetch(`${server.url}/ai/${query}`)
    t.equal(response.status, 403, query)
    t.match(await response.json(), { error: 'not_public' })
  }
  const calls = await fetch(`${server.url}/ai/usage/calls`, { headers: { 'X-Svc-Session': 'two' } })
  t.match(await calls.json(), { count: 1, calls: [{ session: 'two' }] })
})
