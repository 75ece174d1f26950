/** Faults, bounds and steering of layer 4 connections. Takes long: connections wait for limits of time. */
import t from 'tap'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import { dial, exchange, readAll, readUntil, serveLayer4 } from '../../support/layer4.ts'

t.test('abort, delay, drip, max_bytes, on_fin, idle, lifetime [L4-4]', async t => {
  const server = await serveLayer4(t, {
    reset: { abort: 'reset' },
    later: { abort: 'reset:5', mode: 'discard' },
    close: { abort: 'close' },
    five: { abort: 'close:5' },
    hang: { abort: 'hang', idle_ms: 200 },
    half: { abort: 'half' },
    slow: { delay_ms: 150 },
    drip: { drip: { bytes: 2, interval_ms: 30 } },
    max: { max_bytes: 5 },
    rst: { on_fin: 'close' },
    stay: { on_fin: 'stay', idle_ms: 200 },
    life: { lifetime_ms: 200 },
  })
  const { open } = server
  t.ok((await readAll(await dial(open.reset!))).isReset)
  const later = await dial(open.later!)
  later.write('abcd')
  await wait(50)
  t.equal(later.readyState, 'open', 'after four bytes')
  later.write('e')
  t.ok((await readAll(later)).isReset, 'after five bytes')
  t.match(await readAll(await dial(open.close!)), { text: '', isReset: false })
  const five = await dial(open.five!)
  five.write('abcdefgh')
  t.match(await readAll(five), { text: 'abcde', isReset: false })
  const hang = await dial(open.hang!)
  hang.write('abc')
  const startedAt = performance.now()
  t.match(await readAll(hang), { text: '' })
  t.ok(performance.now() - startedAt >= 150, 'until it is idle')
  const half = await dial(open.half!)
  await readAll(half)
  t.ok(half.write('still read'))
  half.end()
  await once(half, 'close')
  const before = performance.now()
  t.equal(await exchange(open.slow!, 'x'), 'x')
  t.ok(performance.now() - before >= 140)
  const drip = await dial(open.drip!)
  const pieces: string[] = []
  drip.on('data', chunk => pieces.push(String(chunk)))
  drip.end('abcdef')
  await once(drip, 'end')
  t.strictSame(pieces, ['ab', 'cd', 'ef'])
  const max = await dial(open.max!)
  max.write('abcdefgh')
  t.match(await readAll(max), { text: 'abcde', isReset: false })
  const rst = await dial(open.rst!)
  rst.end()
  t.ok((await readAll(rst)).isReset)
  const stay = await dial(open.stay!)
  stay.end('abc')
  t.equal(await readUntil(stay, 'abc'), 'abc')
  const stayed = performance.now()
  await once(stay, 'close')
  t.ok(performance.now() - stayed >= 100, 'half open until it is idle')
  const life = await dial(open.life!)
  const born = performance.now()
  await readAll(life)
  t.ok(performance.now() - born >= 150)
})

t.test('a first line steers the connection [L4-2]', async t => {
  const { open } = await serveLayer4(t, { echo: { banner: 'hi\n' }, plain: {}, off: { directives: false } })
  t.equal(await exchange(open.plain!, 'SVC hash\r\nhello'), await exchange(open.plain!, 'SVC hash\n', 'hel', 'lo'))
  t.match(await exchange(open.plain!, 'SVC hash\nhello'), /^5 [0-9a-f]{64}\n$/)
  t.equal(
    await exchange(open.plain!, ...'SVC send=30 session=a\nend'),
    'abcdefghijklmnopqrstuvwxyzabcdend',
    'in pieces',
  )
  t.match(await exchange(open.plain!, 'SVC info\nx'), /^\{"listener":"plain".*\}\nx$/)
  t.equal(await exchange(open.plain!, 'SVC discard\nx'), '')
  t.equal(await exchange(open.echo!, 'SVC echo\nx'), 'hi\nx', 'the banner comes before')
  const reset = await dial(open.plain!)
  reset.write('SVC discard reset=3\nabc')
  t.ok((await readAll(reset)).isReset)
  const half = await dial(open.plain!)
  half.write('SVC half\nabc')
  t.match(await readAll(half), { text: '', isReset: false })
  half.destroy()
  const before = performance.now()
  t.equal(await exchange(open.plain!, 'SVC delay=100 drip=1/10\nabc'), 'abc')
  t.ok(performance.now() - before >= 110)
  t.equal(await exchange(open.plain!, 'SV'), 'SV', 'what does not begin so is data')
  t.equal(await exchange(open.plain!, 'SVCX hash\n'), 'SVCX hash\n')
  t.equal(await exchange(open.off!, 'SVC hash\nx'), 'SVC hash\nx')
})

t.test('a line that is wrong [LSN-3]', async t => {
  const { open } = await serveLayer4(t, { echo: {} })
  const refused = async (line: string | Buffer): Promise<string> => {
    const socket = await dial(open.echo!)
    socket.write(line)
    const { text } = await readAll(socket)
    socket.destroy()
    return text
  }
  t.match(await refused('SVC nonsense\n'), /^SVC error: one of session, .*not nonsense\n$/)
  t.match(await refused('SVC \n'), /^SVC error: one of session/)
  t.match(await refused('SVC delay=x\n'), /^SVC error: delay=<n>, a whole number from 0 to \d+\n$/)
  t.match(await refused('SVC send=10485761\n'), /^SVC error: send=<n>/)
  t.match(await refused('SVC session=a/b\n'), /^SVC error: session=<name>/)
  t.match(await refused('SVC hash=1\n'), /^SVC error: hash without a value\n$/)
  t.match(await refused('SVC drip=1\n'), /^SVC error: drip=<bytes>\/<ms>\n$/)
  t.match(await refused(`SVC ${'x'.repeat(508)}\n`), /^SVC error: a line of at most 512 bytes\n$/, '513 bytes')
  t.match(await refused(Buffer.from([...Buffer.from('SVC '), 0, 255, 10])), /^SVC error: a line of printable ASCII\n$/)
  t.match(await refused('SVC hash'), /^SVC error: a whole line within 2 s\n$/, 'without an end')
})

t.test('the first line of a datagram steers its answer [L4-2]', async t => {
  const { open } = await serveLayer4(t, { udp: { transport: 'udp' } })
  const socket = createSocket('udp4')
  const answers: string[] = []
  socket.on('message', message => answers.push(String(message)))
  const ask = async (text: string, count = 1): Promise<string[]> => {
    answers.length = 0
    socket.send(text, open.udp!, '127.0.0.1')
    while (answers.length < count) await once(socket, 'message')
    return [...answers]
  }
  socket.send('SVC drop\nlost', open.udp!, '127.0.0.1')
  t.strictSame(await ask('here'), ['here'], 'the dropped one has no answer')
  t.strictSame(await ask('SVC twice\nx', 2), ['x', 'x'])
  t.strictSame(await ask('SVC size=5\nabc'), ['abc..'])
  t.strictSame(await ask('SVC size=2\nabc'), ['ab'])
  t.match(await ask('SVC hash\nabc'), [/^3 [0-9a-f]{64}$/])
  t.match(await ask('SVC info'), [/^\{"listener":"udp"/])
  const before = performance.now()
  t.strictSame(await ask('SVC delay=100\nabc'), ['abc'])
  t.ok(performance.now() - before >= 90)
  t.match(await ask('SVC reset\nabc'), [/^SVC error: one of session, delay, drop, twice, size/])
  socket.close()
})

t.test('public mode: the answers to a datagram are no longer than it, together [L4-5]', async t => {
  const { open } = await serveLayer4(t, { udp: { transport: 'udp' } }, { SVC_PUBLIC_MODE: 'true' })
  const socket = createSocket('udp4')
  const lengths: number[] = []
  socket.on('message', ({ length }) => lengths.push(length))
  const ask = async (text: string, count: number): Promise<number[]> => {
    lengths.length = 0
    socket.send(text, open.udp!, '127.0.0.1')
    while (lengths.length < count) await once(socket, 'message')
    return [...lengths]
  }
  t.strictSame(await ask('SVC size=9000\nabcd', 1), [18])
  t.strictSame(await ask(`SVC twice\n${'x'.repeat(30)}`, 2), [30, 10])
  t.strictSame(await ask('SVC wrong', 1), ['SVC wrong'.length], 'the error is cut')
  // Nothing is left for the second answer; the next datagram has the next answer.
  await ask('SVC twice size=9000\n', 1)
  t.strictSame(await ask('abc', 1), [3])
  socket.close()
})

t.test('a client that never reads: reading stops, and memory stays [LSN-3]', async t => {
  const { open } = await serveLayer4(t, { echo: { directives: false } })
  const socket = await dial(open.echo!)
  socket.pause()
  let sent = 0
  const piece = Buffer.alloc(65_536, 'x')
  // Nothing is accepted any more once the buffers of both sides are full.
  for (let isFull = false; !isFull && sent < 100 * 1024 * 1024; ) {
    sent += piece.length
    if (socket.write(piece)) continue
    isFull = !(await Promise.race([once(socket, 'drain').then(() => true), wait(500).then(() => false)]))
  }
  t.ok(sent < 100 * 1024 * 1024, `${sent} bytes`)
  let received = 0
  socket.on('data', chunk => (received += chunk.length))
  socket.end()
  socket.resume()
  await once(socket, 'end')
  t.equal(received, sent, 'all comes back once the client reads')
  socket.destroy()
})

t.test('clients that ask for much and never read do not keep others waiting [LSN-3]', async t => {
  const { open } = await serveLayer4(t, { eb: { mode: 'echo-basic' }, echo: {} })
  const lines = Buffer.from('TEST\n'.repeat(20_000))
  const greedy = await Promise.all(Array.from({ length: 60 }, () => dial(open.eb!)))
  for (const socket of greedy) socket.pause().write(lines)
  t.match(await exchange(open.eb!, 'PING\n'), /PONG/)
  t.equal(await exchange(open.echo!, 'hi'), 'hi')
  const [first, ...others] = greedy
  for (const socket of others) socket.destroy()
  first!.resume().end()
  const { text } = await readAll(first!)
  t.equal(text.match(/"isTLS":false/g)?.length, 20_000, 'one that reads late gets all')
  first!.destroy()
})

t.test('faults set by the control plane [L4-2]', async t => {
  const server = await serveLayer4(t, { echo: { delay_ms: 1 }, other: {}, datagrams: { transport: 'udp' } })
  const { open, url } = server
  const put = async (name: string, body: unknown): Promise<{ status: number; body: Record<string, unknown> }> => {
    const response = await fetch(`${url}/_svc/layer4/${name}`, { method: 'PUT', body: JSON.stringify(body) })
    return { status: response.status, body: (await response.json()) as Record<string, unknown> }
  }
  t.match(await put('echo', { abort: 'reset', times: 2 }), {
    status: 200,
    body: { name: 'echo', port: open.echo, override: { abort: 'reset', times: 2 } },
  })
  t.ok((await readAll(await dial(open.echo!))).isReset)
  t.ok((await readAll(await dial(open.echo!))).isReset)
  t.equal(await exchange(open.echo!, 'x'), 'x', 'only the next two')
  t.equal(await exchange(open.other!, 'x'), 'x')
  await put('echo', { abort: 'close' })
  t.equal(await exchange(open.echo!, 'x'), '')
  t.match(await (await fetch(`${url}/_svc/layer4`)).json(), {
    listeners: [
      { name: 'echo', settings: { mode: 'echo', delay_ms: 1 }, override: { abort: 'close' } },
      { name: 'other', override: null },
      { name: 'datagrams', override: null },
    ],
  })
  const removed = await fetch(`${url}/_svc/layer4/echo`, { method: 'DELETE' })
  t.match(await removed.json(), { override: null })
  t.equal(await exchange(open.echo!, 'x'), 'x')
  await put('echo', { abort: 'close' })
  await fetch(`${url}/_svc/reload?force=true`, { method: 'POST' })
  t.equal(await exchange(open.echo!, 'x'), 'x', 'until the next reload')
  t.match(await put('ehco', {}), {
    status: 404,
    body: { error: 'unknown_listener', did_you_mean: 'echo', listeners: ['echo', 'other', 'datagrams'] },
  })
  for (const [body, at] of [
    [[], ''],
    [{ abort: 'explode' }, 'abort'],
    [{ times: 0 }, 'times'],
    [{ drip: { bytes: 1 } }, 'drip.interval_ms'],
    [{ tls: true }, 'tls'],
  ])
    t.match(await put('echo', body), { status: 400, body: { error: 'invalid_layer4', at } }, JSON.stringify(body))
  t.match(await put('datagrams', { delay_ms: 1 }), { status: 200, body: { override: { delay_ms: 1 } } })
  for (const body of [{ abort: 'reset' }, { drip: { bytes: 1, interval_ms: 1 } }, { delay_ms: 1, times: 2 }])
    t.match(
      await put('datagrams', body),
      { status: 400, body: { error: 'invalid_layer4', details: /is only for transport tcp$/ } },
      `a datagram has no connection: ${JSON.stringify(body)}`,
    )
})

t.test('settings that are wrong are load errors [LSN-3]', async t => {
  const server = await serveLayer4(t, {
    good: {},
    fixed: { mode: 'fixed' },
    raw: { transport: 'udp', mode: 'raw-headers' },
    udp: { transport: 'udp', abort: 'reset' },
    mode: { mode: 'ecko' },
    of: { mode: 'echo-basic', tls: true, tls_port_of: 'goood' },
  })
  t.match(
    server
      .problems()
      .map(({ at, message }) => `${at}: ${message}`)
      .toSorted(),
    [
      /^layer4\.listeners\[1\]: the mode fixed needs a text/,
      /^layer4\.listeners\[2\]\.mode: the mode raw-headers is only for transport tcp/,
      /^layer4\.listeners\[3\]\.abort: abort is only for transport tcp/,
      /^layer4\.listeners\[4\]\.mode: expected "echo"/,
      /^layer4\.listeners\[5\]\.tls_port_of: unknown listener "goood" \(did you mean "good"\?\)/,
    ],
  )
  t.equal(await exchange(server.open.good!, 'x'), 'x', 'the rest is served')
})
