/** HTTP requests of `ForwardEcho`, over HTTP/1.1 and HTTP/2, with redirects. */
import { Agent, request as sendRequest, type IncomingMessage } from 'node:http'
import { connect as connectHttp2, type ClientHttp2Session, type IncomingHttpHeaders } from 'node:http2'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { openConnection } from './connection.ts'
import type { Destination } from './destination.ts'
import { canonicalName, Collected, connectionLines, type Exchange, requestLines } from './exchange.ts'
import { type NamedTarget, readTarget } from './plan.ts'

const REDIRECTS = new Set([301, 302, 303, 307, 308])
const MAX_REDIRECTS = 10

interface Response {
  status: number
  fields: [name: string, value: string][]
  location: string | undefined
  sourceIp: string | undefined
  body: string
}

/** Connections that the requests of a call share. */
export class HttpConnections {
  readonly #sessions = new Map<string, Promise<ClientHttp2Session>>()
  readonly #agents = new Map<string, Agent>()

  close(): void {
    for (const agent of this.#agents.values()) agent.destroy()
    for (const session of this.#sessions.values())
      session.then(
        open => open.destroy(),
        () => {},
      )
  }

  /** An agent for one destination: its sockets are opened as the plan says. */
  agent(key: string, open: () => Promise<Socket>): Agent {
    let agent = this.#agents.get(key)
    if (agent === undefined) this.#agents.set(key, (agent = new ForwardAgent(open)))
    return agent
  }

  session(key: string, open: () => Promise<ClientHttp2Session>): Promise<ClientHttp2Session> {
    let session = this.#sessions.get(key)
    if (session === undefined) this.#sessions.set(key, (session = open()))
    return session
  }
}

class ForwardAgent extends Agent {
  readonly #open: () => Promise<Socket>

  constructor(open: () => Promise<Socket>) {
    super({ keepAlive: true, maxFreeSockets: 16 })
    this.#open = open
  }

  override createConnection(_options: object, callback: (error: Error | null, stream: Duplex) => void): undefined {
    this.#open().then(
      socket => callback(null, socket),
      error => callback(error as Error, undefined as never),
    )
  }
}

/** Returns the lines of a request. */
export async function forwardHttp(exchange: Exchange, connections: HttpConnections): Promise<string> {
  const { plan } = exchange
  const lines = requestLines(exchange)
  const startedAt = performance.now()
  let { target, method } = plan
  for (let hop = 0; ; hop++) {
    const destination = await exchange.destinationOf(target)
    const send = plan.isHttp2 ? sendHttp2 : sendHttp1
    const response = await send(exchange, { target, destination, method, isFirst: hop === 0 }, connections)
    if (plan.followsRedirects && REDIRECTS.has(response.status) && response.location !== undefined) {
      if (hop === MAX_REDIRECTS) throw new Error(`more than ${MAX_REDIRECTS} redirects`)
      target = redirectTarget(target, response.location)
      if (response.status === 303 && method !== 'HEAD') method = 'GET'
      continue
    }
    connectionLines(lines, exchange, startedAt, response.sourceIp)
    lines.add('StatusCode', response.status)
    for (const [name, value] of response.fields) lines.add('ResponseHeader', `${name}:${value}`)
    lines.body(response.body)
    return lines.toString()
  }
}

/** Where a redirect leads; only to HTTP. */
function redirectTarget(from: NamedTarget, location: string): NamedTarget {
  const base = `${from.scheme}://${from.authority}${from.path}`
  if (!URL.canParse(location, base)) throw new Error('the redirect leads to an invalid URL')
  const { href, protocol, username, hash } = new URL(location, base)
  if ((protocol !== 'http:' && protocol !== 'https:') || username !== '')
    throw new Error('the redirect does not lead to HTTP')
  return readTarget(hash === '' ? href : href.slice(0, -hash.length))
}

interface Hop {
  target: NamedTarget
  destination: Destination
  method: string
  /** `Host` of the request is that of the first hop only. */
  isFirst: boolean
}

function connectionOf(
  exchange: Exchange,
  { target, destination }: Hop,
  alpn: readonly string[],
): () => Promise<Socket> {
  const { plan, svc, signal } = exchange
  const isSecure = target.scheme === 'https'
  return () => openConnection({ target, destination, plan, isSecure, alpn, demoCa: svc.pki.caCertificate, signal })
}

function keyOf({ target, destination }: Hop): string {
  return `${target.scheme} ${target.authority} ${destination.address} ${destination.port}`
}

function hostOf({ plan }: Exchange, { target, isFirst }: Hop): string {
  return (isFirst ? plan.host : null) ?? target.authority
}

function sendHttp1(exchange: Exchange, hop: Hop, connections: HttpConnections): Promise<Response> {
  const { plan, signal, via } = exchange
  const open = connectionOf(exchange, hop, ['http/1.1'])
  const agent = plan.isNewConnection ? new ForwardAgent(open) : connections.agent(keyOf(hop), open)
  return new Promise((resolve, reject) => {
    const request = sendRequest({
      agent,
      method: hop.method,
      path: hop.target.path,
      headers: [['Host', hostOf(exchange, hop)], ...plan.headers, ['Via', via]].flat(),
      setHost: false,
      signal,
    })
    request.on('error', reject)
    request.once('upgrade', (_response, socket) => socket.destroy())
    request.once('response', response => {
      const sourceIp = request.socket?.localAddress
      readBody(response)
        .then(body =>
          resolve({
            status: response.statusCode ?? 0,
            fields: sortedFields(response.rawHeaders),
            location: response.headers.location,
            sourceIp,
            body,
          }),
        )
        .catch(error => {
          response.destroy()
          reject(error as Error)
        })
        .finally(() => {
          if (plan.isNewConnection) agent.destroy()
        })
    })
    request.end()
  })
}

async function readBody(response: IncomingMessage): Promise<string> {
  const collected = new Collected()
  for await (const piece of response as AsyncIterable<Buffer>) collected.add(piece)
  return collected.toString()
}

/** Fields with Go's spelling of names, sorted. */
function sortedFields(raw: readonly string[]): [string, string][] {
  const fields: [string, string][] = []
  for (let at = 0; at + 1 < raw.length; at += 2) fields.push([canonicalName(raw[at]!), raw[at + 1]!])
  return fields.toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
}

async function sendHttp2(exchange: Exchange, hop: Hop, connections: HttpConnections): Promise<Response> {
  const { plan, signal, via } = exchange
  const open = async (): Promise<ClientHttp2Session> => {
    const socket = await connectionOf(exchange, hop, ['h2'])()
    const session = connectHttp2(`${hop.target.scheme}://${hop.target.authority}`, { createConnection: () => socket })
    session.on('error', () => {})
    return session
  }
  const session = await (plan.isNewConnection ? open() : connections.session(keyOf(hop), open))
  try {
    const headers: Record<string, string | string[]> = {}
    for (const [name, value] of plan.headers) {
      const lower = name.toLowerCase()
      headers[lower] = lower in headers ? [headers[lower]!, value].flat() : value
    }
    const stream = session.request(
      {
        ...headers,
        via,
        ':method': hop.method,
        ':path': hop.target.path,
        ':scheme': hop.target.scheme,
        ':authority': hostOf(exchange, hop),
      },
      { signal },
    )
    const head = await new Promise<IncomingHttpHeaders & { ':status'?: number }>((resolve, reject) => {
      stream.once('response', resolve).once('error', reject)
      stream.once('close', () => reject(new Error('the stream was closed')))
      stream.end()
    })
    const collected = new Collected()
    for await (const piece of stream as AsyncIterable<Buffer>) collected.add(piece)
    const raw = Object.entries(head).flatMap(([name, value]) =>
      name.startsWith(':') ? [] : [value ?? ''].flat().flatMap(one => [name, one]),
    )
    return {
      status: head[':status'] ?? 0,
      fields: sortedFields(raw),
      location: head.location,
      sourceIp: session.socket?.localAddress,
      body: collected.toString(),
    }
  } finally {
    if (plan.isNewConnection) session.destroy()
  }
}
