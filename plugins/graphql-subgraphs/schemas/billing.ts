/** The SDL of the subgraph `billing`. */
import { SEEN_TYPES } from './seen.ts'

export const BILLING = `extend schema
  @link(url: "https://specs.apollo.dev/federation/v2.6", import: ["@key", "@shareable", "@authenticated", "@requiresScopes", "@policy"])

type Query { billingSeen: Seen!  release: String! @shareable }
type User @key(fields: "id") {
  id: ID!
  invoices: [Invoice!]! @authenticated
  balanceCents: Int! @requiresScopes(scopes: [["billing:read"]])
  risk: String! @policy(policies: [["finance"]])
}
type Invoice { number: String!  cents: Int! }
${SEEN_TYPES}`
