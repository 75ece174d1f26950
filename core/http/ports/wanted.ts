/** The ports that the plugins of a generation want. */
import { isIP } from 'node:net'
import type {
  Datagram,
  HttpListenerSettings,
  ListenerSettings,
  OpenPort,
  ProxyProtocolMode,
  TcpConnection,
  TcpListenerSettings,
  UdpListenerSettings,
} from '../../contract/listeners.ts'
import type { TlsAccept } from '../../contract/tls.ts'
import { LISTENER_NAME } from '../../toolkit/listener-schema.ts'

export const MAX_LISTENERS = 64
const NAME = new RegExp(LISTENER_NAME)
/** Names of the listeners of the process. */
const OWN_NAMES = ['http', 'https', 'grpc']

/** What happens to connections or datagrams of a port. */
export type PortUse =
  | { kind: 'tcp'; settings: TcpListenerSettings; accept(connection: TcpConnection): void }
  | { kind: 'udp'; settings: UdpListenerSettings; receive(datagram: Datagram): void }
  | { kind: 'http'; settings: HttpListenerSettings }
  /** A port whose handshakes the plugin makes itself (`core.tls`). */
  | { kind: 'handshake'; settings: ListenerSettings; accept: TlsAccept }

/** A port that a plugin of a generation wants. */
export interface WantedPort {
  plugin: string
  name: string
  host: string
  /** 0: a free port. */
  number: number
  use: PortUse
  proxyProtocol: ProxyProtocolMode
  /** Resolves paths of `tls`. */
  resolve(path: string): string
  /** The port that is open; null if none is. */
  open: number | null
}

/** What is wrong with the settings of a port. */
export interface PortProblem {
  at: string
  message: string
  remedy?: string
}

export interface PortListOptions {
  /** Default of `host`. */
  host: string
  /** Whether processes share their ports, so that none can be a free one. */
  isShared: boolean
}

/** The ports of one generation. Their names are unique, and so are transport, host and number. */
export class PortList {
  readonly list: WantedPort[] = []
  readonly #options: PortListOptions

  constructor(options: PortListOptions) {
    this.#options = options
  }

  /** Adds a port, or returns what is wrong with it. */
  add(
    plugin: string,
    use: PortUse,
    { section, resolve }: { section: string; resolve(path: string): string },
  ): { port: WantedPort } | { problem: PortProblem } {
    const { settings } = use
    const host = hostOf(settings.host ?? this.#options.host)
    const named = settings.name
    const name = named ?? this.#freeName(`${section.replaceAll('_', '-')}-${settings.port}`)
    const message = this.#problemOf(use, host, named)
    if (message !== null) return { problem: { at: settings.at, ...message } }
    const { port: number, proxy_protocol: proxyProtocol = 'off' } = settings
    const port: WantedPort = { plugin, name, host: host!, number, use, proxyProtocol, resolve, open: null }
    this.list.push(port)
    return { port }
  }

  #problemOf(use: PortUse, host: string | null, name: string | undefined): { message: string; remedy?: string } | null {
    const { port } = use.settings
    if (!Number.isInteger(port) || port < 0 || port > 65_535)
      return { message: `${port} is not a port number`, remedy: 'write a number from 0 to 65535' }
    if (host === null)
      return { message: 'host is not an address', remedy: 'write an IPv4 or IPv6 address, or localhost' }
    if (name !== undefined && !NAME.test(name))
      return { message: `${JSON.stringify(name.slice(0, 100))} is not a name of a listener` }
    if (this.list.length >= MAX_LISTENERS) return { message: `an instance has at most ${MAX_LISTENERS} listeners` }
    if (port === 0 && this.#options.isShared)
      return { message: 'several processes cannot share a free port', remedy: 'write a port from 1 to 65535' }
    const sameName = name === undefined ? undefined : this.#named(name)
    if (sameName !== undefined) return { message: `the name ${name} is already used by ${sameName}` }
    const transport = transportOf(use)
    const taken = this.list.find(
      other =>
        port !== 0 && other.number === port && transportOf(other.use) === transport && overlaps(other.host, host),
    )
    return taken === undefined
      ? null
      : { message: `port ${port} is already used by the plugin ${taken.plugin} (${taken.name})` }
  }

  /** What has a name: words for an error. */
  #named(name: string): string | undefined {
    if (OWN_NAMES.includes(name)) return 'svc itself'
    const other = this.list.find(listed => listed.name === name)
    return other && `the plugin ${other.plugin}`
  }

  #freeName(name: string): string {
    for (let number = 2, free = name; ; free = `${name}-${number++}`) if (this.#named(free) === undefined) return free
  }
}

export function transportOf({ kind }: PortUse): 'tcp' | 'udp' {
  return kind === 'udp' ? 'udp' : 'tcp'
}

/** Ports with the same key keep their socket over reloads. */
export function keyOf({ use, host, number, plugin, name }: WantedPort): string {
  return `${transportOf(use)} ${host} ${number === 0 ? `free ${plugin} ${name}` : number}`
}

export function openPortOf(port: WantedPort): OpenPort {
  return () => port.open
}

/** Whether TLS is spoken on a port. */
export function isSecured({ kind, settings }: PortUse): boolean {
  return kind === 'handshake' || (kind !== 'udp' && (settings.tls ?? false) !== false)
}

function hostOf(text: string): string | null {
  if (text.toLowerCase() === 'localhost') return '127.0.0.1'
  const address = text.startsWith('[') && text.endsWith(']') ? text.slice(1, -1) : text
  return isIP(address) === 0 ? null : address
}

function overlaps(one: string, other: string): boolean {
  return one === other || isAny(one) || isAny(other)
}

function isAny(host: string): boolean {
  return host === '0.0.0.0' || host === '::'
}
