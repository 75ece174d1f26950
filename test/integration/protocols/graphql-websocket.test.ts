/** `/graphql/ws`: the handshake, both subprotocols and their limits. */
import t from 'tap'
import { WebSocket } from 'ws'
import { PacedSequence } from '../../../plugins/graphql/paced-sequence.ts'
import { Connection } from '../../../plugins/graphql/connection.ts'
import { serve } from '../../support/server.ts'
import { until } from '../../support/until.ts'

interface Message {
  type: string
  id?: string
  payload?: unknown
}

/** A socket that records received messages. */
class Client {
  readonly messages: Message[] = []
  readonly closed: Promise<{ code: number; reason: string }>
  readonly socket: WebSocket

  constructor(url: string, protocols: string[], path = '/graphql/ws') {
    this.socket = new WebSocket(url.replace('http', 'ws') + path, protocols)
    this.socket.on('message', data => this.messages.push(JSON.parse(String(data)) as Message))
    this.closed = new Promise(resolve =>
      this.socket.on('close', (code, reason) => resolve({ code, reason: String(reason) })),
    )
  }

  opened(): Promise<this> {
    return new Promise((resolve, reject) => this.socket.on('open', () => resolve(this)).on('error', reject))
  }

  send(...messages: unknown[]): this {
    for (const message of messages) this.socket.send(typeof message === 'string' ? message : JSON.stringify(message))
    return this
  }

  of(id: string): Message[] {
    return this.messages.filter(message => message.id === id)
  }

  async until(type: string, id?: string): Promise<Message> {
    return until(
      () => this.messages.find(message => message.type === type && (id === undefined || message.id === id)),
      `${type} ${id ?? ''}`,
    )
  }
}

const INIT = { type: 'connection_init' }
const TICKS = 'subscription { ticker(count: 2, intervalMs: 50) { sequence } }'
const LONG = 'subscription { ticker(count: 100, intervalMs: 10000) { sequence } }'

function refusal(url: string, protocols: string[], path = '/graphql/ws'): Promise<{ status: number; body: string }> {
  return new Promise(resolve => {
    const socket = new WebSocket(url.replace('http', 'ws') + path, protocols)
    socket.on('error', () => {})
    socket.on('unexpected-response', (_request, response) => {
      let body = ''
      response
        .on('data', chunk => {
          body += String(chunk)
        })
        .on('end', () => resolve({ status: response.statusCode!, body }))
    })
  })
}

const { url } = await serve(t)

t.test('a handshake must offer a supported subprotocol, and the first one is selected [GQL-30]', async t => {
  for (const protocols of [[], ['chat'], ['graphql', 'GRAPHQL-WS']]) {
    const { status, body } = await refusal(url, protocols)
    t.equal(status, 400)
    t.strictSame(JSON.parse(body), {
      errors: [
        {
          message: 'Sec-WebSocket-Protocol must offer graphql-transport-ws or graphql-ws',
          extensions: { code: 'BAD_REQUEST' },
        },
      ],
    })
  }
  const plain = await fetch(`${url}/graphql/ws`)
  t.equal(plain.status, 426)
  t.equal(plain.headers.get('upgrade'), 'websocket')
  t.strictSame(await plain.json(), { error: 'upgrade_required' })
  for (const [protocols, chosen] of [
    [['graphql-transport-ws'], 'graphql-transport-ws'],
    [['graphql-ws', 'graphql-transport-ws'], 'graphql-ws'],
    [['chat', 'graphql-transport-ws', 'graphql-ws'], 'graphql-transport-ws'],
  ] as const) {
    const client = await new Client(url, [...protocols]).opened()
    t.equal(client.socket.protocol, chosen)
    client.socket.close()
  }
})

t.test('graphql-transport-ws runs operations of every kind [GQL-31]', async t => {
  const client = await new Client(url, ['graphql-transport-ws']).opened()
  client.send(INIT)
  await client.until('connection_ack')
  client.send({ type: 'ping' })
  await client.until('pong')
  client.send(
    { type: 'subscribe', id: 'q', payload: { query: '{ user(id: "u1") { id } }' } },
    {
      type: 'subscribe',
      id: 'm',
      payload: { query: 'mutation { updateUser(id: "u1", input: {}) { id } }', variables: null, operationName: null },
    },
    { type: 'subscribe', id: 's', payload: { query: TICKS } },
  )
  await client.until('complete', 's')
  t.strictSame(client.of('q'), [
    { id: 'q', type: 'next', payload: { data: { user: { id: 'u1' } } } },
    { id: 'q', type: 'complete' },
  ])
  t.strictSame(
    client.of('m').map(({ type }) => type),
    ['next', 'complete'],
  )
  t.strictSame(
    client.of('s').map(({ payload }) => payload),
    [{ data: { ticker: { sequence: 0 } } }, { data: { ticker: { sequence: 1 } } }, undefined],
  )
  const bad: [query: string, code: string][] = [
    ['{', 'GRAPHQL_PARSE_FAILED'],
    ['{ nothing }', 'GRAPHQL_VALIDATION_FAILED'],
    [`{ users { ${'id '.repeat(600)} } }`, 'COMPLEXITY_LIMIT_EXCEEDED'],
    ['query A { users { id } } query B { users { id } }', 'OPERATION_RESOLUTION_FAILURE'],
  ]
  for (const [index, [query, code]] of bad.entries()) {
    client.send({ type: 'subscribe', id: `bad${index}`, payload: { query } })
    t.match(await client.until('error', `bad${index}`), { payload: [{ extensions: { code } }] })
    t.strictSame(
      Object.keys((client.of(`bad${index}`)[0]!.payload as { extensions: object }[])[0]!.extensions),
      ['code'],
      'the status of an HTTP answer is left out',
    )
  }
  client.send({ type: 'subscribe', id: 'v', payload: { query: 'query($id: ID!) { user(id: $id) { id } }' } })
  t.match(await client.until('next', 'v'), { payload: { errors: [{ extensions: { code: 'BAD_USER_INPUT' } }] } })
  client.send({ type: 'subscribe', id: 'long', payload: { query: LONG } })
  await client.until('next', 'long')
  client.send({ type: 'complete', id: 'long' }, { type: 'ping', payload: { n: 2 } })
  t.match(
    await until(() => client.messages.find(message => message.type === 'pong' && message.payload !== undefined)),
    { payload: { n: 2 } },
  )
  client.socket.close()
})

t.test('violations of graphql-transport-ws have their close codes [GQL-32]', async t => {
  const table: [messages: unknown[], code: number][] = [
    [['no json'], 4400],
    [['[]'], 4400],
    [[{}], 4400],
    [[{ type: 'nothing' }], 4400],
    [[INIT, { type: 'next', id: 'x', payload: {} }], 4400],
    [[INIT, { type: 'subscribe', id: 'x' }], 4400],
    [[{ type: 'subscribe', id: 'x', payload: { query: TICKS } }], 4401],
    [[], 4408],
    [
      [
        INIT,
        'acknowledged',
        { type: 'subscribe', id: 'x', payload: { query: LONG } },
        { type: 'subscribe', id: 'x', payload: { query: LONG } },
      ],
      4409,
    ],
    [[INIT, INIT], 4429],
    [[INIT, 'x'.repeat(1024 * 1024 + 1)], 1009],
  ]
  await Promise.all(
    table.map(async ([messages, code]) => {
      const client = await new Client(url, ['graphql-transport-ws']).opened()
      for (const message of messages) {
        if (message === 'acknowledged') await client.until('connection_ack')
        else client.send(message)
      }
      t.equal((await client.closed).code, code, JSON.stringify(messages).slice(0, 100))
    }),
  )
})

t.test('the legacy subprotocol starts, responds, stops and terminates [GQL-33]', async t => {
  const client = await new Client(url, ['graphql-ws']).opened()
  client.send(INIT, { type: 'start', id: 's', payload: { query: TICKS } })
  await client.until('complete', 's')
  t.strictSame(
    client.messages.slice(0, 2).map(({ type }) => type),
    ['connection_ack', 'ka'],
  )
  t.strictSame(client.of('s'), [
    { type: 'data', id: 's', payload: { data: { ticker: { sequence: 0 } } } },
    { type: 'data', id: 's', payload: { data: { ticker: { sequence: 1 } } } },
    { type: 'complete', id: 's' },
  ])
  client.send({
    type: 'start',
    id: 'q',
    payload: { query: 'query Q($id: ID!) { user(id: $id) { id } }', variables: { id: 'u2' }, operationName: 'Q' },
  })
  await client.until('complete', 'q')
  t.strictSame(client.of('q')[0]!.payload, { data: { user: { id: 'u2' } } })
  const bad: [payload: unknown, code: string][] = [
    [{ query: '{' }, 'GRAPHQL_PARSE_FAILED'],
    [{ query: '{ nothing }' }, 'GRAPHQL_VALIDATION_FAILED'],
    [{ query: 'query($id: ID!) { user(id: $id) { id } }' }, 'BAD_USER_INPUT'],
    [{}, 'BAD_REQUEST'],
    [undefined, 'BAD_REQUEST'],
    [{ query: '{ users { id } }', variables: 7 }, 'BAD_REQUEST'],
  ]
  for (const [index, [payload, code]] of bad.entries()) {
    client.send({ type: 'start', id: `bad${index}`, payload })
    t.match(await client.until('error', `bad${index}`), { payload: { message: String, extensions: { code } } })
    t.equal(client.of(`bad${index}`).length, 1, 'no complete message follows an error')
  }
  client.send({ type: 'start', id: 'long', payload: { query: LONG } })
  await client.until('data', 'long')
  client.send({ type: 'start', id: 'long', payload: { query: '{ user(id: "u1") { id } }' } })
  await client.until('complete', 'long')
  t.equal(client.of('long').length, 3, 'the old operation with that id ends first')
  client.send({ type: 'start', id: 'other', payload: { query: LONG } })
  await client.until('data', 'other')
  client.send({ type: 'stop', id: 'other' }, { type: 'nothing', id: 'n' }, 'no json', '[]')
  await client.until('complete', 'other')
  await client.until('error', 'n')
  await until(() => client.messages.filter(({ type }) => type === 'connection_error').length === 2)
  client.send({ type: 'connection_terminate' })
  t.equal((await client.closed).code, 1000)
  const early = await new Client(url, ['graphql-ws']).opened()
  early.send({ type: 'start', id: 's', payload: { query: TICKS } })
  t.equal((await early.closed).code, 4401)
})

t.test('a hundred operations run on a socket, the next is rejected [GQL-34]', async t => {
  for (const [protocol, start, first] of [
    ['graphql-transport-ws', 'subscribe', 'next'],
    ['graphql-ws', 'start', 'data'],
  ] as const) {
    const client = await new Client(url, [protocol]).opened()
    client.send(INIT)
    await client.until('connection_ack')
    for (let index = 0; index < 100; index++) client.send({ type: start, id: `s${index}`, payload: { query: LONG } })
    await client.until(first, 's99')
    client.send({ type: start, id: 'over', payload: { query: LONG } })
    t.match(JSON.stringify(await client.until('error', 'over')), 'too many operations', protocol)
    client.send(protocol === 'graphql-ws' ? { type: 'stop', id: 's0' } : { type: 'complete', id: 's0' }, {
      type: start,
      id: 'after',
      payload: { query: LONG },
    })
    await client.until(first, 'after')
    client.socket.terminate()
    await client.closed
  }
})

t.test('idle time is watched only while nothing runs, and a slow reader is waited for [GQL-35]', async t => {
  const watched: boolean[] = []
  const sent: string[] = []
  const callbacks: (() => void)[] = []
  const socket = {
    OPEN: 1,
    readyState: 1,
    bufferedAmount: 0,
    send: (text: string, done?: () => void) => {
      sent.push(text)
      if (done) callbacks.push(done)
    },
  }
  const connection = new Connection(socket as never, isWatched => watched.push(isWatched))
  await connection.busy(() =>
    connection.busy(async () => {
      await connection.send('a')
    }),
  )
  t.strictSame(watched, [true, false, true])
  await t.rejects(connection.busy(() => Promise.reject(new Error('x'))))
  t.equal(watched.at(-1), true, 'also after a failure')
  socket.bufferedAmount = 256 * 1024
  await connection.send('b')
  socket.bufferedAmount += 1
  let hasLeft = false
  const waiting = connection.send('c').then(() => {
    hasLeft = true
  })
  await Promise.resolve()
  t.equal(hasLeft, false, 'where the core stops reading, the subscription waits')
  callbacks[0]!()
  await waiting
  t.strictSame(sent, ['a', 'b', 'c'])
})

t.test('a waiting sequence ends when it is returned [GQL-23]', async t => {
  const sequence = new PacedSequence(3, 60_000, index => index)
  t.strictSame(await sequence.next(), { done: false, value: 0 })
  const pending = sequence.next()
  await sequence.return()
  t.strictSame(await pending, { done: true, value: undefined })
  t.strictSame(await sequence.next(), { done: true, value: undefined })
})

t.test('other WebSocket routes still select their own subprotocol [GQL-36]', async t => {
  const client = await new Client(url, ['graphql-transport-ws']).opened()
  client.send(INIT)
  t.ok(await client.until('connection_ack'))
  const { endpoints } = (await (await fetch(`${url}/_svc/catalog`)).json()) as {
    endpoints: { path: string; protocol: string }[]
  }
  for (const { path } of endpoints.filter(endpoint => endpoint.protocol === 'websocket' && endpoint.path === '/ws')) {
    const other = await new Client(url, ['chat'], path).opened()
    t.equal(other.socket.protocol, 'chat', path)
    other.socket.terminate()
  }
  client.socket.terminate()
})

t.test('a handshake at /graphql is accepted in both subprotocols; a plain GET still works [GQL-30]', async t => {
  for (const [protocol, start, data] of [
    ['graphql-transport-ws', 'subscribe', 'next'],
    ['graphql-ws', 'start', 'data'],
  ] as const) {
    const client = await new Client(url, [protocol], '/graphql').opened()
    t.equal(client.socket.protocol, protocol)
    client.send(INIT)
    await client.until('connection_ack')
    client.send({ id: 'a', type: start, payload: { query: TICKS } })
    await client.until('complete', 'a')
    t.equal(client.of('a').filter(message => message.type === data).length, 2, protocol)
    client.socket.close(1000)
    await client.closed
  }
  const { status, body } = await refusal(url, ['chat'], '/graphql')
  t.equal(status, 400)
  t.match(JSON.parse(body), { errors: [{}] })
  const plain = await fetch(`${url}/graphql?query=${encodeURIComponent('{ users(limit: 1) { id } }')}`)
  t.match([plain.status, await plain.json()], [200, { data: { users: [{}] } }])
})
