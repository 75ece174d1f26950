/** Subscriptions whose events are sent to a URL of the client. */
import t from 'tap'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ExecutionResult } from 'graphql'
import type { FastifyRequest, Svc } from '../../../core/contract/plugin.ts'
import { paceEvents } from '../../../plugins/graphql/paced-sequence.ts'
import { Callbacks } from '../../../plugins/graphql/wire/callback/callbacks.ts'
import type { GraphqlOptions } from '../../../plugins/graphql/options.ts'
import { readCallbackTarget } from '../../../plugins/graphql/wire/callback/target.ts'
import { serve } from '../../support/server.ts'
import { until } from '../../support/until.ts'

// Starting a server can take seconds on a busy machine.
t.setTimeout(600_000)

interface Message {
  kind: string
  action: string
  id: string
  verifier: string
  payload?: unknown
}

/** A client that takes events; `answer` says with which status. */
async function receiver(
  t: { teardown(callback: () => unknown): unknown },
  answer: (message: Message, all: readonly Message[]) => number,
) {
  const messages: Message[] = []
  const protocols = new Set<unknown>()
  const server = createServer((request, response) => {
    let text = ''
    request.on('data', data => (text += String(data)))
    request.on('end', () => {
      const message = JSON.parse(text) as Message
      messages.push(message)
      protocols.add(request.headers['subscription-protocol'])
      response.writeHead(answer(message, messages), { location: '/elsewhere' }).end()
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  const { port } = server.address() as AddressInfo
  const actions = (): string => messages.map(({ action }) => action).join()
  return { url: `http://127.0.0.1:${port}/callback`, port, messages, protocols, actions }
}

async function subscribe(
  url: string,
  callbackUrl: string | undefined,
  {
    query = ticks(3),
    path = '/graphql',
    faults,
    ...more
  }: { query?: string; path?: string; faults?: string; [member: string]: unknown } = {},
) {
  const subscription = { callbackUrl, subscriptionId: 's-1', verifier: 'v', heartbeatIntervalMs: 0, ...more }
  const response = await fetch(url + path, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json;callbackSpec=1.0, application/json',
      ...(faults === undefined ? {} : { 'x-svc-graphql': faults }),
    },
    body: JSON.stringify({ query, ...(callbackUrl === undefined ? {} : { extensions: { subscription } }) }),
  })
  return { status: response.status, body: (await response.json()) as { data?: unknown; errors?: object[] } }
}

const ticks = (count: number, intervalMs = 50): string =>
  `subscription { ticker(count: ${count}, intervalMs: ${intervalMs}) { sequence } }`
const error = (status: number, code: string) => ({ status, body: { errors: [{ extensions: { code } }] } })

const { url } = await serve(t, { plugins: ['graphql', 'graphql-subgraphs'] })

t.test('check, next, complete, each with id and verifier; subgraphs too [GQL-69]', async t => {
  const client = await receiver(t, ({ action }) => (action === 'check' ? 204 : 200))
  t.strictSame(await subscribe(url, client.url), { status: 200, body: { data: null } })
  await until(() => client.messages.length === 5)
  const own = { kind: 'subscription', id: 's-1', verifier: 'v' }
  t.same(client.messages, [
    { ...own, action: 'check' },
    ...[0, 1, 2].map(sequence => ({ ...own, action: 'next', payload: { data: { ticker: { sequence } } } })),
    { ...own, action: 'complete' },
  ])
  t.strictSame([...client.protocols], ['callback/1.0'])

  const query = 'subscription { reviewAdded(count: 1) { id } }'
  const path = '/graphql/subgraphs/reviews'
  t.match(await subscribe(url, client.url.replace('127.0.0.1', 'localhost'), { query, path }), { status: 200 })
  await until(() => client.messages.length === 8)
  t.match(client.messages[6], { action: 'next', payload: { data: { reviewAdded: { id: String } } } })
})

t.test('a subscription breaks off after some events, without its end [GQL-53] [GQL-69]', async t => {
  for (const [faults, actions] of [
    ['cut=0', 'check'],
    ['cut=2', 'check,next,next'],
    ['cut=9', 'check,next,next,next,complete'],
  ] as const) {
    const client = await receiver(t, ({ action }) => (action === 'check' ? 204 : 200))
    t.match(await subscribe(url, client.url, { faults }), { status: 200 })
    // More events would come in the time that a whole subscription takes.
    const whole = await receiver(t, ({ action }) => (action === 'check' ? 204 : 200))
    await subscribe(url, whole.url, { query: ticks(4) })
    await until(() => whole.actions().endsWith('complete') && client.actions().length >= actions.length)
    t.equal(client.actions(), actions)
  }
})

t.test('other operations, and subscriptions that cannot start, have an ordinary answer [GQL-69]', async t => {
  const client = await receiver(t, () => 204)
  t.match(await subscribe(url, client.url, { query: '{ user(id: "u1") { id } }' }), { body: { data: { user: {} } } })
  t.match(await subscribe(url, client.url, { query: 'subscription { nothing }' }), {
    body: { errors: [{ extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } }] },
  })
  t.strictSame(client.messages, [])
})

t.test('a check that fails, and members that are wrong [GQL-69]', async t => {
  for (const status of [200, 404, 500, 302])
    t.match(
      await subscribe(url, (await receiver(t, () => status)).url),
      error(500, 'CALLBACK_CHECK_FAILED'),
      `${status}`,
    )
  t.match(await subscribe(url, 'http://127.0.0.1:1/'), error(500, 'CALLBACK_CHECK_FAILED'), 'nobody listens')
  const client = await receiver(t, () => 204)
  t.match(await subscribe(url, undefined), error(400, 'BAD_REQUEST'))
  for (const wrong of [
    { callbackUrl: 5 },
    { callbackUrl: 'text' },
    { callbackUrl: `file:///etc/passwd` },
    { callbackUrl: client.url.replace('http://', 'http://user@') },
    { subscriptionId: '' },
    { verifier: 'v'.repeat(1001) },
    { heartbeatIntervalMs: -1 },
    { heartbeatIntervalMs: 5 },
    { heartbeatIntervalMs: '100' },
  ])
    t.match(await subscribe(url, client.url, wrong), error(400, 'BAD_REQUEST'), JSON.stringify(wrong).slice(0, 80))
  t.strictSame(client.messages, [])
})

t.test(
  'the client ends a subscription, by an event and by a check; server errors are tried again [GQL-69]',
  async t => {
    const refusing = await receiver(t, ({ action }) => (action === 'check' ? 204 : 404))
    await subscribe(url, refusing.url, { query: ticks(100) })
    await until(() => refusing.messages.length === 2)

    // The first check is answered, the next one is not: the generator ends long before its second event.
    const leaving = await receiver(t, (_message, all) => (all.length < 3 ? 204 : 400))
    await subscribe(url, leaving.url, { query: ticks(100, 10_000), heartbeatIntervalMs: 100 })
    await until(() => leaving.messages.length === 3)

    const failing = await receiver(t, ({ action }, all) =>
      action === 'check' || all.filter(message => message.action === 'next').length > 2 ? 204 : 503,
    )
    await subscribe(url, failing.url, { query: ticks(1) })
    await until(() => failing.messages.at(-1)?.action === 'complete')
    t.equal(failing.actions(), 'check,next,next,next,complete')

    const broken = await receiver(t, ({ action }) => (action === 'check' ? 204 : 500))
    await subscribe(url, broken.url, { query: ticks(3) })
    await until(() => broken.messages.length === 6)
    // Another subscription is served meanwhile; those that have ended send nothing more.
    const last = await receiver(t, () => 204)
    await subscribe(url, last.url, { query: ticks(3, 300) })
    await until(() => last.messages.at(-1)?.action === 'complete')
    t.equal(refusing.actions(), 'check,next')
    t.equal(leaving.actions(), 'check,next,check')
    t.equal(broken.actions(), 'check,next,next,next,next,next')
  },
)

t.test('only the address of the client, and hosts that are allowed [GQL-70]', async t => {
  for (const callbackUrl of [
    'http://192.0.2.1/',
    'http://[::1]:9/',
    'http://169.254.169.254/latest/meta-data',
    'http://example.com/',
    'http://127.0.0.1.example.com/',
    'http://0.0.0.0:9/',
    'http://127.0.0.2:9/',
  ])
    t.match(await subscribe(url, callbackUrl), error(400, 'CALLBACK_NOT_ALLOWED'), callbackUrl)

  const client = await receiver(t, () => 204)
  const publicOne = await serve(t, { env: { SVC_PUBLIC_MODE: 'true', SVC_ADMIN_TOKEN: 'secret' } })
  t.match(await subscribe(publicOne.url, client.url), error(400, 'CALLBACK_NOT_ALLOWED'))
  t.strictSame(client.messages, [])

  const settings = { subscriptionId: 's', verifier: 'v' }
  const allows = (target: URL): boolean => target.host === 'hooks.example:8000'
  const read = (callbackUrl: string, clients: string[]): string =>
    readCallbackTarget({ callbackUrl, ...settings }, { clients, allows }).url.href
  t.equal(read('http://hooks.example:8000/a', ['192.0.2.7']), 'http://hooks.example:8000/a')
  t.equal(read('http://192.0.2.7:1/', ['192.0.2.7', '::ffff:192.0.2.7']), 'http://192.0.2.7:1/')
  t.equal(read('http://[2001:db8::7]/', ['2001:db8::7']), 'http://[2001:db8::7]/')
  t.equal(read('http://localhost:1/', ['::1']), 'http://[::1]:1/', 'the name is not looked up')
  const refused: [callbackUrl: string, clients: string[]][] = [
    ['http://hooks.example:9000/', ['192.0.2.7']],
    ['http://192.0.2.7/', ['192.0.2.8']],
    ['http://localhost/', ['192.0.2.7']],
    // What a proxy says and the peer differ: neither is trusted for this.
    ['http://10.0.0.5/', ['10.0.0.5', '192.0.2.7']],
    ['http://192.0.2.7/', ['10.0.0.5', '192.0.2.7']],
    ['http://192.0.2.7/', []],
  ]
  for (const [callbackUrl, clients] of refused)
    t.throws(() => read(callbackUrl, clients), { extensions: { code: 'CALLBACK_NOT_ALLOWED' } } as never, callbackUrl)
})

t.test('at most 100 run at a time [GQL-71]', async t => {
  const server = await serve(t, { plugins: ['graphql'] })
  let isLeaving = false
  const first = await receiver(t, () => (isLeaving ? 404 : 204))
  const others = await receiver(t, () => 204)
  const query = ticks(100, 10_000)
  t.match(await subscribe(server.url, first.url, { query, heartbeatIntervalMs: 100 }), { status: 200 })
  for (let round = 0; round < 9; round++)
    await Promise.all(Array.from({ length: 11 }, () => subscribe(server.url, others.url, { query })))
  const one = () => subscribe(server.url, others.url, { query })
  t.match(await one(), error(429, 'TOO_MANY_CALLBACKS'))
  const sent = others.messages.length
  t.match(await subscribe(server.url, undefined), error(400, 'BAD_REQUEST'))
  t.equal(others.messages.filter(({ action }) => action === 'check').length, 99, 'there is no check for one too many')
  t.ok(sent >= 99)
  isLeaving = true
  await until(async () => (await one()).status === 200, 'another one can start when one has ended')
})

t.test('none runs for longer than its lifetime [GQL-71]', async t => {
  const client = await receiver(t, () => 204)
  const svc = {
    config: { publicMode: false },
    http: { clientIp: () => '127.0.0.1' },
    log: { error: (text: string) => t.fail(text) },
    shared: (_name: string, make: () => unknown) => make(),
    use: () => ({ allows: () => false }),
    whenClosed: () => {},
  } as unknown as Svc<GraphqlOptions>
  const results = paceEvents(
    { count: 100, intervalMs: 10_000 },
    (sequence): ExecutionResult => ({ data: { sequence } }),
  )
  let ended = 0
  await new Callbacks(svc, { running: 1, lifetimeMs: 100 }).start(
    { raw: { socket: { remoteAddress: '127.0.0.1' } } } as FastifyRequest,
    {
      results,
      settings: { callbackUrl: client.url, subscriptionId: 's', verifier: 'v' },
      cut: null,
      end: () => void ended++,
    },
  )
  await until(() => ended > 0)
  t.strictSame(await results.next(), { done: true, value: undefined }, 'the generator has ended')
  t.notOk(client.actions().includes('complete'), 'and not as one that is complete')
})

t.test('a host in notify.allow, whatever the address of the client is [GQL-70]', async t => {
  const client = await receiver(t, () => 204)
  // In this form the address is not that of the client.
  const host = `127.0.0.2:${client.port}`
  const allowed = await serve(t, { yaml: `notify: { allow: ["${host}"] }\n` })
  t.match(await subscribe(allowed.url, `http://${host}/`), error(500, 'CALLBACK_CHECK_FAILED'), 'it may be called')
  t.match(await subscribe(allowed.url, 'http://127.0.0.2:1/'), error(400, 'CALLBACK_NOT_ALLOWED'))
})
