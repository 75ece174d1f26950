/** The extension point `probe.client`: what other plugins send through a gateway (sheet demos, "One client"). */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import t from 'tap'
import { createClient } from '../../../plugins/probe/client/offered-client.ts'
import type { ClientAddress, ClientOptions } from '../../../plugins/probe/types.ts'
import { serve } from '../../support/server.ts'

const client = createClient()

async function optionsFor(url: string, limitMs = 5000): Promise<ClientOptions> {
  const address = client.address(url)
  if (typeof address === 'string') throw new Error(address)
  return {
    address: await client.resolve(address as ClientAddress),
    trust: { ca: null, insecure: true, name: null },
    limitMs,
    signal: new AbortController().signal,
  }
}

t.test('HTTP/1.1 and HTTP/2 requests arrive as they were given', async t => {
  const server = await serve(t, { plugins: ['echo', 'probe'], env: { SVC_GRPC_ON_HTTP: 'true' } })
  for (const http2 of [false, true]) {
    const sent = await client.exchange(
      {
        http2,
        requests: [
          { method: 'POST', target: '/anything/a?b=1', fields: [['x-one', '1']], body: 'käse' },
          { target: '/anything/c' },
        ],
      },
      await optionsFor(server.url),
    )
    t.equal(sent.error, null)
    const [first, second] = sent.answers
    t.equal(first!.status, 200)
    const echoed = JSON.parse(first!.body.toString()) as { method: string; data: string }
    t.match(echoed, { method: 'POST' })
    t.match(first!.body.toString(), /käse/)
    t.equal(second!.status, 200)
    t.ok(first!.sentAtMs >= sent.startedAtMs && first!.headAtMs >= first!.sentAtMs)
  }
})

t.test(
  'an answer that does not come is a timeout, one that breaks off a reset, and nobody there a refusal',
  async t => {
    const server = await listen(t, (request, response) => {
      if (request.url === '/silent') return
      response.writeHead(200, { 'content-length': '10' })
      response.write('12345', () => request.socket.destroy())
    })
    const silent = await client.exchange({ requests: [{ target: '/silent' }] }, await optionsFor(server.url, 300))
    t.equal(silent.error, 'timeout')
    t.same(silent.answers, [null])
    const cut = await client.exchange({ requests: [{ target: '/cut' }] }, await optionsFor(server.url))
    t.equal(cut.error, 'reset')
    t.equal(cut.answers[0]!.body.toString(), '12345')
    const left = await client.exchange(
      { requests: [{ target: '/silent' }], leaveAfterMs: 20 },
      await optionsFor(server.url),
    )
    t.match({ hasLeft: left.hasLeft, error: left.error }, { hasLeft: true, error: null })
    server.close()
    const nobody = await client.exchange({ requests: [{ target: '/' }] }, await optionsFor(server.url))
    t.match(nobody, { error: 'refused', connectError: 'ECONNREFUSED' })
  },
)

t.test('a WebSocket gets what the peer sends', async t => {
  const server = await serve(t, { plugins: ['websocket', 'probe'] })
  const talk = await client.webSocket(
    { target: '/ws', messages: ['one', 'two'], forMs: 400 },
    await optionsFor(server.url),
  )
  t.match(talk, { status: 101, error: null })
  const texts = talk.messages.map(({ data }) => data.toString())
  t.ok(texts.includes('one') && texts.includes('two'), texts.join())
  const refused = await client.webSocket({ target: '/nothing', messages: [], forMs: 100 }, await optionsFor(server.url))
  t.match(refused, { status: 404, messages: [] })
})

t.test('a call of gRPC has its messages and status', async t => {
  const server = await serve(t, { plugins: ['grpc', 'probe'], env: { SVC_GRPC_ON_HTTP: 'true' } })
  const message = Buffer.concat([Buffer.from([0x0a, 5]), Buffer.from('hello')])
  const call = await client.grpc(
    { path: '/svc.echo.v1.EchoService/Nothing', messages: [message] },
    await optionsFor(server.url),
  )
  t.equal(call.status, 12)
  t.match(call.statusMessage, /Nothing/)
  const web = await client.grpc(
    { path: '/svc.echo.v1.EchoService/Echo', messages: [message], isWeb: true, metadata: [['x-a', '1']] },
    await optionsFor(server.url),
  )
  t.match(web, { status: 0, error: null })
  t.equal(web.messages[0]!.toString('latin1', 2, 7), 'hello')
  t.match(web.answers[0]!.field('content-type'), [/^application\/grpc-web/])
})

function listen(
  t: { teardown(callback: () => unknown): unknown },
  handler: Parameters<typeof createServer>[1],
): Promise<{ url: string; close(): void }> {
  const server: Server = createServer(handler!)
  const close = (): void => {
    server.closeAllConnections()
    server.close()
  }
  t.teardown(close)
  return new Promise(resolve =>
    server.listen(0, '127.0.0.1', () =>
      resolve({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close }),
    ),
  )
}
