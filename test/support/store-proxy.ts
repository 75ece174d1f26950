/** A proxy between replicas and their state store, which delays replies and cuts connections. */
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { until } from './until.ts'

interface Test {
  teardown(callback: () => unknown): unknown
}

export interface StoreProxy {
  /** Of the store, through the proxy. */
  url: string
  /** Pieces of delayed replies that have reached a replica. */
  readonly delivered: number
  /** From now on each reply takes this long, of all connections. */
  delay(ms: number): void
  /** Closes all connections; new ones are accepted. */
  cut(): void
  /** The next reply of each connection ends after this many bytes, and the connection with it. */
  cutInReply(bytes: number): void
  /** Number of connections that were cut. */
  readonly cuts: number
}

export async function startStoreProxy(t: Test, storeUrl: string): Promise<StoreProxy> {
  const target = Number(new URL(storeUrl).port)
  const open = new Set<{ socket: Socket; bytesLeft: number | null }>()
  let delayMs = 0
  let delivered = 0
  let cuts = 0
  const server = createServer(socket => {
    const store = connect(target, '127.0.0.1')
    const connection: { socket: Socket; bytesLeft: number | null } = { socket, bytesLeft: null }
    open.add(connection)
    let order: Promise<void> = Promise.resolve()
    const pass = (chunk: Buffer): void => {
      if (connection.bytesLeft === null) return void socket.write(chunk)
      cuts++
      socket.end(chunk.subarray(0, connection.bytesLeft), () => socket.destroy())
      store.destroy()
    }
    store.on('data', chunk => {
      if (delayMs === 0) return void (order = order.then(() => pass(chunk)))
      const arrival = new Promise(resolve => setTimeout(resolve, delayMs).unref())
      order = order.then(async () => {
        await arrival
        if (!socket.destroyed) delivered++
        pass(chunk)
      })
    })
    socket.on('data', chunk => store.write(chunk))
    for (const [one, other] of [
      [socket, store],
      [store, socket],
    ] as const) {
      one.on('error', () => {})
      one.on('close', () => {
        other.destroy()
        open.delete(connection)
      })
    }
  }).listen(0, '127.0.0.1')
  await until(() => server.listening)
  const cut = (): void => {
    for (const { socket } of open) {
      cuts++
      socket.destroy()
    }
  }
  t.teardown(async () => {
    cut()
    await new Promise(resolve => server.close(resolve))
  })
  return {
    url: `redis://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get delivered() {
      return delivered
    },
    get cuts() {
      return cuts
    },
    delay(ms) {
      delayMs = ms
      delivered = 0
    },
    cut,
    cutInReply(bytes) {
      for (const connection of open) connection.bytesLeft = bytes
    },
  }
}
