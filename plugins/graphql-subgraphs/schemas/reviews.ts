/** The SDL of the subgraph `reviews`. */
import { SEEN_TYPES } from './seen.ts'

export const REVIEWS = `extend schema
  @link(url: "https://specs.apollo.dev/federation/v2.3", import: ["@key", "@shareable", "@external", "@provides", "@interfaceObject"])

scalar Upload
type Query { review(id: ID!): Review  reviews(limit: Int! = 10): [Review!]!  reviewsSeen: Seen!  release: String! @shareable }
type Mutation {
  addReview(productId: ID!, userId: ID!, rating: Int!, comment: String! = ""): Review!
  attachPhoto(reviewId: ID!, photo: Upload!): Photo!
}
type Subscription { reviewAdded(productId: ID, count: Int! = 3, intervalMs: Int! = 500): Review! }
type Review @key(fields: "id") {
  id: ID!
  rating: Int!
  comment: String!
  createdAt: String!
  author: User @provides(fields: "name")
  product: Product!
}
type User @key(fields: "id") { id: ID!  name: String! @external  reviews: [Review!]! }
type Product @key(fields: "id") { id: ID!  reviews: [Review!]!  averageRating: Float }
type Offer @interfaceObject @key(fields: "id") { id: ID!  reviewCount: Int!  averageRating: Float }
type Photo { filename: String!  mimetype: String!  bytes: Int!  sha256: String! }
${SEEN_TYPES}`
