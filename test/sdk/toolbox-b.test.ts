/** Event streams, WebSockets, JSON-RPC and webhooks through the clients that people really use. */
import { sign as signForHub, verify as verifyForHub } from '@octokit/webhooks-methods'
import { EventSource } from 'eventsource'
import jayson from 'jayson/promise/index.js'
import { JSONRPCClient } from 'json-rpc-2.0'
import { Webhook } from 'standardwebhooks'
import Stripe from 'stripe'
import t from 'tap'
import { Agent, fetch as undiciFetch } from 'undici'
import { WebSocket } from 'ws'
import { serve } from '../support/server.ts'
import { until } from '../support/until.ts'

const { url } = await serve(t)
const DEMO = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
const json = async <T>(path: string, init?: RequestInit): Promise<T> =>
  (await (await fetch(url + path, init)).json()) as T

t.test('eventsource reads /sse to its end, without a repeat, and stops at the 204 [TBX-2]', async t => {
  const source = new EventSource(`${url}/sse?count=5&interval_ms=10&retry=20`)
  t.teardown(() => source.close())
  const ids: string[] = []
  let opened = 0
  source.addEventListener('open', () => {
    opened++
  })
  source.addEventListener('message', event => ids.push(event.lastEventId))
  await until(() => source.readyState === EventSource.CLOSED, 'the end of the source')
  t.strictSame(ids, ['1', '2', '3', '4', '5'])
  t.equal(opened, 1)
})

t.test('eventsource reads named events of a bin feed [TBX-2]', async t => {
  const bin = await json<{ path: string; stream_url: string }>('/bin', { method: 'POST' })
  await fetch(`${url}${bin.path}/before`)
  const source = new EventSource(`${bin.stream_url}?last_event_id=0`)
  t.teardown(() => source.close())
  const paths: string[] = []
  source.addEventListener('request', event => paths.push((JSON.parse(event.data as string) as { path: string }).path))
  await until(() => paths.length === 1)
  await fetch(`${url}${bin.path}/after`, { method: 'POST', body: 'x' })
  await until(() => paths.length === 2)
  t.strictSame(paths, ['/before', '/after'])
})

t.test('undici reads a chat reply as it comes [TBX-2]', async t => {
  const dispatcher = new Agent()
  t.teardown(() => dispatcher.close())
  const response = await undiciFetch(`${url}/sse/chat`, {
    method: 'POST',
    body: '{"max_tokens":5,"delay_ms":10}',
    dispatcher,
  })
  let text = ''
  let chunks = 0
  for await (const chunk of response.body!) {
    chunks++
    text += Buffer.from(chunk).toString()
  }
  t.ok(chunks > 1, `${chunks} chunks`)
  t.ok(text.endsWith('data: [DONE]\n\n'))
})

t.test('ws echoes, negotiates, ticks and is refused what is too large [TBX-2]', async t => {
  const base = url.replace('http', 'ws')
  const socket = new WebSocket(`${base}/ws`, ['chat.v2', 'chat.v1'])
  const closed = new Promise<number>(resolve => socket.on('close', resolve))
  await new Promise(resolve => socket.once('open', resolve))
  t.equal(socket.protocol, 'chat.v2')
  socket.send('hello')
  t.equal(String(await new Promise(resolve => socket.once('message', resolve))), 'hello')
  socket.send(Buffer.alloc(1_048_577))
  t.equal(await closed, 1009)

  const ticker = new WebSocket(`${base}/ws/time?interval_ms=100&count=2`)
  const ticks: number[] = []
  ticker.on('message', (data: Buffer) => ticks.push((JSON.parse(data.toString()) as { tick: number }).tick))
  t.equal(await new Promise(resolve => ticker.on('close', resolve)), 1000)
  t.strictSame(ticks, [0, 1])
})

t.test('jayson calls, notifies and batches [TBX-2]', async t => {
  const { hostname, port } = new URL(url)
  const client = jayson.Client.http({ hostname, port, path: '/jsonrpc' })
  t.match(await client.request('add', [1, 2, 3]), { result: 6 })
  t.match(await client.request('subtract', { minuend: 5, subtrahend: 3 }), { result: 2 })
  t.match(await client.request('error', [-32001, 'no stock', { sku: 'a' }]), {
    error: { code: -32001, message: 'no stock', data: { sku: 'a' } },
  })
  t.equal(await client.request('echo', [1], null as never), undefined, 'a notification')
  t.match(
    await client.request([
      client.request('add', [1, 1], undefined, false),
      client.request('echo', ['x'], undefined, false),
    ]),
    [{ result: 2 }, { result: ['x'] }],
  )
})

t.test('json-rpc-2.0 calls, notifies and batches [TBX-2]', async t => {
  const client = new JSONRPCClient(async payload => {
    const response = await fetch(`${url}/jsonrpc`, { method: 'POST', body: JSON.stringify(payload) })
    if (response.status === 200) client.receive((await response.json()) as never)
    else if (response.status !== 204) throw new Error(`status ${response.status}`)
  })
  t.equal(await client.request('add', { a: 2, b: 3 }), 5)
  client.notify('echo', ['nobody answers'])
  await t.rejects(async () => client.request('nope', []), { message: 'Method not found' })
  t.match(
    await client.requestAdvanced([
      { jsonrpc: '2.0', id: 'a', method: 'echo', params: ['one'] },
      { jsonrpc: '2.0', id: 'b', method: 'nope' },
    ]),
    [
      { id: 'a', result: ['one'] },
      { id: 'b', error: { code: -32601 } },
    ],
  )
})

t.test('standardwebhooks signs for verify and verifies what sign has made [TBX-2]', async t => {
  const webhook = new Webhook(DEMO)
  const date = new Date()
  const body = '{"hello":"gateway"}'
  const headers = {
    'webhook-id': 'msg_1',
    'webhook-timestamp': String(Math.floor(date.getTime() / 1000)),
    'webhook-signature': webhook.sign('msg_1', date, body),
  }
  const verified = await fetch(`${url}/webhooks/verify`, {
    method: 'POST',
    headers: { ...headers, 'X-Webhook-Secret': DEMO },
    body,
  })
  t.match(
    [verified.status, await verified.json()],
    [200, { valid: true, expected_signature: headers['webhook-signature'] }],
  )
  t.equal((await fetch(`${url}/webhooks/receive/demo`, { method: 'POST', headers, body })).status, 204)
  const signed = await json<{ body: string; headers: Record<string, string> }>(
    '/webhooks/sign?payload=%7B%22a%22%3A1%7D',
  )
  t.strictSame(webhook.verify(signed.body, signed.headers), { a: 1 })
})

t.test('octokit signs and verifies hmac-hex [TBX-2]', async t => {
  const secret = "It's a Secret to Everybody"
  const signature = await signForHub(secret, 'Hello, World!')
  t.equal(
    (
      await fetch(`${url}/webhooks/receive/github-docs`, {
        method: 'POST',
        headers: { 'X-Hub-Signature-256': signature },
        body: 'Hello, World!',
      })
    ).status,
    204,
  )
  const signed = await json<{ body: string; headers: Record<string, string> }>(
    `/webhooks/sign?scheme=hmac-hex&secret=${encodeURIComponent(secret)}`,
  )
  t.ok(await verifyForHub(secret, signed.body, signed.headers['x-hub-signature-256']!))
})

t.test('stripe signs and verifies timestamped [TBX-2]', async t => {
  const { webhooks } = new Stripe('sk_test_none')
  const payload = '{"id":"evt_1","object":"event"}'
  const header = webhooks.generateTestHeaderString({ payload, secret: DEMO })
  t.equal(
    (
      await fetch(`${url}/webhooks/receive/demo`, {
        method: 'POST',
        headers: { 'Stripe-Signature': header },
        body: payload,
      })
    ).status,
    204,
  )
  const signed = await json<{ body: string; headers: Record<string, string> }>(
    `/webhooks/sign?scheme=timestamped&payload=${encodeURIComponent(payload)}`,
  )
  t.match(webhooks.constructEvent(signed.body, signed.headers['alt-signature']!, DEMO), { id: 'evt_1' })
})
