/** Keep-alive connections with reads and forms, while mocks are deployed and plugins reloaded. */
import t from 'tap'
import { connect, type Socket } from 'node:net'
import { mockServer } from './client.ts'
import { answering, documentOf } from './document.ts'

// Starting a server can take seconds on a busy machine.
t.setTimeout(600_000)

const ROUNDS = 10
const form = { type: 'object', properties: { email: { type: 'string' }, balance: { type: 'integer' } } }
const spec = (version: number) =>
  documentOf({
    '/customers': {
      get: answering({ example: { version } }),
      post: {
        requestBody: { required: true, content: { 'application/x-www-form-urlencoded': { schema: form } } },
        responses: { 200: { description: 'ok', content: { 'application/json': { example: { version } } } } },
      },
    },
  })

/** Sends requests sequentially and reads exactly the bytes that each response declares. */
class Connection {
  readonly #socket: Socket
  #received = Buffer.alloc(0)
  #closedBy: string | null = null
  #notify: () => void = () => {}

  constructor(port: number) {
    this.#socket = connect(port, '127.0.0.1')
    this.#socket.setNoDelay(true)
    this.#socket.on('data', bytes =>
      this.#changed(() => {
        this.#received = Buffer.concat([this.#received, bytes])
      }),
    )
    this.#socket.on('end', () =>
      this.#changed(() => {
        this.#closedBy ??= 'an end of the server'
      }),
    )
    this.#socket.on('error', error =>
      this.#changed(() => {
        this.#closedBy = error.message
      }),
    )
  }

  /** Writes the parts separately, so that a body can arrive after its head or with it. */
  async send(parts: string[], isSplit: boolean): Promise<{ status: number; body: string }> {
    if (this.#received.length > 0)
      throw new Error(`bytes without a request: ${this.#received.toString('latin1').slice(0, 200)}`)
    for (const part of isSplit ? parts : [parts.join('')]) {
      this.#socket.write(part)
      if (isSplit) await new Promise(setImmediate)
    }
    for (;;) {
      const text = this.#received.toString('latin1')
      const headEnd = text.indexOf('\r\n\r\n')
      const length = headEnd === -1 ? null : /\r\ncontent-length: (\d+)\r\n/i.exec(text.slice(0, headEnd + 2))?.[1]
      if (length === undefined) throw new Error(`a response without a length: ${text.slice(0, headEnd)}`)
      const end = headEnd + 4 + Number(length)
      if (length !== null && this.#received.length >= end) {
        const body = this.#received.subarray(headEnd + 4, end).toString()
        this.#received = this.#received.subarray(end)
        return { status: Number(text.slice(9, 12)), body }
      }
      if (this.#closedBy !== null)
        throw new Error(`closed by ${this.#closedBy} after ${text.length} bytes of a response`)
      await new Promise<void>(resolve => {
        this.#notify = resolve
      })
    }
  }

  close(): void {
    this.#socket.destroy()
  }

  #changed(change: () => void): void {
    change()
    this.#notify()
  }
}

t.test(
  'no connection is closed and no response truncated while mocks are deployed and plugins reloaded [MOCK-83] [RELOAD-7]',
  async t => {
    const server = await mockServer(t)
    await server.mock('busy', { spec: spec(0), settings: { validation: 'enforce' } })
    let isOver = false
    let answered = 0
    const target = `/mock/busy/customers`
    const get = [`GET ${target} HTTP/1.1\r\nHost: x\r\n\r\n`]
    const post = (body: string): string[] => [
      `POST ${target} HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: ${body.length}\r\n\r\n`,
      body,
    ]
    /** Status and body of the responses on one connection, until the deployments are finished. */
    async function exchange(connection: Connection, index: number): Promise<void> {
      for (let turn = index; !isOver; turn++) {
        const isSplit = turn % 3 === 0
        const steps: [string[], number][] = [
          [get, 200],
          [post('email=a%40example.com&balance=5'), 200],
          [post(`balance=much&email=${'x'.repeat(turn % 5 === 0 ? 60_000 : 10)}`), 422],
        ]
        for (const [parts, status] of steps) {
          const reply = await connection.send(parts, isSplit)
          if (reply.status !== status) throw new Error(`${parts[0]!.slice(0, 4)} got ${reply.status} ${reply.body}`)
          JSON.parse(reply.body)
          answered++
        }
      }
    }
    const connections = Array.from({ length: 4 }, () => new Connection(server.ports.http!))
    t.teardown(() => connections.forEach(connection => connection.close()))
    const clients = connections.map(exchange)
    const fetching = (async () => {
      while (!isOver) {
        t.equal((await fetch(server.url + target)).status, 200)
        t.equal(
          (
            await fetch(server.url + target, {
              method: 'POST',
              body: new URLSearchParams({ email: 'a@example.com', balance: '5' }),
            })
          ).status,
          200,
        )
      }
    })()
    const deploys = (async () => {
      for (let round = 1; round <= ROUNDS; round++) {
        const before = answered
        await server.mock('busy', { spec: spec(round), settings: { validation: 'enforce' } })
        await server.host.reload({ force: true })
        // Every connection got a response in this generation.
        while (!isOver && answered < before + 3 * connections.length) await new Promise(setImmediate)
      }
    })().finally(() => {
      isOver = true
    })
    await Promise.all([
      deploys,
      ...[...clients, fetching].map(client =>
        client.catch((error: unknown) => {
          isOver = true
          throw error
        }),
      ),
    ])
    t.ok(answered >= ROUNDS * 3 * connections.length, `${answered} requests were answered`)
  },
)
