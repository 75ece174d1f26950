/** The ports of plugins. They stay open while each new generation wants them. */
import { randomBytes } from 'node:crypto'
import type { Socket } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import type { ListenerStatus, ListenerTlsOptions, ProxyProtocolMode } from '../../contract/listeners.ts'
import type { TlsAccept } from '../../contract/tls.ts'
import type { ConnectionLog } from '../../inspector/connection-log.ts'
import type { Log } from '../../log/log.ts'
import type { FindLeaf } from '../../pki/leaf-certificates.ts'
import type { Listener } from '../listener/listeners.ts'
import { ListenerTls, readTlsMaterials } from '../sockets/listener-tls.ts'
import type { ProxyPolicy } from '../sockets/proxy-protocol/policy.ts'
import { HttpHandler } from './http-handler.ts'
import type { StreamHandler } from './stream-handler.ts'
import { StreamPort } from './stream-port.ts'
import { type AdmitConnection, type ConnectionBounds, TcpHandler } from './tcp-handler.ts'
import { type UdpBounds, UdpPort } from './udp-port.ts'
import { HostMount } from '../routes/host-mounts.ts'
import { isSecured, keyOf, type PortProblem, type PortUse, transportOf, type WantedPort } from './wanted.ts'

export interface OpenPortsOptions {
  log: Log
  connections: ConnectionLog
  leafOf: FindLeaf
  /** Issuer of client certificates, as PEM. */
  caCertificate: string
  bounds: ConnectionBounds
  udpBounds: UdpBounds
  admitToPlan: AdmitConnection
  countDatagram(direction: 'received' | 'sent'): void
  /** What is done with PROXY protocol headers on a listener. */
  proxyPolicy(listener: string, mode: ProxyProtocolMode): ProxyPolicy
  /** Makes what serves HTTP on a port; it does not listen. */
  createListener(facts: {
    name: string
    isSecured: boolean
    http2: boolean
    mount: HostMount | null
    grpc: boolean | null
  }): Listener
  /** Hands a connection to the HTTPS listener, which counts and closes it; null if this listener did not start. */
  adopt: ((socket: Socket, accept: TlsAccept) => void) | null
}

interface Open {
  port: StreamPort | UdpPort
  wanted: WantedPort
  /** What the settings of connections are made from; the same ones need no new handler. */
  fingerprint: string
  handler: StreamHandler | null
}

/** What serves connections. `opened` is called with the port once that is open. */
interface MadeHandler {
  handler: StreamHandler
  opened(port: number): void
}

/** What TLS needs, and the fingerprint of it. */
interface LoadedTls {
  fingerprint: string
  open(): Promise<ListenerTls | null>
}

export class OpenPorts {
  readonly #options: OpenPortsOptions
  readonly #open = new Map<string, Open>()
  /** Ports that no generation wants, whose connections end. */
  readonly #retired = new Set<StreamPort>()
  readonly #ticketKeys = randomBytes(48)
  #wanted: readonly WantedPort[] = []
  #last: Promise<void> = Promise.resolve()
  #isClosed = false

  constructor(options: OpenPortsOptions) {
    this.#options = options
  }

  /**
   * Opens and closes ports until those are open that a generation wants. One run at a time. `report` is called with what is
   * wrong with the settings of a port, or why it can't be opened.
   */
  apply(wanted: readonly WantedPort[], report: (plugin: string, problem: PortProblem) => void): Promise<void> {
    this.#last = this.#last.then(() => this.#apply(wanted, report))
    return this.#last
  }

  status(): ListenerStatus[] {
    return this.#wanted.map(port => {
      const open = this.#open.get(keyOf(port))
      return {
        name: port.name,
        kind: kindOf(port.use),
        plugin: port.plugin,
        address: open?.port.address.address ?? port.host,
        port: port.open,
        proxy_protocol: port.proxyProtocol,
        serves: port.use.settings.serves ?? null,
        connections: open?.port.openSockets ?? 0,
      }
    })
  }

  /** Stops accepting connections. */
  stopAccepting(): void {
    this.#isClosed = true
    for (const { port } of this.#open.values())
      if (port instanceof StreamPort) port.stop()
      else port.close('stop')
    for (const port of this.#retired) port.stop()
  }

  closeIdle(): void {
    for (const port of this.#streams) port.closeIdle()
  }

  /** Connections of TCP ports. */
  get openSockets(): number {
    return this.#streams.reduce((sum, { openSockets }) => sum + openSockets, 0)
  }

  destroyAll(): void {
    for (const port of this.#streams) port.destroyAll()
  }

  get #streams(): StreamPort[] {
    for (const port of this.#retired) if (port.openSockets === 0) this.#retired.delete(port)
    return [
      ...[...this.#open.values()].map(({ port }) => port).filter(port => port instanceof StreamPort),
      ...this.#retired,
    ]
  }

  async #apply(wanted: readonly WantedPort[], report: (plugin: string, problem: PortProblem) => void): Promise<void> {
    this.#wanted = wanted
    const keys = new Set(wanted.map(keyOf))
    for (const [key, { port }] of this.#open) {
      if (keys.has(key)) continue
      this.#open.delete(key)
      if (port instanceof UdpPort) port.close('reload')
      else {
        port.retire()
        this.#retired.add(port)
      }
    }
    // A closed port is free in the next turn of the event loop.
    await setImmediate()
    for (const port of wanted) {
      if (this.#isClosed) return
      try {
        const known = this.#open.get(keyOf(port))
        if (known === undefined) await this.#listen(port)
        else await this.#replace(known, port)
      } catch (error) {
        report(port.plugin, { at: port.use.settings.at, ...describeFailure(port, error as NodeJS.ErrnoException) })
      }
    }
  }

  async #listen(wanted: WantedPort): Promise<void> {
    const { use, host, number } = wanted
    let open: Open
    if (use.kind === 'udp') {
      const { log, connections, udpBounds: bounds, countDatagram, proxyPolicy } = this.#options
      const proxy = (mode: ProxyProtocolMode): ProxyPolicy => proxyPolicy(wanted.name, mode)
      const port = new UdpPort(wanted, use, { log, connections, bounds, countDatagram, proxy })
      wanted.open = await port.listen()
      open = { port, wanted, fingerprint: '', handler: null }
    } else {
      const { fingerprint, open: openTls } = await this.#loadTls(wanted)
      const { handler, opened } = this.#createHandler(wanted, await openTls())
      const port = new StreamPort(handler)
      wanted.open = await port.listen(host, number)
      opened(wanted.open)
      open = { port, wanted, fingerprint, handler }
    }
    this.#open.set(keyOf(wanted), open)
    if (this.#isClosed) {
      if (open.port instanceof UdpPort) open.port.close('stop')
      else open.port.stop()
      return
    }
    const { address, port } = open.port.address
    const shown = address.includes(':') ? `[${address}]` : address
    this.#options.log.line(`${wanted.name} (${kindOf(use).toUpperCase()}) listening on ${shown}:${port}`)
  }

  async #replace(open: Open, wanted: WantedPort): Promise<void> {
    const { use } = wanted
    wanted.open = open.port.address.port
    open.wanted = wanted
    if (open.port instanceof UdpPort) {
      if (use.kind === 'udp') open.port.replace(wanted, use)
      return
    }
    const { fingerprint, open: openTls } = await this.#loadTls(wanted)
    const { handler } = open
    if (fingerprint === open.fingerprint && handler instanceof TcpHandler && use.kind === 'tcp') handler.use = use
    else if (fingerprint !== open.fingerprint || use.kind === 'handshake') {
      const made = this.#createHandler(wanted, await openTls())
      made.opened(wanted.open)
      open.handler = made.handler
      open.port.replace(made.handler)
    }
    open.fingerprint = fingerprint
  }

  #createHandler(wanted: WantedPort, tls: ListenerTls | null): MadeHandler {
    const { use, name } = wanted
    const { log, connections, bounds, admitToPlan, createListener, adopt, proxyPolicy } = this.#options
    const proxy = proxyPolicy(name, wanted.proxyProtocol)
    if (use.kind === 'tcp') {
      const listener = { name, port: 0 }
      const handler = new TcpHandler(use, {
        log: log.child({ plugin: wanted.plugin }),
        connections,
        bounds,
        admitToPlan,
        listener,
        proxy,
        tls,
      })
      return { handler, opened: port => void (listener.port = port) }
    }
    if (use.kind === 'http') {
      const { http2 = true, mount: path, paths = {}, grpc = null } = use.settings
      const mount = path === undefined ? null : new HostMount({ mount: path, paths })
      const listener = createListener({ name, isSecured: tls !== null, http2, mount, grpc })
      return { handler: new HttpHandler(listener, tls, proxy), opened: port => void (listener.facts.port = port) }
    }
    if (use.kind !== 'handshake' || adopt === null) throw new Error('it needs the HTTPS listener')
    const handler: StreamHandler = {
      accept: socket => adopt(socket, use.accept),
      // They belong to the HTTPS listener.
      openSockets: 0,
      end() {},
      closeIdle() {},
      destroyAll() {},
      dispose() {},
    }
    return { handler, opened() {} }
  }

  async #loadTls(wanted: WantedPort): Promise<LoadedTls> {
    const { use } = wanted
    const tls = use.kind === 'udp' || use.kind === 'handshake' ? false : (use.settings.tls ?? false)
    const { at: _at, ...settings } = use.settings
    const parts = [use.kind, wanted.name, wanted.proxyProtocol, settings]
    if (tls === false) return { fingerprint: JSON.stringify(parts), open: async () => null }
    const options: ListenerTlsOptions = tls === true ? {} : tls
    const { leafOf, caCertificate } = this.#options
    const materials = await readTlsMaterials(options, { leafOf, caCertificate, resolve: wanted.resolve })
    const { cert, key, clientCa } = materials
    const { alpn = [] } = options
    const isHttp2 = use.kind === 'http' && (use.settings.http2 ?? true)
    const offered = alpn.length > 0 || use.kind !== 'http' ? alpn : isHttp2 ? ['h2', 'http/1.1'] : ['http/1.1']
    return {
      fingerprint: JSON.stringify([...parts, cert, key, clientCa]),
      open: () => ListenerTls.open(options, materials, { alpn: offered, ticketKeys: this.#ticketKeys }),
    }
  }
}

function kindOf(use: PortUse): ListenerStatus['kind'] {
  const secured = isSecured(use)
  if (use.kind === 'http') return secured ? 'https' : 'http'
  if (transportOf(use) === 'udp') return 'udp'
  return secured ? 'tls' : 'tcp'
}

/** Why a port did not open. */
function describeFailure(
  { host, number }: WantedPort,
  { code, syscall, message }: NodeJS.ErrnoException,
): {
  message: string
  remedy?: string
} {
  if (syscall !== 'listen' && syscall !== 'bind') return { message }
  const address = host.includes(':') ? `[${host}]` : host
  return { message: `can't listen on ${address}:${number} (${code})`, remedy: 'write another port' }
}
