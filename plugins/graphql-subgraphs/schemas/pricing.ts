/** The SDL of the subgraph `pricing`. */
import { SEEN_TYPES } from './seen.ts'

export const PRICING = `extend schema
  @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key", "@shareable", "@override", "@context", "@fromContext", "@cost", "@listSize"])

type Query { market(id: ID!): Market  markets: [Market!]! @listSize(assumedSize: 3)  pricingSeen: Seen!  release: String! @shareable }
type Market @key(fields: "id") @context(name: "market") { id: ID!  currency: String!  tags(limit: Int! = 10): [PriceTag!]! @listSize(slicingArguments: ["limit"]) }
type PriceTag @key(fields: "id") { id: ID!  product: Product!  amount(currency: String @fromContext(field: "$market { currency }")): Float! @cost(weight: 5) }
type Product @key(fields: "id") {
  id: ID!
  notes: String @override(from: "products", label: "percent(50)")
}
${SEEN_TYPES}`
