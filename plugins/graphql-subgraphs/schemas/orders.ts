/** The SDL of the subgraph `orders`. */
import { SEEN_TYPES } from './seen.ts'

export const ORDERS = `extend schema
  @link(url: "https://specs.apollo.dev/federation/v2.3", import: ["@key", "@shareable", "@external", "@requires", "@extends"])

type Query { order(id: ID!): Order  orders(userId: ID, status: OrderStatus, limit: Int! = 10): [Order!]!  ordersSeen: Seen!  release: String! @shareable }
type Mutation { placeOrder(userId: ID!, skus: [String!]!): Order! }
type Subscription { orderUpdates(orderId: ID!, intervalMs: Int! = 500): Order! }
enum OrderStatus { PENDING PROCESSING SHIPPED DELIVERED CANCELLED }
type Order @key(fields: "id") { id: ID!  status: OrderStatus!  total: Float!  createdAt: String!  items: [OrderItem!]!  buyer: User! }
type OrderItem { product: Product  quantity: Int!  unitPrice: Float! }
type Product @key(fields: "sku", resolvable: false) { sku: String! }
type User @extends @key(fields: "id") {
  id: ID! @external
  tier: Tier! @external
  orders: [Order!]!
  loyaltyPoints: Int! @requires(fields: "tier")
}
enum Tier { GOLD SILVER BRONZE }
${SEEN_TYPES}`
