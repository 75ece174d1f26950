/** The schema: its SDL text, and the object used for validation and execution. */
import { buildSchema, type GraphQLSchema } from 'graphql'
import { DEFER_AND_STREAM } from 'svc/toolkit'

const SDL = `
schema {
  query: QueryRoot
  mutation: MutationRoot
  subscription: SubscriptionRoot
}

type QueryRoot {
  user(id: ID!): User
  "Ordered by id. A negative limit or offset is treated as 0."
  users(limit: Int! = 10, offset: Int! = 0): [User!]!
  product(id: ID!): Product
  "The category is case-insensitive."
  products(category: String, limit: Int! = 10): [Product!]!
  order(id: ID!): Order
  "All given filters must match."
  orders(userId: ID, status: OrderStatus, limit: Int! = 10): [Order!]!
}

"Mutations return a result but store nothing."
type MutationRoot {
  createUser(input: CreateUserInput!): CreatedUser!
  "Returns the stored user with the given fields replaced; null for an unknown id."
  updateUser(id: ID!, input: UpdateUserInput!): CreatedUser
  createOrder(input: CreateOrderInput!): CreatedOrder!
}

type SubscriptionRoot {
  "Counts up: 1 to 100 ticks, 50 to 10000 ms apart. Values are clamped to these ranges."
  ticker(count: Int! = 5, intervalMs: Int! = 1000): Tick!
  "Follows an order from PENDING to DELIVERED in four events. Unknown ids work as well."
  orderUpdates(orderId: ID!, intervalMs: Int! = 500): OrderUpdate!
}

enum UserRole {
  ADMIN
  USER
  GUEST
}

enum OrderStatus {
  PENDING
  PROCESSING
  SHIPPED
  DELIVERED
  CANCELLED
}

type User {
  id: ID!
  name: String!
  email: String!
  role: UserRole!
  createdAt: String!
  orders: [Order!]!
}

type Product {
  id: ID!
  name: String!
  description: String!
  price: Float!
  category: String!
  inStock: Boolean!
  reviews: [Review!]!
}

type Order {
  id: ID!
  user: User
  items: [OrderItem!]!
  status: OrderStatus!
  total: Float!
  createdAt: String!
}

type OrderItem {
  product: Product
  quantity: Int!
  unitPrice: Float!
}

type Review {
  id: ID!
  author: User
  rating: Int!
  comment: String!
  createdAt: String!
}

input CreateUserInput {
  name: String!
  email: String!
  "Default: USER."
  role: UserRole
}

input UpdateUserInput {
  name: String
  email: String
  role: UserRole
}

input CreateOrderInput {
  userId: ID!
  items: [OrderItemInput!]!
}

input OrderItemInput {
  productId: ID!
  "From 1 to 1000."
  quantity: Int!
}

type CreatedUser {
  id: ID!
  name: String!
  email: String!
  role: UserRole!
  createdAt: String!
}

type CreatedOrder {
  id: ID!
  userId: ID!
  items: [CreatedOrderItem!]!
  status: OrderStatus!
  total: Float!
  createdAt: String!
}

type CreatedOrderItem {
  productId: ID!
  quantity: Int!
  "Price of the product; 0 if the product is unknown."
  unitPrice: Float!
}

type Tick {
  "Starts at 0."
  sequence: Int!
  timestamp: String!
}

type OrderUpdate {
  orderId: ID!
  "From 0 to 3."
  sequence: Int!
  status: OrderStatus!
  timestamp: String!
}
`

/** Builds the schema, once per version of the code because it takes some milliseconds. The root value has the resolvers. */
export function createSchema(): GraphQLSchema {
  return buildSchema(SDL + DEFER_AND_STREAM)
}
