/** The client of the quota store, based on `@redis/client`; loaded only if a store is configured. */
import { createClient } from '@redis/client'
import type { RedisClient } from './quota-store.ts'

/** The quota store handles reconnects itself: a client serves one connection. */
export function createRedisClient(url: string): RedisClient {
  const client = createClient({
    url,
    RESP: 2,
    disableClientInfo: true,
    maintNotifications: 'disabled',
    disableOfflineQueue: true,
    socket: { connectTimeout: 1_000, reconnectStrategy: false },
  })
  let onLoss = (): void => {}
  // Without a listener an error would end the process.
  client.on('error', () => onLoss())
  client.on('end', () => onLoss())
  return {
    connect: () => client.connect(),
    destroy() {
      if (client.isOpen) client.destroy()
    },
    async add(key, by, expireAtSecs) {
      const transaction = client.multi()
      const [total] = await (by === 1 ? transaction.incr(key) : transaction.incrBy(key, by))
        .expireAt(key, expireAtSecs)
        .exec()
      return Number(total)
    },
    decrement: async key => Number(await client.decr(key)),
    read: async keys => (await client.mGet(keys)) as (string | null)[],
    onLoss(callback) {
      onLoss = callback
    },
  }
}
