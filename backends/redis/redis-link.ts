/** A connection to the state store, based on `@redis/client`; loaded only if a store is configured. */
import { createClient, createCluster } from '@redis/client'
import type { StoreAddress } from '../../core/state/shared-backend.ts'
import type { StoreLink } from './store-link.ts'

const CONNECT_MS = 1_000
/** The client joins the strings of a command and copies the result; longer ones are cheaper as bytes. */
const LONG_TEXT = 4096
/** The connection has its own time limit; that of the client would create an AbortSignal for each command. */
const NO_TIMEOUT = { timeout: 0 }

/** URLs of the servers of a cluster. */
export type ClusterServers = Set<string>

/** The parts of a client that a link uses. */
interface RedisClient {
  connect(): Promise<unknown>
  destroy(): void
  on(event: 'error' | 'end', listener: () => void): unknown
  sSubscribe(channel: string, listener: (message: string) => void): Promise<unknown>
  sUnsubscribe(channel: string): Promise<unknown>
}

interface LinkParts {
  client: RedisClient
  isOpen(): boolean
  send(key: string, command: (string | Buffer)[]): Promise<unknown>
}

/**
 * A link is used once: the caller makes a new one after a loss. Links to a cluster remember its servers in `known`, since the
 * one that the address names may be the one that was lost.
 */
export function createRedisLink(address: StoreAddress, known: ClusterServers = new Set()): StoreLink {
  const { client, isOpen, send } = address.isCluster ? createClusterParts(address, known) : createServerParts(address)
  let onLoss = (): void => {}
  let isLost = false
  const lose = (): void => {
    if (isLost) return
    isLost = true
    onLoss()
  }
  // Without a listener an error would end the process.
  client.on('error', lose)
  client.on('end', lose)
  return {
    connect: () => client.connect(),
    send: (key, command) => send(key, command.map(bytesOfLong)),
    subscribe: (channel, listener) => client.sSubscribe(channel, listener),
    unsubscribe: channel => client.sUnsubscribe(channel),
    destroy() {
      isLost = true
      if (isOpen()) client.destroy()
    },
    onLoss(callback) {
      onLoss = callback
    },
  }
}

function optionsOf({ url, password, ca }: StoreAddress) {
  const { protocol, pathname, hostname } = new URL(url)
  const socket = { connectTimeout: CONNECT_MS, reconnectStrategy: false as const }
  const isSocketPath = protocol === 'unix:'
  return {
    ...(isSocketPath ? {} : { url }),
    ...(password === null ? {} : { password }),
    RESP: 2 as const,
    disableClientInfo: true,
    maintNotifications: 'disabled' as const,
    disableOfflineQueue: true,
    commandOptions: NO_TIMEOUT,
    socket: isSocketPath
      ? { ...socket, path: decodeURIComponent(pathname) }
      : protocol === 'rediss:'
        ? { ...socket, tls: true as const, host: hostname, ...(ca === null ? {} : { ca }) }
        : socket,
  }
}

function createServerParts(address: StoreAddress): LinkParts {
  const client = createClient(optionsOf(address))
  return { client, isOpen: () => client.isOpen, send: (_key, command) => client.sendCommand(command) }
}

function createClusterParts(address: StoreAddress, known: ClusterServers): LinkParts {
  const { url, password, socket } = optionsOf(address)
  const { username, password: ofUrl } = new URL(address.url)
  const cluster = createCluster({
    rootNodes: [{ url }, ...[...known].map(other => ({ url: other }))],
    RESP: 2,
    commandOptions: NO_TIMEOUT,
    defaults: {
      socket,
      disableOfflineQueue: true,
      ...(username === '' ? {} : { username: decodeURIComponent(username) }),
      ...(password === undefined && ofUrl === '' ? {} : { password: password ?? decodeURIComponent(ofUrl) }),
    },
  })
  const { protocol } = new URL(address.url)
  const connect = async (): Promise<void> => {
    await cluster.connect()
    known.clear()
    for (const { host, port } of [...cluster.masters, ...cluster.replicas]) known.add(`${protocol}//${host}:${port}`)
  }
  return {
    client: {
      connect,
      destroy: () => cluster.destroy(),
      on: (event, listener) => cluster.on(event, listener),
      sSubscribe: (channel, listener) => cluster.sSubscribe(channel, listener),
      sUnsubscribe: channel => cluster.sUnsubscribe(channel),
    },
    isOpen: () => cluster.isOpen,
    send: (key, command) => cluster.sendCommand(key === '' ? undefined : key, false, command),
  }
}

function bytesOfLong(text: string): string | Buffer {
  return text.length > LONG_TEXT ? Buffer.from(text) : text
}
