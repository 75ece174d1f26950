/** The SDL of the subgraph `users`. */
import { SEEN_TYPES } from './seen.ts'

export const USERS = `extend schema
  @link(url: "https://specs.apollo.dev/federation/v2.3", import: ["@key", "@shareable", "@tag"])

type Query {
  me: User
  user(id: ID!): User
  users(limit: Int! = 10, offset: Int! = 0): [User!]!
  usersSeen: Seen!
  release: String! @shareable
}
type Mutation { renameUser(id: ID!, name: String!): User }
enum UserRole { ADMIN USER GUEST }
enum Tier { GOLD SILVER BRONZE }
type User @key(fields: "id") @key(fields: "email") {
  id: ID!
  name: String! @shareable
  email: String!
  role: UserRole!
  tier: Tier! @tag(name: "internal")
  createdAt: String!
}
${SEEN_TYPES}`
