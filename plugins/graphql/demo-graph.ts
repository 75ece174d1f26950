/** The demo records as a graph: links between objects (`orders`, `user`, `reviews` ...) are resolved on demand. */
import type { DemoOrder, DemoProduct, DemoRecords, DemoReview, DemoUser } from '../demo-data/types.ts'

export interface UserNode extends DemoUser {
  orders(): OrderNode[]
}
export interface ProductNode extends DemoProduct {
  reviews(): ReviewNode[]
}
export interface OrderNode extends Omit<DemoOrder, 'items'> {
  user(): UserNode | null
  items(): OrderItemNode[]
}
export interface OrderItemNode {
  quantity: number
  unitPrice: number
  product(): ProductNode | null
}
export interface ReviewNode extends DemoReview {
  author(): UserNode | null
}

/** Nodes of all records, in their order. */
export interface DemoGraph {
  users: readonly UserNode[]
  products: readonly ProductNode[]
  orders: readonly OrderNode[]
  findUser(id: string): UserNode | null
  findProduct(id: string): ProductNode | null
  findOrder(id: string): OrderNode | null
}

export function createDemoGraph(records: DemoRecords): DemoGraph {
  const users = records.users.map(
    (row): UserNode => ({ ...row, orders: () => orders.filter(order => order.userId === row.id) }),
  )
  const products = records.products.map(
    (row): ProductNode => ({ ...row, reviews: () => reviews.filter(review => review.productId === row.id) }),
  )
  const orders = records.orders.map(
    (row): OrderNode => ({
      ...row,
      user: () => findUser(row.userId),
      items: () =>
        row.items.map(({ productId, quantity, unitPrice }) => ({
          quantity,
          unitPrice,
          product: () => findProduct(productId),
        })),
    }),
  )
  const reviews = records.reviews.map((row): ReviewNode => ({ ...row, author: () => findUser(row.userId) }))
  const findUser = finderOf(users)
  const findProduct = finderOf(products)
  return { users, products, orders, findUser, findProduct, findOrder: finderOf(orders) }
}

function finderOf<Node extends { id: string }>(nodes: readonly Node[]): (id: string) => Node | null {
  const byId = new Map(nodes.map(node => [node.id, node]))
  return id => byId.get(id) ?? null
}
