import { after, before, test } from 'node:test'
import assert from 'node:assert/strict'
import { startTestServer, type TestServer } from 'svc/testing'
import { WebSocket } from 'ws'

let server: TestServer
before(async () => {
  server = await startTestServer({ folders: [import.meta.dirname], plugins: ['ticker'] })
})
after(() => server.stop())

test('the stream sends the requested number of events and ends', async () => {
  const response = await fetch(`${server.url}/ticker/events?count=2`)
  assert.equal(response.headers.get('content-type'), 'text/event-stream')
  const text = await response.text()
  assert.deepEqual(
    [...text.matchAll(/^data: (.*)$/gm)].map(([, data]) => JSON.parse(data!).cents),
    [1000, 1037],
  )
})

test('an invalid count is rejected before the stream starts', async () => {
  const response = await fetch(`${server.url}/ticker/events?count=many`)
  assert.equal(response.status, 400)
  assert.match(await response.text(), /"parameter":"count"/)
})

test('each message over the socket gets a price', async () => {
  const socket = new WebSocket(`${server.url.replace('http', 'ws')}/ticker/socket`)
  const price = await new Promise<string>((resolve, reject) => {
    socket
      .on('open', () => socket.send('next'))
      .on('message', data => resolve(String(data)))
      .on('error', reject)
  })
  socket.close()
  assert.deepEqual(JSON.parse(price), { symbol: 'ACME', cents: 1000 })
  assert.equal((await fetch(`${server.url}/ticker/socket`)).status, 426)
})
