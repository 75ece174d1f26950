/** A running server: services, listeners, watcher, and the graceful stop. */
import { X509Certificate } from 'node:crypto'
import { ServerResponse } from 'node:http'
import { createRequestHandler } from '../http/listener/handle-request.ts'
import { createClaimServer } from '../http/listener/served-arrival.ts'
import { Listener, type ListenerHandlers } from '../http/listener/listeners.ts'
import { ServedNames } from '../http/sockets/served-names.ts'
import type { TlsNames } from '../http/sockets/tls-names.ts'
import { OpenPorts } from '../http/ports/open-ports.ts'
import type { Generation } from '../host/generation.ts'
import { createLeaves } from '../pki/leaf-certificates.ts'
import { sessionKey } from '../sessions.ts'
import type { Config } from '../config/variables.ts'
import type { ListenerStatus, ProxyProtocolMode } from '../contract/listeners.ts'
import { createTrust, type ProxyPolicy } from '../http/sockets/proxy-protocol/policy.ts'
import type { ConnectionBounds } from '../http/ports/tcp-handler.ts'
import type { UdpBounds } from '../http/ports/udp-port.ts'
import { createFastResponse } from '../http/node-internals/fast-response.ts'
import { createHttp1Response } from '../http/response/response.ts'
import { createRequestFacts } from '../http/request/request-facts.ts'
import { Watcher } from '../host/watcher.ts'
import type { Host } from '../host/host.ts'
import { LISTENER_LABELS, listenOnFirst, type ListenerKind } from './fallback-ports.ts'
import type { Ports } from './instance.ts'
import type { Log } from '../log/log.ts'
import { portOwner } from './port-owner.ts'
import { openServices, type ServiceOptions } from './services.ts'
import { SHUTDOWN_TIMES, shutDown, type ShutdownTimes } from './shutdown.ts'

export interface ServerOptions extends ServiceOptions {
  shutdownTimes?: ShutdownTimes
  /** Listeners that listen on the loopback address, whatever `SVC_HOST` is. */
  loopback?: readonly (keyof Ports)[]
}

export interface Server {
  readonly ports: Ports
  readonly host: Host
  readonly log: Log
  /** Stops gracefully. Resolves when the server has stopped. Call `hurry` to cut the drain short. */
  stop(): Promise<void>
  hurry(): void
  /** Reports all pending requests to the log, the metrics and the inspector. */
  flush(): void
}

/** The HTTP port could not be bound: the process exits with code 1. */
export class HttpPortError extends Error {}

/** Starts a server. Rejects with `HttpPortError` when HTTP can't be bound; everything else is a warning. */
export async function startServer(options: ServerOptions = {}): Promise<Server> {
  const services = await openServices(options)
  const { config, host, log, ports, pki, streams, tap } = services
  const watcher = new Watcher(() => void host.reload())
  const watch = async (): Promise<void> => (config.watch ? watcher.set(host.watchedPaths()) : undefined)
  // Scan the plugin folders while the plugins are built.
  void watch()
  await host.start()

  const facts = createRequestFacts(config)
  const Http1Response = createHttp1Response(config.fastPaths ? createFastResponse() : ServerResponse)
  const leafOf = createLeaves(pki.issue)
  const listeners: Listener[] = []
  const handlers = createRequestHandler(host, services.pipeline, facts, (kind, socket) => {
    const listener = listeners.find(({ facts: own }) => own.kind === kind)
    listener?.enter(socket)
    return listener !== undefined
  })
  tap.serveWith(
    createClaimServer({
      services: services.pipeline,
      Http1Response,
      generation: () => host.current(),
      port: kind => ports[kind] ?? 0,
      start: handlers.start,
    }),
  )
  const isTrusted = createTrust(config.proxyProtocolFrom, config.publicMode)
  const proxyPolicy = (listener: string, mode: ProxyProtocolMode): ProxyPolicy => ({
    mode,
    isTrusted,
    count: result => services.connectionMetrics.countProxyHeader(listener, result),
  })
  const proxyOf = (kind: keyof Config['proxyProtocol']): ProxyPolicy => proxyPolicy(kind, config.proxyProtocol[kind])
  const { http2Streams } = config.budgets
  listeners.push(...(await openListeners(handlers)))
  const https = listeners.find(({ facts: { kind } }) => kind === 'https')
  for (const listener of listeners)
    log.line(`${LISTENER_LABELS[listener.facts.kind]} listening on ${printAddress(listener)}`)
  const { limiter } = services.limits
  const openPorts = new OpenPorts({
    log,
    connections: services.connections,
    leafOf,
    caCertificate: pki.caCertificate,
    bounds: config.publicMode ? PUBLIC_CONNECTIONS : CONNECTIONS,
    udpBounds: config.publicMode ? PUBLIC_DATAGRAMS : DATAGRAMS,
    admitToPlan(clientIp) {
      const admission = limiter?.admit(sessionKey(undefined, clientIp), { isStream: false, isBypassed: false })
      if (admission === undefined) return () => {}
      return 'lease' in admission ? () => admission.lease.release() : null
    },
    countDatagram: direction => services.connectionMetrics.countDatagram(direction),
    proxyPolicy,
    createListener: ({ name, isSecured, http2, mount, grpc }) =>
      new Listener(isSecured ? 'https' : 'http', handlers, {
        Http1Response,
        http2,
        http2Streams,
        tap,
        named: { name, mount, grpc },
        ...(isSecured && { tls: 'made' as const }),
      }),
    adopt: https === undefined ? null : (socket, accept) => https.adopt(socket, accept),
  })
  services.listenerStatus.list = () => [...ownStatus(), ...openPorts.status()]
  const applyPorts = ({ ports: { list } }: Generation): Promise<void> =>
    openPorts.apply(list, (plugin, problem) => host.reportLoadError(plugin, problem))
  await Promise.all([watch(), applyPorts(host.current())])
  host.onSwap = async () => {
    void watch()
    await applyPorts(host.current())
  }

  /** The listeners of the process, also those that did not start. */
  function ownStatus(): ListenerStatus[] {
    return (['http', 'https', 'grpc'] as const).map(kind => {
      const listener = listeners.find(({ facts }) => facts.kind === kind)
      return {
        name: kind,
        kind,
        plugin: null,
        address: listener?.address?.address ?? hostOf(kind),
        port: ports[kind],
        proxy_protocol: config.proxyProtocol[kind],
        serves: null,
        connections: listener?.openSockets ?? 0,
      }
    })
  }

  function hostOf(kind: ListenerKind): string {
    return options.loopback?.includes(kind) ? LOOPBACK : config.host
  }

  async function openListeners(to: ListenerHandlers): Promise<Listener[]> {
    const http1 = new Listener('http', to, {
      Http1Response,
      http2: config.grpcOnHttp,
      http2Streams,
      tap,
      proxy: proxyOf('http'),
    })
    try {
      ports.http = await bind(http1, 'http')
    } catch (error) {
      await Promise.all([watcher.close(), host.close()])
      await services.close()
      const { code = String(error) } = error as NodeJS.ErrnoException
      const owner = code === 'EADDRINUSE' ? await portOwner(hostOf('http'), config.httpPort) : null
      throw new HttpPortError(
        `can't listen on ${hostOf('http')}:${config.httpPort} (${code})${owner === null ? '' : `: used by ${owner}`}; set SVC_HTTP_PORT to another port`,
      )
    }
    const opened = [http1]
    const tryOpen = async (kind: 'https' | 'grpc', make: () => Listener): Promise<void> => {
      try {
        const listener = make()
        ports[kind] = await bind(listener, kind)
        opened.push(listener)
      } catch (error) {
        log.warn(`the ${LISTENER_LABELS[kind]} listener did not start: ${(error as Error).message}`)
      }
    }
    await tryOpen('https', () => {
      if ('error' in pki.server) throw new Error(pki.server.error)
      const names = tlsNamesOf(pki.server.cert)
      return new Listener('https', to, {
        Http1Response,
        http2: config.grpcOnHttp,
        http2Streams,
        tap,
        tls: { cert: pki.server.cert, key: pki.server.key, ca: pki.caCertificate },
        tlsNames: names,
        servedNames: new ServedNames({
          isServed: name => !names.isOwnName(name) && host.current().hosts.hasCertificate(name),
          leafOf,
          ca: pki.caCertificate,
        }),
        proxy: proxyOf('https'),
      })
    })
    await tryOpen(
      'grpc',
      () => new Listener('grpc', to, { Http1Response, http2: true, http2Streams, tap, proxy: proxyOf('grpc') }),
    )
    return opened
  }

  function bind(listener: Listener, kind: ListenerKind): Promise<number> {
    return listenOnFirst(config, kind, {
      listen: port => listener.listen(hostOf(kind), port),
      warn: message => log.warn(message),
    })
  }

  /** Names that the certificate of the operator covers stay with the listener. */
  function tlsNamesOf(certificate: string): TlsNames {
    const own = new X509Certificate(certificate)
    return {
      handlers: () => host.current().tlsNames,
      isOwnName: name => /^[a-z0-9.-]{1,253}$/.test(name) && own.checkHost(name) !== undefined,
    }
  }

  let stopping: Promise<void> | null = null
  let cutShort: () => void = () => {}
  const hurried = new Promise<void>(resolve => {
    cutShort = resolve
  })
  return {
    ports,
    host,
    log,
    hurry: () => cutShort(),
    flush: () => services.completions.flush(),
    stop: () =>
      (stopping ??= (async () => {
        services.startDraining()
        await watcher.close()
        await shutDown(
          { listeners: [...listeners, openPorts], streams, host, notifier: services.pipeline.rules.notifier },
          hurried,
          options.shutdownTimes ?? SHUTDOWN_TIMES,
        )
        await services.close()
      })()),
  }
}

const CONNECTIONS: ConnectionBounds = { perListener: 10_000, perClient: 10_000 }
const PUBLIC_CONNECTIONS: ConnectionBounds = { perListener: 100, perClient: 10 }
const DATAGRAMS: UdpBounds = { flows: 10_000, perSecond: 10_000, perClient: 10_000, cutsReplies: false }
const PUBLIC_DATAGRAMS: UdpBounds = { flows: 10_000, perSecond: 10_000, perClient: 20, cutsReplies: true }

const LOOPBACK = '127.0.0.1'

function printAddress(listener: Listener): string {
  const { address, family, port } = listener.address!
  return `${family === 'IPv6' ? `[${address}]` : address}:${port}`
}
