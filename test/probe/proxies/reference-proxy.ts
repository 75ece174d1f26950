/**
 * A small gateway that changes nothing it must not change. Wrong proxies are this one with one fault. It speaks HTTP/1.1 on
 * both sides, streams both ways, reuses connections, and rejects what is malformed.
 */
import { connect, createServer, type Server, type Socket } from 'node:net'
import { bodyReaderFor, headLength, type BodyReader } from '../../../core/http/tap/message-framing.ts'

export type Fields = [name: string, value: string][]

export interface Head {
  /** Request line or status line. */
  line: string
  fields: Fields
}

/** One fault: what the wrong proxy does differently. */
export interface Fault {
  /** Changes the head of a request before it is forwarded. */
  request?(head: Head): void
  /** Changes the head of a response before it is sent back. */
  response?(head: Head, request: Head): void
  requestBody?(bytes: Buffer): Buffer
  responseBody?(bytes: Buffer): Buffer
  /** What is not checked of a request. */
  allows?: readonly ('te' | 'length' | 'host' | 'line' | 'control' | 'fold' | 'lead')[]
  /** Forwards fields that Connection names, in requests or responses. */
  passesNamed?: boolean
  passesNamedBack?: boolean
  /** Connection of the client removes fields that the proxy itself adds. */
  connectionRemovesOwn?: boolean
  /** Fields about the client that are forwarded as they came. */
  passesForwarded?: RegExp
  /** Forwards the absolute form as it came. */
  keepsAbsolute?: boolean
  /** Answers 400 to these absolute forms. */
  refusesAbsolute?: (target: string, host: string) => boolean
  /** The status line with which the proxy answers a request itself; null to forward the request. */
  refuses?(head: Head): string | null
  /** Forwards Content-Length next to Transfer-Encoding. */
  keepsLength?: boolean
  /** Forwards transfer codings as they came. */
  passesCoding?: boolean
  /** Takes the number that a Content-Length begins with. */
  takesFirstLength?: boolean
  takesFirstLengthBack?: boolean
  /** Forwards the head as it came. */
  passesRaw?: boolean
  dropsBodyOfGet?: boolean
  /** Forwards requests of these methods without their content, and without its type. */
  dropsBodyOf?: RegExp
  /** Forwards a request once all of it has arrived, with its trailers in the head. */
  mergesTrailers?: boolean
  /** Forwards requests once all of them has arrived, and answers no Expect. */
  holdsRequests?: boolean | ((head: Head) => boolean)
  /** How long each part of a response is held back. */
  holdMs?: number
  /** Holds responses back until they are complete. */
  holdsResponses?: boolean
  /** Ends chunked responses properly although they broke off. */
  repairsEnd?: boolean
  /** Repeats a request once when the upstream fails; the status is null if it closed. */
  repeats?(method: string, status: number | null): boolean
  /** How often it tries in all; default: twice. */
  attempts?: number
  /** Repeats a request whose response broke off, and goes on with the content of the second. */
  repeatsBroken?: boolean
  /** Closes no connection although the client asked for it. */
  keepsOpen?: boolean
  /** Keeps the connection to the upstream although the client has left. */
  ignoresLeaving?: boolean
  /** Takes an interim response for the final one. */
  endsAtInterim?: boolean
  /** Bytes behind a response of the upstream belong to the next one. */
  keepsExtra?: boolean
  /** Names of the upstream are not rewritten. */
  keepsOrigin?: boolean
  /** Which responses to GET are stored, and given to all later requests of the target. */
  caches?(response: Head, request: Head): boolean
  /** Stores responses by this text instead of the request line: of the head and the content, which is waited for. */
  storedBy?(head: Head, content: string): string
  /** Stores responses to POST too. */
  storesPost?: boolean
  /** Forwards fields about client certificates. */
  passesCertificates?: boolean
  /** Protocols that are upgraded to; default: websocket. */
  upgrades?: readonly string[]
  /** Changes what goes through after a 101; null ends the connection. */
  toUpstream?(bytes: Buffer): Buffer | null
  toClient?(bytes: Buffer): Buffer | null
  /** Keeps a connection to the client whose upstream has ended its own. */
  keepsDead?: boolean
  /** Status for an upstream that fails. */
  failure?: string
  /** Line end of forwarded heads. */
  lineEnd?: string
}

const HOP = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'te',
  'transfer-encoding',
  'upgrade',
  'http2-settings',
])
const CERTIFICATE =
  /^(?:client-cert|client-cert-chain|x-forwarded-client-cert|x-ssl-client-cert|x-client-cert|ssl-client-cert)$/
const FORWARDED = /^(?:forwarded|x-forwarded-(?:for|proto|host|port|prefix)|x-real-ip)$/
/** Version in which the request was received. */
export const RECEIVED = 'x-proxy-received'
const METHOD = /^[!#$%&'*+.^_`|~\w-]+$/
const PLAIN_HOST = /^[\w.-]+(?::\d+)?$|^\[[\da-f:.]+\](?::\d+)?$/i

export interface ProxyServer {
  port: number
  url: string
  close(): Promise<void>
}

/** Starts a proxy in front of a port of this machine; its own port is a free one unless it is named. */
export async function startProxy(upstreamPort: number, fault: Fault = {}, ownPort = 0): Promise<ProxyServer> {
  const idle: Socket[] = []
  const extra = new WeakMap<Socket, Buffer>()
  const stored = new Map<string, Buffer>()
  const sockets = new Set<Socket>()
  const server = createServer({ allowHalfOpen: true, noDelay: true }, client => {
    sockets.add(client)
    client.on('close', () => sockets.delete(client))
    new ClientConnection(client, { upstreamPort, fault, idle, extra, stored, sockets })
  })
  const port = await listen(server, ownPort)
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
  }
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise(resolve =>
    server.listen(port, '127.0.0.1', () => resolve((server.address() as { port: number }).port)),
  )
}

interface Shared {
  upstreamPort: number
  fault: Fault
  idle: Socket[]
  /** Bytes behind the last response of a kept connection. */
  extra: WeakMap<Socket, Buffer>
  /** Responses by request line. */
  stored: Map<string, Buffer>
  sockets: Set<Socket>
}

/** A connection of a client; its requests are processed one after the other. */
class ClientConnection {
  readonly #client: Socket
  readonly #shared: Shared
  #pending: Buffer = Buffer.alloc(0)
  #exchange: Exchange | null = null
  #isEnded = false

  constructor(client: Socket, shared: Shared) {
    this.#client = client
    this.#shared = shared
    client.on('error', () => {})
    client.on('data', chunk => {
      this.#pending = Buffer.concat([this.#pending, chunk])
      this.#advance()
    })
    client.on('end', () => {
      this.#isEnded = true
      if (this.#exchange === null) client.end()
      else this.#exchange.clientLeft()
    })
    client.on('close', () => this.#exchange?.clientLeft())
  }

  #advance(): void {
    while (this.#pending.length > 0) {
      if (this.#exchange !== null) {
        const taken = this.#exchange.takeBody(this.#pending)
        this.#pending = this.#pending.subarray(taken)
        return
      }
      const length = headLength(this.#pending)
      if (length === -1) {
        if (this.#pending.length > 128 * 1024) this.#refuse('431 Request Header Fields Too Large')
        return
      }
      const bytes = this.#pending.subarray(0, length)
      this.#pending = this.#pending.subarray(length)
      if (!this.#begin(bytes)) return
    }
  }

  /** Returns false if the request was refused. */
  #begin(bytes: Buffer): boolean {
    const { fault } = this.#shared
    const problem = requestProblem(bytes, fault.allows ?? [])
    if (problem !== null) {
      this.#refuse(problem)
      return false
    }
    const head = parseHead(bytes)
    const absolute = /^\S+ (http:\S+)/i.exec(head.line)?.[1]
    if (absolute !== undefined && fault.refusesAbsolute?.(absolute, valuesOf(head.fields, 'host').join()) === true) {
      this.#refuse('400 Bad Request')
      return false
    }
    const refusal = fault.refuses?.(head) ?? null
    if (refusal !== null) {
      this.#refuse(refusal)
      return false
    }
    if (fault.keepsAbsolute !== true) toOriginForm(head)
    const reader = fault.takesFirstLength === true ? firstLengthReader(head.fields) : bodyReaderFor(bytes)
    const closes = connectionOptions(head.fields).includes('close') || head.line.endsWith('HTTP/1.0')
    const own = maxForwards(head)
    if (own !== null) {
      this.#client.write(own, 'latin1')
      return true
    }
    const done = (ended: boolean): void => {
      this.#exchange = null
      if ((closes && fault.keepsOpen !== true) || ended || this.#isEnded) this.#client.end()
      else setImmediate(() => this.#advance())
    }
    const tunnel = (upstream: Socket, early: Buffer): void => this.#tunnel(upstream, early)
    this.#exchange = new Exchange({
      client: this.#client,
      shared: this.#shared,
      head,
      bytes,
      reader,
      done,
      closes,
      tunnel,
    })
    if (this.#pending.length > 0) this.#advance()
    return false
  }

  /** After a 101: bytes go both ways. */
  #tunnel(upstream: Socket, early: Buffer): void {
    const { fault } = this.#shared
    const client = this.#client
    client.removeAllListeners('data')
    client.removeAllListeners('end')
    client.removeAllListeners('close')
    upstream.removeAllListeners('data')
    upstream.removeAllListeners('end')
    upstream.removeAllListeners('close')
    const pass = (to: Socket, change: ((bytes: Buffer) => Buffer | null) | undefined) => (bytes: Buffer) => {
      const changed = change === undefined ? bytes : change(bytes)
      if (changed !== null) return void to.write(changed)
      client.destroy()
      upstream.destroy()
    }
    const up = pass(upstream, fault.toUpstream)
    const down = pass(client, fault.toClient)
    client.on('data', up).on('end', () => upstream.end())
    client.on('close', () => upstream.destroy())
    upstream.on('data', down)
    if (fault.keepsDead !== true) upstream.on('end', () => client.end()).on('close', () => client.destroy())
    if (this.#pending.length > 0) up(this.#pending)
    if (early.length > 0) down(early)
    this.#pending = Buffer.alloc(0)
  }

  #refuse(status: string): void {
    this.#pending = Buffer.alloc(0)
    this.#client.removeAllListeners('data')
    this.#client.resume()
    this.#client.end(ownAnswer(status, true))
  }
}

/** A request on its way to the upstream and its response on the way back. */
class Exchange {
  readonly #client: Socket
  readonly #shared: Shared
  readonly #request: Head
  readonly #reader: BodyReader
  readonly #isChunked: boolean
  readonly #done: (mustClose: boolean) => void
  readonly #closes: boolean
  #upstream: Socket | null = null
  #outgoing: Buffer[] = []
  #response: ResponseReader | null = null
  #isOver = false
  #attempts = 0
  readonly #received: Buffer
  readonly #dropsBody: boolean
  readonly #tunnel: ExchangeStart['tunnel']
  readonly #method: string

  constructor({ client, shared, head, bytes, reader, done, closes, tunnel }: ExchangeStart) {
    const { fault } = shared
    this.#client = client
    this.#shared = shared
    this.#reader = reader
    this.#done = done
    this.#closes = closes
    this.#isChunked = head.fields.some(([name]) => name.toLowerCase() === 'transfer-encoding')
    this.#method = head.line.split(' ', 1)[0]!
    this.#received = bytes
    this.#dropsBody =
      (fault.dropsBodyOfGet === true && /^(?:GET|HEAD|DELETE|OPTIONS)$/.test(this.#method)) ||
      fault.dropsBodyOf?.test(this.#method) === true
    this.#request = forwardedRequest(head, client, { isChunked: this.#isChunked, fault, dropsBody: this.#dropsBody })
    this.#tunnel = tunnel
    const protocol = valuesOf(head.fields, 'upgrade').join().toLowerCase()
    if ((fault.upgrades ?? ['websocket']).includes(protocol))
      this.#request.fields.push(['Upgrade', protocol], ['Connection', 'Upgrade'])
    fault.request?.(this.#request)
    const stored = fault.storedBy === undefined ? shared.stored.get(head.line) : undefined
    if (stored !== undefined) {
      this.#isOver = true
      client.write(stored)
      queueMicrotask(() => done(false))
    } else if (!this.#isHeld || reader.state !== 'incomplete') this.#connect()
  }

  /** The request is forwarded once all of it has arrived. */
  get #isHeld(): boolean {
    const { fault } = this.#shared
    const isHeld = typeof fault.holdsRequests === 'function' ? fault.holdsRequests(this.#request) : fault.holdsRequests
    return isHeld === true || fault.mergesTrailers === true || fault.storedBy !== undefined
  }

  /** Forwards what belongs to the body; returns how much that is. */
  takeBody(bytes: Buffer): number {
    const { fault } = this.#shared
    const taken = this.#reader.take(bytes, () => {})
    if (taken > 0 && !this.#dropsBody) {
      const raw = bytes.subarray(0, taken)
      const out = fault.requestBody === undefined ? raw : fault.requestBody(raw)
      this.#outgoing.push(out)
      this.#upstream?.write(out)
    }
    if (this.#upstream === null && !this.#isOver && this.#reader.state !== 'incomplete') {
      if (fault.mergesTrailers === true) this.#mergeTrailers()
      this.#connect()
    }
    return taken
  }

  #mergeTrailers(): void {
    const trailers = Buffer.concat(this.#outgoing).toString('latin1').split('\r\n0\r\n')[1] ?? ''
    for (const line of trailers.split('\r\n'))
      if (/^x-probe-/i.test(line))
        this.#request.fields.push([line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()])
  }

  clientLeft(): void {
    if (this.#shared.fault.ignoresLeaving === true || this.#isOver) return
    this.#isOver = true
    this.#upstream?.destroy()
    this.#client.destroy()
  }

  /** What the response is stored by. */
  get #storedBy(): string {
    const { storedBy } = this.#shared.fault
    const content = Buffer.concat(this.#outgoing).toString('latin1')
    return storedBy === undefined ? this.#request.line : storedBy(this.#request, content)
  }

  #connect(): void {
    const { idle, upstreamPort, fault, sockets } = this.#shared
    const stored = fault.storedBy === undefined ? undefined : this.#shared.stored.get(this.#storedBy)
    if (stored !== undefined) {
      this.#isOver = true
      this.#client.write(stored)
      queueMicrotask(() => this.#done(false))
      return
    }
    this.#attempts++
    const kept = idle.pop()
    const upstream = kept ?? connect({ port: upstreamPort, host: '127.0.0.1', noDelay: true })
    if (kept === undefined) {
      sockets.add(upstream)
      upstream.on('close', () => sockets.delete(upstream))
    }
    upstream.removeAllListeners('data')
    upstream.removeAllListeners('error')
    upstream.removeAllListeners('end')
    upstream.removeAllListeners('close')
    this.#upstream = upstream
    const response = new ResponseReader(this.#method, fault, {
      onHead: (head, isInterim) => this.#onHead(head, isInterim),
      // An attempt that was given up has nothing more to say.
      onBytes: bytes => {
        if (this.#upstream === upstream)
          this.#toClient(fault.responseBody === undefined ? bytes : fault.responseBody(bytes))
      },
      onEnd: (isReusable, extra) => {
        if (this.#upstream === upstream) this.#onEnd(isReusable, extra)
      },
      onInvalid: () => {
        if (this.#upstream === upstream) this.#onFailure()
      },
      onUpgrade: (head, early) => {
        this.#isOver = true
        this.#shared.fault.response?.(head, this.#request)
        this.#client.write(textOf(head), 'latin1')
        this.#tunnel(upstream, early)
      },
    })
    this.#response = response
    upstream.on('data', chunk => response.feed(chunk))
    upstream.resume()
    upstream.on('error', () => {})
    upstream.on('end', () => response.finish())
    upstream.on('close', () => {
      response.finish()
      if (!this.#isOver) this.#onFailure()
    })
    const end = fault.lineEnd ?? '\r\n'
    upstream.write(fault.passesRaw === true ? this.#received : Buffer.from(textOf(this.#request, end), 'latin1'))
    for (const bytes of this.#outgoing) upstream.write(bytes)
    const extra = this.#shared.extra.get(upstream)
    this.#shared.extra.delete(upstream)
    if (extra !== undefined) setImmediate(() => response.feed(extra))
    // Back pressure in both directions.
    this.#client.on('drain', this.#onDrain)
  }

  readonly #onDrain = (): void => {
    this.#upstream?.resume()
  }

  #hasHead = false
  #heldResponse: Buffer[] = []
  /** The response, if it is to be stored. */
  #kept: Buffer[] | null = null

  #onHead(head: Head, isInterim: boolean): void {
    const { fault } = this.#shared
    const status = Number(head.line.split(' ')[1])
    if (isInterim) {
      this.#client.write(textOf(head), 'latin1')
      if (fault.endsAtInterim === true) {
        this.#isOver = true
        this.#upstream?.destroy()
        this.#done(true)
      }
      return
    }
    if (
      !isInterim &&
      !this.#hasHead &&
      fault.repeats?.(this.#method, status) === true &&
      this.#attempts < (fault.attempts ?? 2)
    ) {
      this.#upstream!.removeAllListeners('close')
      this.#upstream!.destroy()
      this.#connect()
      return
    }
    if (this.#hasHead) return
    this.#hasHead = true
    const out = forwardedResponse(head, this.#response!.isChunked, fault)
    if (fault.keepsOrigin !== true) rewriteOrigin(out, this.#shared.upstreamPort, this.#request)
    if (this.#closes) out.fields.push(['Connection', 'close'])
    fault.response?.(out, this.#request)
    const isStorable = this.#method === 'GET' || fault.storesPost === true
    if (isStorable && fault.caches?.(out, this.#request) === true) this.#kept = []
    this.#toClient(Buffer.from(textOf(out), 'latin1'), true)
  }

  #toClient(bytes: Buffer, isHead = false): void {
    const { fault } = this.#shared
    this.#kept?.push(bytes)
    if (fault.holdsResponses === true && !isHead) return void this.#heldResponse.push(bytes)
    if (fault.holdMs !== undefined && !isHead) {
      const client = this.#client
      this.#delayed++
      setTimeout(() => {
        client.write(bytes)
        this.#delayed--
        this.#afterDelay?.()
      }, fault.holdMs)
      return
    }
    if (!this.#client.write(bytes)) this.#upstream?.pause()
  }

  #delayed = 0
  #afterDelay: (() => void) | null = null

  #onEnd(isReusable: boolean, extra: Buffer): void {
    if (this.#isOver) return
    const finish = (): void => {
      if (this.#delayed > 0) {
        this.#afterDelay = finish
        return
      }
      this.#isOver = true
      if (this.#heldResponse.length > 0) this.#client.write(Buffer.concat(this.#heldResponse))
      this.#client.off('drain', this.#onDrain)
      const { fault, idle, stored } = this.#shared
      if (this.#kept !== null) stored.set(this.#storedBy, Buffer.concat(this.#kept))
      const upstream = this.#upstream!
      upstream.removeAllListeners('data')
      upstream.removeAllListeners('close')
      upstream.removeAllListeners('end')
      const hasExtra = extra.length > 0 && fault.keepsExtra !== true
      if (isReusable && !hasExtra && this.#reader.state === 'complete' && !upstream.destroyed) {
        if (extra.length > 0) this.#shared.extra.set(upstream, extra)
        // A connection that ends, or says something, while it is idle is not used again.
        const drop = (): void => {
          const at = idle.indexOf(upstream)
          if (at !== -1) idle.splice(at, 1)
          upstream.destroy()
        }
        upstream.on('end', drop)
        upstream.on('close', drop)
        if (fault.keepsExtra === true) upstream.pause()
        else upstream.on('data', drop)
        idle.push(upstream)
      } else upstream.destroy()
      this.#done(this.#reader.state !== 'complete' || !(this.#response?.isDelimited ?? true))
    }
    finish()
  }

  /** The upstream has failed: 502 if nothing was sent yet, otherwise the client has to see that it broke off. */
  #onFailure(): void {
    if (this.#isOver) return
    const { fault } = this.#shared
    const isRepeated = this.#hasHead && fault.repeatsBroken === true && this.#attempts < 2
    if (
      isRepeated ||
      (!this.#hasHead && fault.repeats?.(this.#method, null) === true && this.#attempts < (fault.attempts ?? 2))
    ) {
      this.#upstream!.removeAllListeners('close')
      this.#upstream!.destroy()
      this.#connect()
      return
    }
    this.#isOver = true
    this.#upstream?.destroy()
    if (!this.#hasHead) {
      this.#client.write(ownAnswer(fault.failure ?? '502 Bad Gateway', true))
      this.#done(true)
    } else if (fault.repairsEnd === true) {
      this.#client.write('0\r\n\r\n')
      this.#done(false)
    } else this.#client.resetAndDestroy()
  }
}

interface ExchangeStart {
  client: Socket
  shared: Shared
  head: Head
  /** The head as it came. */
  bytes: Buffer
  reader: BodyReader
  done: (mustClose: boolean) => void
  closes: boolean
  /** Passes bytes on after a 101. */
  tunnel: (upstream: Socket, early: Buffer) => void
}

interface ResponseEvents {
  onHead(head: Head, isInterim: boolean): void
  onBytes(bytes: Buffer): void
  onEnd(isReusable: boolean, extra: Buffer): void
  onInvalid(): void
  onUpgrade(head: Head, early: Buffer): void
}

/** Reads one response of the upstream. */
class ResponseReader {
  readonly #method: string
  readonly #fault: Fault
  readonly #events: ResponseEvents
  #pending: Buffer = Buffer.alloc(0)
  #reader: BodyReader | 'close' | null = null
  #isReusable = true
  #isOver = false
  isChunked = false
  isDelimited = true

  constructor(method: string, fault: Fault, events: ResponseEvents) {
    this.#method = method
    this.#fault = fault
    this.#events = events
  }

  feed(chunk: Buffer): void {
    this.#pending = Buffer.concat([this.#pending, chunk])
    while (!this.#isOver) {
      if (this.#reader === null) {
        const length = headLength(this.#pending)
        if (length === -1) return
        const bytes = this.#pending.subarray(0, length)
        this.#pending = this.#pending.subarray(length)
        if (!this.#begin(bytes)) continue
      }
      const reader = this.#reader as BodyReader | 'close'
      if (reader === 'close') {
        if (this.#pending.length > 0) this.#events.onBytes(this.#pending)
        this.#pending = Buffer.alloc(0)
        return
      }
      if (reader.state === 'incomplete' && this.#pending.length > 0) {
        const taken = reader.take(this.#pending, () => {})
        const bytes = this.#pending.subarray(0, taken)
        this.#pending = this.#pending.subarray(taken)
        this.#events.onBytes(bytes)
      }
      if (reader.state === 'invalid') return this.#invalid()
      if (reader.state !== 'complete') return
      this.#isOver = true
      this.#events.onEnd(this.#isReusable, this.#pending)
    }
  }

  /** The upstream has ended its side. */
  finish(): void {
    if (this.#isOver) return
    if (this.#reader === 'close') {
      this.#isOver = true
      this.#events.onEnd(false, Buffer.alloc(0))
    } else this.#invalid()
  }

  #invalid(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#events.onInvalid()
  }

  /** Returns false for an interim response. */
  #begin(bytes: Buffer): boolean {
    const head = parseHead(bytes)
    const status = Number(head.line.split(' ')[1])
    if (/\r\n[ \t]/.test(bytes.toString('latin1')) || !/^HTTP\/1\.[01] \d{3}/.test(head.line)) {
      this.#invalid()
      return false
    }
    if (status === 101) {
      this.#isOver = true
      this.#events.onUpgrade(head, this.#pending)
      return false
    }
    if (status < 200) {
      this.#events.onHead(head, true)
      return false
    }
    const lengths = valuesOf(head.fields, 'content-length')
    const codings = valuesOf(head.fields, 'transfer-encoding')
    this.isChunked = codings.length > 0
    this.#isReusable = !connectionOptions(head.fields).includes('close')
    const hasNoBody = this.#method === 'HEAD' || status === 204 || status === 304
    if (!hasNoBody && codings.length === 0 && lengths.length === 0) {
      this.#reader = 'close'
      this.isDelimited = false
    } else if (hasNoBody) this.#reader = { state: 'complete', take: () => 0 }
    else
      this.#reader =
        this.#fault.takesFirstLengthBack === true && codings.length === 0
          ? firstLengthReader(head.fields)
          : bodyReaderFor(bytes)
    if (this.#reader !== 'close' && this.#reader.state === 'invalid') {
      this.#invalid()
      return false
    }
    this.#events.onHead(head, false)
    return true
  }
}

// ---------- Heads

function parseHead(bytes: Buffer): Head {
  const [line = '', ...lines] = bytes.toString('latin1').trimStart().split(/\r?\n/)
  return {
    line,
    fields: lines
      .filter(text => text !== '')
      .map(text => [text.slice(0, text.indexOf(':')), text.slice(text.indexOf(':') + 1).trim()]),
  }
}

function textOf({ line, fields }: Head, end = '\r\n'): string {
  return `${line}${end}${fields.map(([name, value]) => `${name}: ${value}${end}`).join('')}${end}`
}

export function valuesOf(fields: Fields, name: string): string[] {
  return fields.filter(([found]) => found.toLowerCase() === name).map(([, value]) => value)
}

function connectionOptions(fields: Fields): string[] {
  return valuesOf(fields, 'connection')
    .flatMap(value => value.split(','))
    .map(value => value.trim().toLowerCase())
}

/** Removes fields of this connection, and those that Connection names. */
function withoutHopFields(fields: Fields, passesNamed: boolean): Fields {
  const named = new Set(passesNamed ? [] : connectionOptions(fields))
  return fields.filter(([name]) => !HOP.has(name.toLowerCase()) && !named.has(name.toLowerCase()))
}

/** The number that the first Content-Length begins with, whatever follows it. */
function firstLength(fields: Fields): number {
  return Number.parseInt(valuesOf(fields, 'content-length')[0] ?? '0', 10) || 0
}

function firstLengthReader(fields: Fields): BodyReader {
  return bodyReaderFor(Buffer.from(`POST / HTTP/1.1\r\nContent-Length: ${Math.max(0, firstLength(fields))}\r\n\r\n`))
}

function forwardedRequest(
  { line, fields }: Head,
  client: Socket,
  { isChunked, fault, dropsBody }: { isChunked: boolean; fault: Fault; dropsBody: boolean },
): Head {
  const passed = (name: string): boolean => fault.passesForwarded?.test(name) === true
  const own = withoutHopFields(fields, fault.passesNamed === true).filter(
    ([name]) =>
      passed(name) ||
      (!FORWARDED.test(name.toLowerCase()) &&
        (fault.passesCertificates === true || !CERTIFICATE.test(name.toLowerCase()))),
  )
  set(own, 'max-forwards', value => String(Number(value) - 1))
  const lengths = valuesOf(own, 'content-length')
  const codings = valuesOf(fields, 'transfer-encoding')
  const framing: Fields = isChunked
    ? (fault.passesCoding === true ? codings : ['chunked']).map((value): [string, string] => [
        'Transfer-Encoding',
        value,
      ])
    : []
  if (lengths.length > 0 && !dropsBody && (!isChunked || fault.keepsLength === true))
    framing.push([
      'Content-Length',
      fault.takesFirstLength === true ? String(firstLength(fields)) : lengths[0]!.split(',')[0]!.trim(),
    ])
  const rest = own.filter(([name]) => !/^(?:content-length|via|x-proxy-received)$/i.test(name))
  const added: Fields = [
    ['X-Forwarded-For', client.remoteAddress ?? 'unknown'],
    ['X-Forwarded-Proto', 'http'],
  ]
  // Set by the proxy in front of this one, which speaks HTTP/2.
  const version = valuesOf(own, RECEIVED)[0] ?? '1.1'
  const removed = new Set(fault.connectionRemovesOwn === true ? connectionOptions(fields) : [])
  return {
    line: line.replace(/HTTP\/1\.0$/, 'HTTP/1.1'),
    fields: [
      ...rest,
      ...framing,
      ...added.filter(
        ([name]) =>
          !removed.has(name.toLowerCase()) && !rest.some(([found]) => found.toLowerCase() === name.toLowerCase()),
      ),
      ['Via', [...valuesOf(own, 'via'), `${version} reference`].join(', ')],
    ],
  }
}

/** Changes the values of a field. */
export function set(fields: Fields, name: string, change: (value: string) => string): void {
  for (const field of fields) if (field[0].toLowerCase() === name) field[1] = change(field[1])
}

function forwardedResponse({ line, fields }: Head, isChunked: boolean, fault: Fault): Head {
  const own = withoutHopFields(fields, fault.passesNamedBack === true)
  if (!own.some(([name]) => name.toLowerCase() === 'date')) own.push(['Date', new Date().toUTCString()])
  if (isChunked) own.push(['Transfer-Encoding', 'chunked'])
  const rest =
    fault.takesFirstLengthBack === true ? own.filter(([name]) => name.toLowerCase() !== 'content-length') : own
  if (rest.length < own.length) rest.push(['Content-Length', String(firstLength(own))])
  return { line, fields: [...rest, ['Via', '1.1 reference']] }
}

function rewriteOrigin({ fields }: Head, upstreamPort: number, request: Head): void {
  const [host] = valuesOf(request.fields, 'host')
  for (const field of fields)
    if (/^(?:location|content-location|link|refresh)$/i.test(field[0]))
      field[1] = field[1].replaceAll(`http://127.0.0.1:${upstreamPort}`, `http://${host}`)
}

function toOriginForm(head: Head): void {
  const match = /^(\S+) https?:\/\/([^/\s]+)(\S*) (\S+)$/i.exec(head.line)
  if (match === null) return
  head.line = `${match[1]} ${match[3] === '' ? '/' : match[3]} ${match[4]}`
  for (const field of head.fields) if (field[0].toLowerCase() === 'host') field[1] = match[2]!
}

/** OPTIONS with Max-Forwards: 0 is answered here (RFC 9110, 7.6.2). */
function maxForwards({ line, fields }: Head): string | null {
  return line.startsWith('OPTIONS ') && valuesOf(fields, 'max-forwards').join() === '0'
    ? 'HTTP/1.1 204 No Content\r\nAllow: GET, POST\r\n\r\n'
    : null
}

function ownAnswer(status: string, isLast: boolean): string {
  const body = `${status}\n`
  return `HTTP/1.1 ${status}\r\nDate: ${new Date().toUTCString()}\r\nContent-Type: text/plain\r\nContent-Length: ${body.length}\r\n${isLast ? 'Connection: close\r\n' : ''}\r\n${body}`
}

/** The status for a malformed request; null for one to forward. */
function requestProblem(bytes: Buffer, allows: readonly string[]): string | null {
  const bad = '400 Bad Request'
  const text = bytes.toString('latin1')
  const lines = text.replace(/\r?\n\r?\n$/, '').split('\r\n')
  const isAllowed = (what: string): boolean => allows.includes(what)
  const [line = ''] = lines
  const parts = line.split(' ')
  if (!isAllowed('line')) {
    if (parts.length !== 3 || !METHOD.test(parts[0]!) || !/^HTTP\/1\.[01]$/.test(parts[2]!)) return bad
    if (/#/.test(parts[1]!)) return bad
    if (/[^!-~]/.test(parts[1]!)) return bad
  }
  const rest = lines.slice(1)
  if (!isAllowed('lead') && /^[ \t]/.test(rest[0] ?? '')) return bad
  if (!isAllowed('fold') && rest.slice(1).some(one => /^[ \t]/.test(one))) return bad
  // oxlint-disable-next-line no-control-regex
  if (!isAllowed('control') && rest.some(one => /[\u0000-\u0008\n-\u001f\u007f]/.test(one))) return bad
  const names = rest.filter(one => !/^[ \t]/.test(one)).map(one => one.slice(0, one.indexOf(':')))
  if (!isAllowed('te') && names.some(name => !METHOD.test(name))) return bad
  const { fields } = parseHead(bytes)
  const hosts = valuesOf(fields, 'host')
  if (!isAllowed('host') && (hosts.length !== 1 || !PLAIN_HOST.test(hosts[0]!))) return bad
  const codings = valuesOf(fields, 'transfer-encoding')
  const lengths = valuesOf(fields, 'content-length')
  if (!isAllowed('te') && codings.length > 0) {
    if (lengths.length > 0 || codings.length > 1 || parts[2] === 'HTTP/1.0') return bad
    if (codings[0]!.toLowerCase() !== 'chunked') return '501 Not Implemented'
  }
  if (!isAllowed('length') && lengths.length > 0) {
    const all = lengths.flatMap(value => value.split(',')).map(value => value.trim())
    if (!all.every(value => value === all[0]) || !/^\d{1,15}$/.test(all[0]!)) return bad
  }
  return null
}
