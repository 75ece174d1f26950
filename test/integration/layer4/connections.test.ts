/** Connections in the control plane: list, waits, feed, verification, deletion. */
import t from 'tap'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { connect as connectTls } from 'node:tls'
import { dial, exchange, readAll, serveLayer4, type Layer4Server } from '../../support/layer4.ts'
import { until } from '../../support/until.ts'

interface Entry {
  id: string
  listener: string
  end: string
  session: string | null
  [key: string]: unknown
}

async function list(
  server: Layer4Server,
  query = '',
): Promise<{ count: number; connections: Entry[]; [key: string]: unknown }> {
  const response = await fetch(`${server.url}/_svc/connections${query}`)
  return (await response.json()) as { count: number; connections: Entry[] }
}

async function verify(
  server: Layer4Server,
  body: object,
  query = '',
): Promise<{ status: number; body: Record<string, unknown> }> {
  const response = await fetch(`${server.url}/_svc/verify${query}`, { method: 'POST', body: JSON.stringify(body) })
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}

t.test('connections are listed from their beginning to their end [L4-3]', async t => {
  const server = await serveLayer4(t, {
    echo: { banner: 'hi' },
    secure: { tls: { client: 'require' } },
    udp: { transport: 'udp' },
    reset: { abort: 'reset' },
  })
  const { open } = server
  const socket = await dial(open.echo!)
  await once(socket, 'data')
  socket.write('SVC session=s-1 delay=1\nhello')
  await once(socket, 'data')
  const { connections } = await list(server, '?wait_for=1&listener=echo&data_contains=hello')
  t.match(connections, [
    {
      kind: 'tcp',
      listener: 'echo',
      mode: 'echo',
      started_at: /Z$/,
      ended_at: null,
      duration_ms: null,
      client_ip: '127.0.0.1',
      peer: { address: '127.0.0.1', port: socket.localPort },
      local: { address: '127.0.0.1', port: open.echo },
      session: 's-1',
      proxy_protocol: null,
      tls: null,
      received: {
        bytes: 29,
        datagrams: null,
        data: 'SVC session=s-1 delay=1\nhello',
        data_base64: null,
        truncated: false,
      },
      sent: { bytes: 7 },
      directives: ['session=s-1', 'delay=1'],
      fault: 'delay',
      end: 'open',
      error: null,
    },
  ])
  t.strictSame(await (await fetch(`${server.url}/_svc/connections/${connections[0]!.id}`)).json(), connections[0])
  socket.end()
  const ended = await list(server, '?session=s-1&end=client_fin&wait_for=1')
  t.match(ended, { satisfied: true, count: 1, connections: [{ ended_at: /Z$/, duration_ms: Number }] })

  await readAll(await dial(open.reset!))
  t.match((await list(server, '?listener=reset&end=server_reset&wait_for=1')).connections, [{ fault: 'reset' }])
  const failing = connectTls({ port: open.secure!, host: '127.0.0.1', rejectUnauthorized: false, servername: 'a.test' })
  failing.on('error', () => {}).resume()
  t.match((await list(server, '?kind=tls&end=tls_failed&wait_for=1')).connections, [
    { error: 'certificate_required', listener: 'secure' },
  ])
  const garbage = await dial(open.secure!)
  garbage.write('GET / HTTP/1.1\r\n\r\n')
  t.match(await list(server, '?end=tls_failed&wait_for=2'), { satisfied: true })
  const udp = createSocket('udp4')
  udp.send('one', open.udp!, '127.0.0.1')
  await once(udp, 'message')
  udp.send(Buffer.from([255]), open.udp!, '127.0.0.1')
  await once(udp, 'message')
  t.match((await list(server, '?kind=udp')).connections, [
    {
      received: {
        bytes: 4,
        datagrams: 2,
        data: null,
        data_base64: Buffer.from('one\xff', 'latin1').toString('base64'),
      },
      sent: { bytes: 4 },
    },
  ])
  udp.close()
  t.equal((await list(server, '?limit=1')).connections[0]!.listener, 'udp', 'newest first')
  t.equal((await list(server, '?order=oldest&limit=1')).connections[0]!.listener, 'echo')
  t.ok((await list(server, `?since=${connections[0]!.id}`)).connections.every(({ listener }) => listener !== 'echo'))
  const metrics = await (await fetch(`${server.url}/_svc/metrics`)).text()
  t.match(metrics, /svc_datagrams_total\{direction="received"[^}]*\} 2/)
  t.match(metrics, /svc_connections_total\{kind="tls",listener="secure",end="tls_failed"[^}]*\} 2/)
})

t.test('a client that connects and closes does not wait for the time of a handshake [LSN-3]', async t => {
  const server = await serveLayer4(t, { secure: { tls: true }, strict: { proxy_protocol: 'strict' } })
  const { open } = server
  for (const port of [open.secure!, open.strict!]) {
    const socket = await dial(port)
    socket.end()
    t.equal((await readAll(socket)).text, '')
    socket.destroy()
  }
  t.match((await list(server, '?listener=secure&end=tls_failed&wait_for=1')).connections, [
    { error: 'the connection was closed during the handshake' },
  ])
})

t.test('what is kept is bounded [L4-5]', async t => {
  const server = await serveLayer4(t, { discard: { mode: 'discard' } }, { SVC_INSPECTOR_CAPACITY: '3' })
  for (let index = 0; index < 5; index++) await exchange(server.open.discard!, `number ${index}`)
  await until(async () => (await list(server)).connections.every(({ end }) => end === 'client_fin'))
  t.match(await list(server), { count: 3, capacity: 3 })
  const socket = await dial(server.open.discard!)
  socket.end('é'.repeat(20_000))
  const { connections } = await list(server, '?data_contains=%C3%A9&end=client_fin&wait_for=1')
  const { received } = connections[0] as unknown as { received: { bytes: number; data: string; truncated: boolean } }
  t.match(received, { bytes: 40_000, truncated: true })
  t.equal(received.data.length, 8192)
})

t.test('the feed has the beginning and the end [L4-3]', async t => {
  const server = await serveLayer4(t, { echo: {}, other: {} })
  const response = await fetch(`${server.url}/_svc/connections/stream?listener=echo`)
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  const readTo = async (count: number): Promise<void> => {
    while ((text.match(/^event: connection$/gm) ?? []).length < count) {
      const { value, done } = await reader.read()
      if (done) throw new Error(`the feed ended: ${text}`)
      text += value
    }
  }
  await reader.read()
  await exchange(server.open.other!, 'x')
  await exchange(server.open.echo!, 'hello')
  await readTo(2)
  const entries = [...text.matchAll(/^data: (.*)$/gm)].map(([, data]) => JSON.parse(data!) as Entry)
  t.match(entries, [
    { listener: 'echo', end: 'open' },
    { listener: 'echo', end: 'client_fin', received: { data: 'hello' } },
  ])
  await reader.cancel()
})

t.test('verification [L4-3]', async t => {
  const server = await serveLayer4(t, { echo: {}, other: {} })
  await exchange(server.open.echo!, 'hello')
  await exchange(server.open.echo!, 'hello again')
  await list(server, '?end=client_fin&wait_for=2')
  t.match(await verify(server, { connections: { listener: 'echo', data: { contains: 'hello' } }, exactly: 2 }), {
    status: 200,
    body: { verified: true, count: 2, expected: 'exactly 2', connections: [String, String] },
  })
  t.match(await verify(server, { connections: { data: 'hello', bytes: { gte: 5 }, end: 'client_fin' } }), {
    status: 200,
  })
  t.match(await verify(server, { connections: { fault: 'reset' }, none: true }), { status: 200 })
  t.match(await verify(server, { connections: { listener: 'other' } }), {
    status: 409,
    body: {
      verified: false,
      error: 'verification_failed',
      count: 0,
      looked_at: 2,
      message: /expected at least 1 matching connections, got 0; the closest is one of echo, which differs in listener/,
      closest: [{ matched: 0, of: 1, differences: [{ at: 'listener', expected: 'other', actual: 'echo' }] }],
    },
  })
  const waiting = verify(server, { connections: { listener: 'other' }, within_ms: 10_000 })
  await exchange(server.open.other!, 'x')
  t.match(await waiting, { status: 200, body: { count: 1 } })
  t.match(await verify(server, { connections: { lisstener: 'x' } }), {
    status: 400,
    body: { error: 'invalid_verification', at: /lisstener/ },
  })
  t.match(await verify(server, { connections: {}, order: [] }), { status: 400 })
  t.match(await verify(server, { connections: {} }, '?session=other'), { status: 409, body: { looked_at: 0 } })
})

t.test('sessions, deletion and reset [L4-3]', async t => {
  const server = await serveLayer4(t, { echo: {} })
  for (const session of ['one', 'two', 'three']) await exchange(server.open.echo!, `SVC session=${session}\nx`)
  await list(server, '?end=client_fin&wait_for=3')
  const cleared = await fetch(`${server.url}/_svc/connections?session=one`, { method: 'DELETE' })
  t.match(await cleared.json(), { cleared: 1, session: 'one' })
  const reset = await fetch(`${server.url}/_svc/reset?session=two`, {
    method: 'POST',
    body: '{"kinds":["connections"]}',
  })
  t.match(await reset.json(), { removed: { connections: 1 } })
  t.match(await list(server), { count: 1, connections: [{ session: 'three' }] })
  t.match(await (await fetch(`${server.url}/_svc/connections`, { method: 'DELETE' })).json(), { cleared: 1 })
  t.equal((await fetch(`${server.url}/_svc/connections/nothing`)).status, 404)
})

t.test('filters that are wrong [LSN-3]', async t => {
  const server = await serveLayer4(t, { echo: {} })
  for (const query of [
    'kind=sctp',
    'end=client_finn',
    'since=yesterday',
    'limit=x',
    'wait_for=0',
    'listner=echo',
    'sni=a&sni=b',
    'order=up',
  ]) {
    const response = await fetch(`${server.url}/_svc/connections?${query}`)
    t.equal(response.status, 400, query)
  }
  t.match(await (await fetch(`${server.url}/_svc/connections?listner=echo`)).json(), {
    error: 'invalid_filter',
    parameter: 'listner',
    did_you_mean: 'listener',
  })
})

t.test('public mode: only those of a session [L4-3]', async t => {
  const server = await serveLayer4(t, { echo: {} }, { SVC_PUBLIC_MODE: 'true' })
  await exchange(server.open.echo!, 'SVC session=mine\nx')
  t.equal((await fetch(`${server.url}/_svc/connections`)).status, 400)
  t.equal((await fetch(`${server.url}/_svc/connections/stream`)).status, 400)
  t.match(await list(server, '?session=theirs'), { count: 0 })
  const { connections } = await list(server, '?session=mine&wait_for=1')
  t.equal(connections.length, 1)
  t.equal((await fetch(`${server.url}/_svc/connections/${connections[0]!.id}`)).status, 404)
  t.equal((await fetch(`${server.url}/_svc/connections/${connections[0]!.id}?session=mine`)).status, 200)
  t.match(await verify(server, { connections: {} }), { status: 400 })
  t.equal((await fetch(`${server.url}/_svc/layer4/echo`, { method: 'PUT', body: '{}' })).status, 403)
})

t.test('bounds of connections, and the plan [L4-5]', async t => {
  const server = await serveLayer4(t, { echo: {} }, { SVC_PUBLIC_MODE: 'true' })
  const sockets = await Promise.all(Array.from({ length: 11 }, () => dial(server.open.echo!)))
  t.match(await Promise.any(sockets.map(readAll)), { text: '' }, 'one too many is closed')
  const refused = await (await fetch(`${server.url}/_svc/metrics`)).text()
  t.match(refused, /svc_connections_total\{kind="tcp",listener="echo",end="limit"[^}]*\} 1$/m, 'ten of one client')
  for (const socket of sockets) socket.destroy()
  const limited = await serveLayer4(t, { echo: {} }, { SVC_LIMIT_REQUESTS: '2' })
  t.equal(await exchange(limited.open.echo!, 'one'), 'one')
  t.equal(await exchange(limited.open.echo!, 'two'), 'two')
  t.match(await readAll(await dial(limited.open.echo!)), { text: '' })
  const metrics = await (await fetch(`${limited.url}/_svc/metrics`)).text()
  t.match(metrics, /svc_connections_total\{kind="tcp",listener="echo",end="limit"[^}]*\} 1/)
})
