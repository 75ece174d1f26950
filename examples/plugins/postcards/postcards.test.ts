import { after, before, test } from 'node:test'
import assert from 'node:assert/strict'
import { startTestServer, type TestServer } from 'svc/testing'

let server: TestServer
before(async () => {
  server = await startTestServer({
    folders: [import.meta.dirname],
    plugins: ['postcards'],
    env: { SVC_LOG_FORMAT: 'json', SVC_LOG_LEVEL: 'info' },
  })
})
after(() => server.stop())

const write = (body: string, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(`${server.url}/postcards`, {
    method: 'POST',
    body,
    headers: { 'Content-Type': 'application/json', ...headers },
  })
const put = (body: string | FormData, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(`${server.url}/postcards/1/picture`, { method: 'PUT', body, headers })

test('the plugin starts', () => {
  assert.deepEqual(server.problems(), [])
  assert.equal(server.plugins().find(({ name }) => name === 'postcards')?.error, null)
})

test('the body schema sets defaults and validates, the response schema filters', async () => {
  const response = await write('{"to":"Ada"}', { Cookie: 'sender=Grace' })
  assert.equal(response.status, 201)
  const card = (await response.json()) as { id: number }
  assert.deepEqual(card, { id: card.id, to: 'Ada', text: 'Greetings from the sea!' })
  assert.match(response.headers.get('set-cookie') ?? '', /^last_card=\d+; Path=\/postcards; HttpOnly/)
  assert.deepEqual(await (await fetch(`${server.url}/postcards/${card.id}`)).json(), card)
  for (const [body, detail] of [
    ['{"text":"x"}', "body must have required property 'to'"],
    ['{"to":', 'the body is not valid JSON'],
  ] as const) {
    const refused = await write(body)
    assert.equal(refused.status, 400)
    assert.deepEqual(await refused.json(), { error: 'bad request', detail })
  }
})

test('the log of a request names the plugin and the request', async () => {
  const id = 'postcard-log-1'
  await write('{"to":"Ada"}', { 'X-Request-Id': id })
  const line = server.lines.find(text => text.includes('postcard written') && text.includes(id))
  const { level, plugin, request_id } = JSON.parse(line ?? '{}') as Record<string, unknown>
  assert.deepEqual({ level, plugin, request_id }, { level: 'info', plugin: 'postcards', request_id: id })
})

test('an error with a status becomes the response', async () => {
  const response = await fetch(`${server.url}/postcards/4711`)
  assert.equal(response.status, 404)
  assert.deepEqual(await response.json(), { error: 'not found', detail: 'there is no postcard 4711' })
})

test('a picture is accepted; other, malformed and large bodies are rejected', async () => {
  const form = (size: number): FormData => {
    const data = new FormData()
    data.set('picture', new Blob(['x'.repeat(size)], { type: 'image/png' }), 'sea.png')
    return data
  }
  assert.deepEqual(await (await put(form(5000))).json(), { name: 'sea.png', type: 'image/png', bytes: 5000 })
  assert.equal((await put(form(100_001))).status, 413)
  assert.equal((await put('{}', { 'Content-Type': 'application/json' })).status, 406)
  assert.equal((await put('<picture/>', { 'Content-Type': 'image/svg+xml' })).status, 415)
  assert.equal((await put('x', { 'Content-Type': 'multipart/form-data' })).status, 400)
  assert.equal(
    (
      await put('--a\r\nContent-Disposition: form-data; name="p"; filename="x"\r\n\r\ncut', {
        'Content-Type': 'multipart/form-data; boundary=a',
      })
    ).status,
    400,
  )
})
