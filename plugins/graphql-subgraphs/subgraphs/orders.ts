/** The subgraph `orders`: orders that know products by SKU alone, and users whose tier another subgraph has. */
import { randomUUID } from 'node:crypto'
import { GraphQLError } from 'graphql'
import type { DemoOrder, OrderStatus } from '../../demo-data/types.ts'
import type { Graphs } from '../../graphql/types.ts'
import { findEntity } from '../entity-keys.ts'
import { DANGLING_ORDER, skuOf, take, type Rows } from '../rows.ts'
import { ORDERS } from '../schemas/orders.ts'
import { seenBy } from '../seen.ts'
import { CORE_SETS, RELEASE, type Representation, type Subgraph } from '../subgraph.ts'

const DELIVERY: readonly OrderStatus[] = ['PENDING', 'PROCESSING', 'SHIPPED', 'DELIVERED']
const POINTS = new Map<unknown, number>([
  ['GOLD', 3],
  ['SILVER', 2],
  ['BRONZE', 1],
])
const MAX_SKUS = 100

interface OrderFilter {
  userId?: string | null
  status?: OrderStatus | null
  limit: number
}

export function ordersSubgraph({ orders, users, products }: Rows, pace: Graphs['pace']): Subgraph {
  const listed = orders.filter(order => order !== DANGLING_ORDER)
  const ofUser = (id: string): DemoOrder[] => listed.filter(({ userId }) => userId === id)
  const userOf = (id: string, representation: Representation = {}): object => ({
    id,
    tier: representation.tier,
    orders: () => ofUser(id).map(orderOf),
    loyaltyPoints: () => ofUser(id).length * pointsOf(representation),
  })
  const orderOf = ({ userId, items, ...order }: DemoOrder): object => ({
    ...order,
    buyer: () => userOf(userId),
    items: items.map(({ productId, quantity, unitPrice }) => ({
      product: { sku: skuOf(productId) },
      quantity,
      unitPrice,
    })),
  })
  const find = (id: string): DemoOrder | undefined => orders.find(order => order.id === id)

  return {
    name: 'orders',
    sets: CORE_SETS,
    federation: '2.3',
    sdl: ORDERS,
    example: '{ orders(userId: "u1", limit: 1) { id total items { product { sku } quantity } } }',
    resolve(typename, representation) {
      if (typename === 'Order') {
        const row = findEntity(orders, [['id']], ({ id }) => ({ id }), representation)
        return row && orderOf(row)
      }
      const row = findEntity(users, [['id']], ({ id }) => ({ id }), representation)
      return row && userOf(row.id, representation)
    },
    root: {
      order({ id }: { id: string }) {
        const row = find(id)
        return row === undefined ? null : orderOf(row)
      },
      orders({ userId, status, limit }: OrderFilter) {
        const rows = listed.filter(
          order => (userId == null || order.userId === userId) && (status == null || order.status === status),
        )
        return take(rows, limit).map(orderOf)
      },
      ordersSeen: seenBy('orders'),
      release: RELEASE,
      placeOrder({ userId, skus }: { userId: string; skus: readonly string[] }) {
        if (skus.length > MAX_SKUS) throw badInput(`expected at most ${MAX_SKUS} SKUs`)
        const prices = skus.map(sku => products.find(product => product.sku === sku)?.price ?? 0)
        const cents = prices.reduce((sum, price) => sum + Math.round(price * 100), 0)
        return {
          id: randomUUID(),
          status: 'PENDING',
          total: cents / 100,
          createdAt: new Date().toISOString(),
          buyer: () => userOf(userId),
          items: skus.map((sku, index) => ({ product: { sku }, quantity: 1, unitPrice: prices[index] })),
        }
      },
      orderUpdates({ orderId, intervalMs }: { orderId: string; intervalMs: number }) {
        const row = find(orderId)
        if (row === undefined) throw badInput(`no order has the id ${JSON.stringify(orderId.slice(0, 100))}`)
        return pace({ count: DELIVERY.length, intervalMs }, index => ({
          orderUpdates: orderOf({ ...row, status: DELIVERY[index]! }),
        }))
      },
    },
  }
}

function pointsOf({ tier }: Representation): number {
  const points = POINTS.get(tier)
  if (points !== undefined) return points
  throw new GraphQLError('tier, which @requires names, is not in the representation', {
    extensions: { code: 'REQUIRES_MISSING' },
  })
}

function badInput(message: string): GraphQLError {
  return new GraphQLError(message, { extensions: { code: 'BAD_USER_INPUT' } })
}
