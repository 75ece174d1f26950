/** Hostile clients of graphs: uploads, subscriptions that are never read, URLs of callbacks. Each has an answer, and memory is bounded. */
import t from 'tap'
import { connect, type Socket } from 'node:net'
import { WebSocket } from 'ws'
import { mockServer } from '../mocks/client.ts'
import { until } from '../../support/until.ts'

// Starting a server can take seconds on a busy machine.
t.setTimeout(600_000)

const server = await mockServer(t, { plugins: ['mocks', 'graphql', 'graphql-subgraphs'] })
const { url } = server
const { hostname, port } = new URL(url)
const REVIEWS = `${url}/graphql/subgraphs/reviews`
const ATTACH = 'mutation($photo: Upload!) { attachPhoto(reviewId: "r1", photo: $photo) { bytes } }'
const BOUNDARY = 'edge'

const part = (name: string, value: string, file = ''): string =>
  `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"${file}\r\n\r\n${value}\r\n`
const form = (operations: unknown, map: unknown, files = 1): string =>
  part('operations', typeof operations === 'string' ? operations : JSON.stringify(operations)) +
  part('map', typeof map === 'string' ? map : JSON.stringify(map)) +
  Array.from({ length: files }, (_, index) => part(String(index), 'a photo', '; filename="a.png"')).join('') +
  `--${BOUNDARY}--\r\n`

async function upload(body: string, type = `multipart/form-data; boundary=${BOUNDARY}`) {
  const headers = { 'content-type': type, 'apollo-require-preflight': '1' }
  const response = await fetch(REVIEWS, { method: 'POST', headers, body })
  return { status: response.status, text: await response.text() }
}

t.test('uploads of strangers [GQL-62]', async t => {
  const operation = { query: ATTACH, variables: { photo: null } }
  const right = { 0: ['variables.photo'] }
  t.match(await upload(form(operation, right)), { status: 200, text: '"bytes":7' })
  const nested = `${'{"a":'.repeat(5000)}null${'}'.repeat(5000)}`
  const bodies: Record<string, string> = {
    'no end': form(operation, right).slice(0, -8),
    'no parts': `--${BOUNDARY}--\r\n`,
    'nothing at all': '',
    'operations that are not JSON': form('{', right),
    'operations of null': form('null', right),
    'operations nested deeply': form(nested, { 0: [`${'a.'.repeat(4999)}a`] }),
    'a map that is a list': form(operation, [['variables.photo']]),
    'a map of a text': form(operation, { 0: 'variables.photo' }),
    'a map nested deeply': form(operation, nested),
    'a path of prototypes': form(operation, { 0: ['__proto__.polluted'] }),
    'a path of a constructor': form(operation, { 0: ['constructor.prototype.polluted'] }),
    'a path to a text': form(operation, { 0: ['query'] }),
    'a path of a number': form(operation, { 0: [5] }),
    'the same path twice': form(operation, { 0: ['variables.photo', 'variables.photo'] }),
    'a very long path': form(operation, { 0: ['a.'.repeat(200_000)] }),
    'many paths': form(operation, { 0: Array.from({ length: 100_000 }, () => 'variables.photo') }),
    'many files': form(operation, Object.fromEntries(Array.from({ length: 11 }, (_, n) => [n, []])), 11),
    'a file that map does not have': form(operation, { 7: ['variables.photo'] }),
    'the part operations as a file': form(operation, { operations: ['variables.photo'] }),
    'many parts': form(operation, right, 20_000),
    'a batch of files': form(
      Array.from({ length: 11 }, () => operation),
      { 0: ['0.variables.photo'] },
    ),
  }
  for (const [name, body] of Object.entries(bodies)) {
    const { status, text } = await upload(body)
    t.ok([400, 413, 422].includes(status) || (name === 'many parts' && status === 200), `${name}: ${status}`)
    t.notMatch(text, /INTERNAL_SERVER_ERROR|TypeError|RangeError|Unexpected error/, name)
  }
  t.equal(({} as { polluted?: unknown }).polluted, undefined)
  for (const type of [
    'multipart/form-data',
    'multipart/form-data; boundary=',
    `multipart/form-data; boundary=${'x'.repeat(1000)}`,
  ])
    t.match(await upload(form(operation, right), type), { status: 400 }, type.slice(0, 60))
  t.equal(
    (
      await fetch(`${url}/graphql`, {
        method: 'POST',
        headers: { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` },
        body: form(operation, right),
      })
    ).status,
    415,
  )
  const large =
    part('operations', JSON.stringify(operation)) +
    part('map', JSON.stringify(right)) +
    part('0', 'x'.repeat(40 << 20), '; filename="a"')
  t.match(await upload(`${large}--${BOUNDARY}--\r\n`), { status: 413 })
})

const FEED = `
type Query { none: Int }
type Subscription { rows(first: Int): [Row!]! }
type Row { id: ID! text: String! }
`
const TEXTS = Array.from({ length: 45 }, (_, index) => `text_with_a_long_name_${index}: text`).join(' ')
const ROWS = `subscription { rows(first: 100) { ${TEXTS} } }`
const STREAMS = 20

/** A client that sends a request and never reads. */
function neverReads(t: { teardown(callback: () => unknown): unknown }, accept: string): Socket {
  const body = JSON.stringify({ query: ROWS })
  const socket = connect(Number(port), hostname)
  socket.pause()
  socket.on('error', () => {})
  socket.write(
    `POST /mock/feed HTTP/1.1\r\nHost: x\r\nAccept: ${accept}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  )
  t.teardown(() => socket.destroy())
  return socket
}

async function openStreams(): Promise<number> {
  const { text } = await server.call('/_svc/metrics')
  return Number(/^svc_streams_open (\d+)$/m.exec(text)?.[1])
}

t.test('subscriptions that are never read hold little memory [GQL-66] [MOCK-104]', async t => {
  // Unbounded, each would hold 100 events of about 200 KB.
  await server.mock('feed', { spec: FEED, settings: { subscription: { count: 100, interval_ms: 50 } } })
  const before = process.memoryUsage()
  const clients = ['text/event-stream', 'multipart/mixed;subscriptionSpec=1.0'].flatMap(accept =>
    Array.from({ length: STREAMS / 2 }, () => neverReads(t, accept)),
  )
  const sockets = Array.from({ length: STREAMS / 2 }, () => {
    const socket = new WebSocket(`${url.replace('http', 'ws')}/mock/feed/ws`, 'graphql-transport-ws')
    socket.on('error', () => {})
    socket.on('open', () => socket.send('{"type":"connection_init"}'))
    socket.once('message', () => {
      socket.pause()
      socket.send(JSON.stringify({ id: '1', type: 'subscribe', payload: { query: ROWS } }))
    })
    t.teardown(() => socket.terminate())
    return socket
  })
  await until(async () => (await openStreams()) >= STREAMS, 'all have started')
  // In this time each that was read would have all of its events.
  await new Promise(resolve => setTimeout(resolve, 8_000))
  const { rss, external, arrayBuffers } = process.memoryUsage()
  const grown = (rss - before.rss) / (1 << 20)
  t.ok(external + arrayBuffers - before.external - before.arrayBuffers < 128 << 20, 'buffers')
  t.ok(grown < 256, `${grown.toFixed(0)} MiB`)
  t.match(await server.call('/mock/feed', { method: 'POST', body: { query: '{ none }' } }), { status: 200 })
  for (const client of clients) client.destroy()
  for (const socket of sockets) socket.terminate()
  await until(async () => (await openStreams()) === 0, 'all have ended')
})

t.test('URLs of callbacks that lead elsewhere [GQL-70]', async t => {
  for (const callbackUrl of [
    'http://0x7f000002/',
    'http://2130706434/',
    'http://127.2/',
    'http://[::ffff:127.0.0.2]/',
    'http://[::]/',
    'http://localhost.example.com/',
    'http://127.0.0.1.nip.io/',
    'http://metadata.google.internal/',
    'http://127.0.0.1@192.0.2.1/',
    'http://192.0.2.1#@127.0.0.1/',
    'http://192.0.2.1\\@127.0.0.1/',
    'ftp://127.0.0.1/',
    'javascript:alert(1)',
    'http://',
    '//127.0.0.1/',
    `http://127.0.0.1/${'x'.repeat(3000)}`,
  ]) {
    const extensions = { subscription: { callbackUrl, subscriptionId: 's', verifier: 'v', heartbeatIntervalMs: 0 } }
    const response = await fetch(`${url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json;callbackSpec=1.0' },
      body: JSON.stringify({ query: 'subscription { ticker(count: 1) { sequence } }', extensions }),
    })
    t.equal(response.status, 400, callbackUrl.slice(0, 60))
    t.match(await response.json(), { errors: [{ extensions: { code: /^(?:BAD_REQUEST|CALLBACK_NOT_ALLOWED)$/ } }] })
  }
})
