/** Resolvers of the three root types. Nothing is stored. */
import { randomUUID } from 'node:crypto'
import { GraphQLError } from 'graphql'
import type { DemoGraph } from './demo-graph.ts'
import { paceEvents } from './paced-sequence.ts'

type UserRole = 'ADMIN' | 'USER' | 'GUEST'
interface UserFields {
  name: string
  email: string
  role: UserRole
}
interface OrderItemInput {
  productId: string
  quantity: number
}

const MAX_QUANTITY = 1000
const DELIVERY = ['PENDING', 'PROCESSING', 'SHIPPED', 'DELIVERED'] as const

/** Functions by field name, as the executor calls them: arguments first. */
export type RootValue = ReturnType<typeof createRootValue>

export function createRootValue(graph: DemoGraph) {
  return {
    user: ({ id }: { id: string }) => graph.findUser(id),
    users: ({ limit, offset }: { limit: number; offset: number }) => take(graph.users, limit, offset),
    product: ({ id }: { id: string }) => graph.findProduct(id),
    products: ({ category, limit }: { category?: string | null; limit: number }) =>
      take(
        graph.products.filter(product => category == null || product.category.toLowerCase() === category.toLowerCase()),
        limit,
      ),
    order: ({ id }: { id: string }) => graph.findOrder(id),
    orders: ({ userId, status, limit }: { userId?: string | null; status?: string | null; limit: number }) =>
      take(
        graph.orders.filter(
          order => (userId == null || order.userId === userId) && (status == null || order.status === status),
        ),
        limit,
      ),

    createUser: ({
      input: { name, email, role },
    }: {
      input: { name: string; email: string; role?: UserRole | null }
    }) => ({ id: randomUUID(), name, email, role: role ?? 'USER', createdAt: new Date().toISOString() }),
    updateUser: ({
      id,
      input,
    }: {
      id: string
      input: Partial<{ [Field in keyof UserFields]: UserFields[Field] | null }>
    }) => {
      const user = graph.findUser(id)
      return (
        user && {
          ...user,
          name: input.name ?? user.name,
          email: input.email ?? user.email,
          role: input.role ?? user.role,
        }
      )
    },
    createOrder: ({ input: { userId, items } }: { input: { userId: string; items: OrderItemInput[] } }) =>
      createOrder(graph, userId, items),

    ticker: ({ count, intervalMs }: { count: number; intervalMs: number }) =>
      paceEvents({ count, intervalMs }, sequence => ({
        ticker: { sequence, timestamp: new Date().toISOString() },
      })),
    orderUpdates: ({ orderId, intervalMs }: { orderId: string; intervalMs: number }) =>
      paceEvents({ count: DELIVERY.length, intervalMs }, sequence => ({
        orderUpdates: { orderId, sequence, status: DELIVERY[sequence], timestamp: new Date().toISOString() },
      })),
  }
}

function createOrder(graph: DemoGraph, userId: string, items: OrderItemInput[]) {
  const priced = items.map(({ productId, quantity }) => ({
    productId,
    quantity: checkQuantity(quantity),
    unitPrice: graph.findProduct(productId)?.price ?? 0,
  }))
  // In cents: sums of binary fractions are not exact.
  const cents = priced.reduce((sum, item) => sum + Math.round(item.unitPrice * 100) * item.quantity, 0)
  return {
    id: randomUUID(),
    userId,
    items: priced,
    status: 'PENDING',
    total: cents / 100,
    createdAt: new Date().toISOString(),
  }
}

function checkQuantity(quantity: number): number {
  if (quantity >= 1 && quantity <= MAX_QUANTITY) return quantity
  throw new GraphQLError(`invalid quantity ${quantity} (expected 1 to ${MAX_QUANTITY})`, {
    extensions: { code: 'BAD_USER_INPUT' },
  })
}

function take<Node>(nodes: readonly Node[], limit: number, offset = 0): readonly Node[] {
  const start = Math.max(offset, 0)
  return nodes.slice(start, start + Math.max(limit, 0))
}
