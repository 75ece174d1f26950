/**
 * Clients that ask for answers, streams and calls and never read them, ten at once.
 * Measures: memory and processor time of a process.
 */
import t, { type Test } from 'tap'
import { WebSocket } from 'ws'
import { ADMIN_TOKEN, attackedServer, type AttackedServer, type Cost } from '../../support/attacked-server.ts'
import { echoRequest, http2Requests, unreadClients } from '../../support/unread.ts'

t.setTimeout(600_000)

const TIMES = 10
const MAX_GROWN_MIB = 64
const MAX_WAIT_MS = 250
const KIB = 1024

function expectCheap(t: Test, cost: Cost): void {
  t.comment(JSON.stringify({ ...cost, ready: [...cost.ready], results: undefined }))
  t.equal(cost.exit, null, 'the process goes on')
  t.ok(cost.grownMib < MAX_GROWN_MIB, `memory grew by ${cost.grownMib} MiB`)
  t.ok(cost.slowestWaitMs < MAX_WAIT_MS, `others waited for ${cost.slowestWaitMs} ms`)
  t.strictSame([...cost.ready.keys()], [200], 'others were served')
}

/** What is compiled and allocated once, such as the space for new objects, is not the cost of the attack. */
async function warmUp(server: AttackedServer, attack: () => Promise<unknown>): Promise<void> {
  await server.attack(2, attack)
}

/** A request with a body of 60 KB that a rule answers with sixteen times as much. */
const BODY = Buffer.from(JSON.stringify({ text: 'x'.repeat(60 * KIB) }))

async function storeRules(server: AttackedServer): Promise<void> {
  const rules = {
    whole: { respond: { body: '{{request.body.text}}'.repeat(16), template: true } },
    chunks: {
      respond: {
        chunks: Array.from({ length: 16 }, () => ({ text: '{{request.body.text}}' })),
        template: true,
      },
    },
  }
  for (const [name, then] of Object.entries(rules)) {
    const response = await fetch(`${server.url}/_svc/rules/${name}`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${ADMIN_TOKEN}` },
      body: JSON.stringify({ match: { path: `/echo/${name}` }, then: [then] }),
    })
    if (response.status > 201) throw new Error(await response.text())
    const answer = await fetch(`${server.url}/echo/${name}`, { method: 'POST', body: '{"text":"ab"}' })
    if ((await answer.text()) !== 'ab'.repeat(16)) throw new Error(`the rule ${name} does not answer`)
  }
}

for (const isPublic of [false, true]) {
  const mode = isPublic ? 'public mode' : 'default mode'

  t.test(`calls whose replies nobody reads, ${mode} [GRPC-31] [UNSENT-5]`, async t => {
    const server = await attackedServer(t, { isPublic, env: { SVC_GRPC_ON_HTTP: 'true' } })
    const grpc = await server.port('gRPC')
    const https = await server.port('HTTPS')
    const clients = unreadClients(grpc)
    t.teardown(() => clients.cutAll())
    // The services are loaded with the first call.
    await clients.calls(server.url, { calls: 1, messages: 1, messageBytes: 1 })
    for (const url of [server.url, `http://127.0.0.1:${grpc}`, `https://127.0.0.1:${https}`]) {
      const cost = await server.attack(4, async () => {
        await clients.calls(url, { calls: 4, messages: 1000, messageBytes: 60_000 })
        clients.cutAll()
      })
      expectCheap(t, cost)
    }
    for (const bytes of [60_000, 1_000_000]) {
      const cost = await server.attack(TIMES, () =>
        clients.calls(server.url, { calls: 1, messages: 100, messageBytes: bytes }),
      )
      expectCheap(t, cost)
      clients.cutAll()
    }
  })

  t.test(`gRPC-Web calls whose replies nobody reads, ${mode} [UNSENT-5]`, async t => {
    const server = await attackedServer(t, { isPublic, env: { SVC_GRPC_ON_HTTP: 'true', SVC_BODY_LIMIT: '1048576' } })
    const clients = unreadClients(Number(new URL(server.url).port))
    t.teardown(() => clients.cutAll())
    const body = Buffer.concat(Array.from({ length: 500 }, () => echoRequest(60_000)))
    const head = `POST /svc.echo.v1.EchoService/BidiStream HTTP/1.1\r\nHost: svc.test\r\nContent-Type: application/grpc-web\r\nContent-Length: ${body.length}\r\n\r\n`
    const call = (): Promise<unknown> => clients.raw(Buffer.concat([Buffer.from(head), body]))
    await warmUp(server, call)
    clients.cutAll()
    expectCheap(t, await server.attack(TIMES, call))
  })

  t.test(`answers of rules that nobody reads, ${mode} [UNSENT-5]`, async t => {
    const server = await attackedServer(t, { isPublic, env: { SVC_GRPC_ON_HTTP: 'true' } })
    await storeRules(server)
    const clients = unreadClients(Number(new URL(server.url).port))
    t.teardown(() => clients.cutAll())
    const post = (path: string): Buffer =>
      Buffer.concat([
        Buffer.from(
          `POST ${path} HTTP/1.1\r\nHost: svc.test\r\nContent-Type: application/json\r\nContent-Length: ${BODY.length}\r\n\r\n`,
        ),
        BODY,
      ])
    const attacks: Record<string, () => Buffer> = {
      'whole bodies': () => post('/echo/whole'),
      'whole bodies, pipelined': () => Buffer.concat(Array.from({ length: 20 }, () => post('/echo/whole'))),
      'chunks, pipelined': () => Buffer.concat(Array.from({ length: 20 }, () => post('/echo/chunks'))),
    }
    for (const [name, bytes] of Object.entries(attacks))
      await t.test(name, async t => {
        expectCheap(t, await server.attack(TIMES, () => clients.raw(bytes())))
        clients.cutAll()
      })
  })

  t.test(`streams and sockets that nobody reads, ${mode} [UNSENT-5]`, async t => {
    const server = await attackedServer(t, { isPublic, env: { SVC_GRPC_ON_HTTP: 'true' } })
    const clients = unreadClients(Number(new URL(server.url).port))
    t.teardown(() => clients.cutAll())
    const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: svc.test\r\n\r\n`
    const attacks: Record<string, string> = {
      'bodies of 100 KB, pipelined': get('/bytes/102400').repeat(8),
      'streamed bytes, pipelined': get('/stream-bytes/102400').repeat(8),
      'the OpenAPI document, pipelined': get('/openapi.json').repeat(8),
      events: get('/sse?count=20&interval_ms=1').repeat(8),
    }
    for (const [name, request] of Object.entries(attacks))
      await t.test(name, async t => {
        // What is made once is not the cost of the attack.
        await fetch(server.url + request.split(' ')[1]!).then(async response => response.arrayBuffer())
        expectCheap(t, await server.attack(TIMES, () => clients.raw(request)))
        clients.cutAll()
      })
    await t.test('bodies over HTTP/2', async t => {
      const fields = { ':method': 'GET', ':path': '/bytes/102400', ':scheme': 'http', ':authority': 'svc.test' }
      expectCheap(t, await server.attack(TIMES, () => clients.raw(http2Requests(fields, 10))))
      clients.cutAll()
      // The answers of all would take 400 MB. The first time, the space for new objects grows too, which is kept.
      const attack = (): Promise<Cost> => server.attack(TIMES, () => clients.raw(http2Requests(fields, 400)))
      const { grownMib } = await attack()
      t.ok(grownMib < 3 * MAX_GROWN_MIB, `memory grew by ${grownMib} MiB the first time`)
      clients.cutAll()
      expectCheap(t, await attack())
      clients.cutAll()
    })
    await t.test('WebSockets', async t => {
      const open: WebSocket[] = []
      t.teardown(() => open.forEach(socket => socket.terminate()))
      const flood = async (): Promise<void> => {
        const socket = new WebSocket(`${server.url.replace('http', 'ws')}/ws`)
        await new Promise((resolve, reject) => socket.on('open', resolve).on('error', reject))
        socket.pause()
        open.push(socket)
        // As many as the server takes.
        await new Promise<void>(resolve => {
          let left = 500
          const timer = setInterval(() => {
            if (left-- === 0) {
              clearInterval(timer)
              resolve()
            } else if (socket.bufferedAmount === 0) socket.send(Buffer.alloc(60_000))
          }, 5)
        })
      }
      await warmUp(server, flood)
      for (const socket of open.splice(0)) socket.terminate()
      expectCheap(t, await server.attack(TIMES, flood))
    })
  })
}
