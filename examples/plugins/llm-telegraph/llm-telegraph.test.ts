import { after, before, test } from 'node:test'
import assert from 'node:assert/strict'
import { startTestServer, type TestServer } from 'svc/testing'

let server: TestServer
before(async () => {
  server = await startTestServer({
    folders: [import.meta.dirname],
    plugins: ['llm-telegraph'],
    // svc.yaml can use the formats of plugins like the built-in ones.
    settings: { llm: { providers: [{ name: 'cable', format: 'telegraph', reply: 'received {{prompt}}' }] } },
  })
})
after(() => server.stop())

const send = (telegram: object, headers: Record<string, string> = {}, provider = 'telegraph'): Promise<Response> =>
  fetch(`${server.url}/ai/${provider}/telegrams`, {
    method: 'POST',
    body: JSON.stringify(telegram),
    headers: { 'X-Svc-Tokens-Per-Second': '0', ...headers },
  })

test('replies and streams have its format', async () => {
  assert.deepEqual(server.problems(), [])
  assert.deepEqual(await (await send({ text: 'hi', model: 'morse-echo' })).json(), {
    text: 'USER: HI',
    end: 'STOP',
    words: 3,
  })
  const lines = (await (await send({ text: 'hi', model: 'morse-echo', live: true })).text())
    .trim()
    .split('\n')
    .map(line => JSON.parse(line))
  assert.equal(
    lines
      .slice(0, -1)
      .map(({ text }) => text)
      .join(''),
    'USER: HI',
  )
  assert.deepEqual(lines.at(-1), { words: 3 })
})

test('faults and errors have its format', async () => {
  assert.deepEqual(await (await send({})).json(), {
    fault: 'bad_request',
    message: 'the field "text" must be a string',
  })
  const limited = await send({ text: 'x' }, { 'X-Svc-Fail': '429' })
  assert.equal(limited.status, 429)
  assert.equal(((await limited.json()) as { fault: string }).fault, 'rate_limit')
})

test('svc.yaml can use the format', async () => {
  assert.match(await (await send({ text: 'you' }, {}, 'cable')).text(), /RECEIVED YOU/)
})
