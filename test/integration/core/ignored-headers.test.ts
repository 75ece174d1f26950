/** Invalid fault headers: no effect, and the response contains the expected form. */
import t from 'tap'
import { WebSocket } from 'ws'
import { connect } from 'node:http2'
import { send } from '../../support/request.ts'
import { serve } from '../../support/server.ts'

const server = await serve(t, { plugins: ['echo', 'websocket', 'llm', 'llm-openai'] })

const WRONG: Record<string, string[]> = {
  'X-Svc-Delay': ['1s', '-1', '1.5', '', 'soon', '0x10'],
  'X-Svc-Abort': ['rst', 'reset:101', 'reset:x', '', 'truncate 50'],
  'X-Svc-Fail': ['rate_limt', '503:150', '399', '600', '', '50x', '503:-1'],
}
const ignoredOf = (reply: { lines: [string, string][] }): string[] =>
  reply.lines.filter(([name]) => name === 'x-svc-ignored').map(([, value]) => value)

t.test('an invalid value has no effect and is reported [FAULT-20]', async t => {
  for (const [name, values] of Object.entries(WRONG)) {
    for (const value of values) {
      for (const path of ['/echo', '/no-such-path']) {
        const reply = await send(server.url, path, { headers: { [name]: value } })
        t.equal(reply.status, path === '/echo' ? 200 : 404, `${name}: ${value}`)
        t.equal(reply.headers['x-svc-fault'], undefined)
        const [ignored, ...others] = ignoredOf(reply)
        t.match(ignored, new RegExp(`^${name}; expected `), `${name}: ${value}`)
        t.strictSame(others, [])
      }
    }
  }
  const all = await send(server.url, '/echo', {
    headers: { 'X-Svc-Delay': 'a', 'X-Svc-Abort': 'b', 'X-Svc-Fail': 'c' },
  })
  t.strictSame(
    ignoredOf(all).map(line => line.split(';')[0]),
    ['X-Svc-Delay', 'X-Svc-Abort', 'X-Svc-Fail'],
    'a line each',
  )
  const mixed = await send(server.url, '/echo', { headers: { 'X-Svc-Delay': 'a', 'X-Svc-Fail': '503' } })
  t.equal(mixed.status, 503)
  t.strictSame(ignoredOf(mixed).length, 1, 'on the injected failure too')
})

t.test('valid values, and paths without faults, report nothing [FAULT-20]', async t => {
  const harmless: Record<string, string>[] = [
    {},
    { 'X-Svc-Delay': ' 0 ' },
    { 'X-Svc-Fail': '503:0' },
    { 'X-Svc-Abort': 'reset:0' },
  ]
  for (const headers of harmless) {
    t.strictSame(ignoredOf(await send(server.url, '/echo', { headers })), [])
  }
  t.strictSame(ignoredOf(await send(server.url, '/_svc/ready', { headers: { 'X-Svc-Fail': 'x' } })), [])
})

t.test('headers of mock models with an invalid value are reported [FAULT-20]', async t => {
  const wrong: Record<string, string[]> = {
    'X-Svc-Mode': ['loud', ''],
    'X-Svc-Latency-Ms': ['1s', '-1', '1.5', ''],
    'X-Svc-TTFT-Ms': ['soon'],
    'X-Svc-Tokens-Per-Second': ['fast'],
    'X-Svc-Jitter': ['10%'],
    'X-Svc-Load': ['many', '-1'],
    'X-Svc-Require-Auth': ['maybe', ''],
  }
  const body = JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'hi' }] })
  const ask = (headers: Record<string, string>, text = body) =>
    send(server.url, '/ai/v1/chat/completions', { method: 'POST', headers, body: text })
  for (const [name, values] of Object.entries(wrong))
    for (const value of values) {
      const reply = await ask({ [name]: value })
      t.equal(reply.status, 200, `${name}: ${value}`)
      t.match(ignoredOf(reply), [new RegExp(`^${name}; (?:expected|the provider has)`)], `${name}: ${value}`)
    }
  t.match(ignoredOf(await ask({ 'X-Svc-Mode': 'loud' }, 'no JSON')), [/^X-Svc-Mode; /], 'on an error too')
  const valid = {
    'X-Svc-Mode': ' Echo ',
    'X-Svc-Latency-Ms': '1',
    'X-Svc-TTFT-Ms': '0',
    'X-Svc-Tokens-Per-Second': '0',
    'X-Svc-Jitter': '5',
    'X-Svc-Load': '1',
    'X-Svc-Require-Auth': 'false',
  }
  t.strictSame(ignoredOf(await ask(valid)), [])
})

t.test('handshakes, HTTP/2 and routes that read the header themselves report it too [FAULT-20]', async t => {
  const socket = new WebSocket(`${server.url.replace('http', 'ws')}/ws`, {
    headers: { 'X-Svc-Fail': 'nope', 'X-Svc-Delay': 'nope' },
  })
  const lines = await new Promise<string[]>((resolve, reject) => {
    socket
      .on('upgrade', ({ rawHeaders }) =>
        resolve(rawHeaders.filter((_, index) => rawHeaders[index - 1]?.toLowerCase() === 'x-svc-ignored')),
      )
      .on('error', reject)
  })
  socket.close()
  t.equal(lines.length, 2)

  const body = JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content: 'hello' }] })
  const completion = await send(server.url, '/ai/v1/chat/completions', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-Svc-Fail': 'rate_limt' },
    body,
  })
  t.equal(completion.status, 200)
  t.match(ignoredOf(completion)[0], /^X-Svc-Fail; expected a status from 400 to 599 or one of .*rate_limit/)
  const limited = await send(server.url, '/ai/v1/chat/completions', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-Svc-Fail': 'rate_limit' },
    body,
  })
  t.equal(limited.status, 429)
  t.strictSame(ignoredOf(limited), [])

  const second = await serve(t, { plugins: ['echo'], env: { SVC_GRPC_ON_HTTP: 'true' } })
  const session = connect(second.url)
  t.teardown(() => session.close())
  const head = await new Promise<Record<string, unknown>>((resolve, reject) => {
    session.request({ ':path': '/echo', 'x-svc-fail': 'nope' }).on('response', resolve).on('error', reject).resume()
  })
  t.match(head['x-svc-ignored'], /^X-Svc-Fail; expected/)
})
