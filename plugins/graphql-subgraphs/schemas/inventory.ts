/** The SDL of the subgraph `inventory`. */
import { SEEN_TYPES } from './seen.ts'

export const INVENTORY = `extend schema
  @link(url: "https://specs.apollo.dev/federation/v2.3", import: ["@key", "@shareable", "@external", "@requires", "@override"])

type Query { inventorySeen: Seen! release: String! @shareable }
type Product @key(fields: "id") {
  id: ID!
  price: Float! @external
  dimensions: Dimensions! @external
  inStock: Boolean!
  stock: Int! @override(from: "products")
  warehouses: [Warehouse!]!
  shippingCents(zip: String! = "10115"): Int! @requires(fields: "price dimensions { weightGrams }")
}
type Dimensions @shareable { weightGrams: Int! size: String! }
type Warehouse { id: ID! city: String! quantity: Int! }
${SEEN_TYPES}`
