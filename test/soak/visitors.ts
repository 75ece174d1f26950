/** Clients that hold state in a server beyond a request: MCP sessions with their streams, gRPC streams, WebSockets. */
import { Metadata } from '@grpc/grpc-js'
import { Agent, fetch, type RequestInit } from 'undici'
import { WebSocket } from 'ws'
import { echoClient } from '../integration/protocols/grpc-client.ts'
import type { TestServer } from '../support/server.ts'

/** Milliseconds in which each visit must complete: a hanging call is a failure. */
const PATIENCE_MS = 20_000
const PAUSE_MS = 50
const MCP_HEADERS = {
  'Content-Type': 'application/json',
  Accept: 'application/json, text/event-stream',
  'MCP-Protocol-Version': '2025-11-25',
}

export class Visitors {
  readonly counts = { 'MCP sessions': 0, 'gRPC streams': 0, 'gRPC calls': 0, 'WebSocket echoes': 0 }
  readonly #server: TestServer
  readonly #isOver: () => boolean
  readonly #report: (problem: string) => void
  /** Separate connections, so that none is left when the visits are complete. */
  readonly #dispatcher = new Agent()

  constructor(server: TestServer, isOver: () => boolean, report: (problem: string) => void) {
    this.#server = server
    this.#isOver = isOver
    this.#report = report
  }

  async run(): Promise<void> {
    await Promise.all([
      this.#repeat('MCP sessions', () => this.#mcpSession()),
      this.#repeat('gRPC streams', () => this.#grpcStream()),
      this.#repeat('gRPC calls', () => this.#grpcCall()),
      this.#repeat('WebSocket echoes', () => this.#webSocket()),
    ])
    await this.#dispatcher.destroy()
  }

  async #repeat(what: keyof Visitors['counts'], visit: () => Promise<void>): Promise<void> {
    while (!this.#isOver()) {
      try {
        await withinPatience(visit())
        this.counts[what]++
      } catch (error) {
        this.#report(`${what}: ${(error as Error).message}`)
      }
      await new Promise(resolve => setTimeout(resolve, PAUSE_MS))
    }
  }

  /** Initializes, calls a tool, reads the head of the GET stream and leaves; every second session is never ended. */
  async #mcpSession(): Promise<void> {
    const url = `${this.#server.url}/mcp`
    const initialize = {
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'soak', version: '1' } },
    }
    const ask = (init: RequestInit) => fetch(url, { ...init, dispatcher: this.#dispatcher })
    const opened = await ask({ method: 'POST', headers: MCP_HEADERS, body: JSON.stringify(initialize) })
    await opened.text()
    const session = opened.headers.get('mcp-session-id')
    if (session === null) throw new Error(`no session: ${opened.status}`)
    const headers = { ...MCP_HEADERS, 'Mcp-Session-Id': session }
    const leaving = new AbortController()
    const stream = await ask({ headers, signal: leaving.signal })
    if (stream.status !== 200) throw new Error(`GET stream: ${stream.status}`)
    const call = {
      jsonrpc: '2.0',
      id: 2,
      method: 'tools/call',
      params: { name: 'echo', arguments: { message: 'soak' } },
    }
    const called = await ask({ method: 'POST', headers, body: JSON.stringify(call) })
    if (called.status !== 200) throw new Error(`tools/call: ${called.status}`)
    await called.text()
    leaving.abort()
    if (this.counts['MCP sessions'] % 2 === 0) await (await ask({ method: 'DELETE', headers })).text()
  }

  #grpcStream(): Promise<void> {
    return new Promise((resolve, reject) => {
      const client = echoClient(this.#server.grpcAddress)
      const stream = client.BidiStream(new Metadata(), { deadline: Date.now() + PATIENCE_MS })
      let echoes = 0
      stream.on('data', () => {
        if (++echoes === 3) stream.end()
        else stream.write({ message: 'again' })
      })
      stream.on('error', () => {})
      stream.on('status', ({ code, details }) => {
        client.close()
        if (code === 0) resolve()
        else reject(new Error(`status ${code} ${details}`))
      })
      stream.write({ message: 'hello' })
    })
  }

  #grpcCall(): Promise<void> {
    return new Promise((resolve, reject) => {
      const client = echoClient(this.#server.grpcAddress)
      client.Echo({ message: 'hello' }, new Metadata(), { deadline: Date.now() + PATIENCE_MS }, error => {
        client.close()
        if (error === null) resolve()
        else reject(error)
      })
    })
  }

  #webSocket(): Promise<void> {
    return new Promise((resolve, reject) => {
      const socket = new WebSocket(`${this.#server.url.replace('http', 'ws')}/ws`)
      socket.on('open', () => socket.send('hello'))
      socket.on('message', () => socket.close())
      socket.on('close', code =>
        code === 1005 || code === 1000 ? resolve() : reject(new Error(`closed with ${code}`)),
      )
      socket.on('error', reject)
    })
  }
}

async function withinPatience(work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no end within ${PATIENCE_MS / 1000} s`)), PATIENCE_MS)
  })
  try {
    await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
