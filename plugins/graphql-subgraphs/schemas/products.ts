/** The SDL of the subgraph `products`. */
import { SEEN_TYPES } from './seen.ts'

export const PRODUCTS = `extend schema
  @link(url: "https://specs.apollo.dev/federation/v2.3", import: ["@key", "@shareable", "@tag", "@inaccessible", "@composeDirective"])
  @link(url: "https://svc.local/specs/demo/v1.0", import: ["@demo"])
  @composeDirective(name: "@demo")

directive @demo(note: String!) on OBJECT | FIELD_DEFINITION
type Query {
  product(id: ID!): Product
  products(category: String, limit: Int! = 10): [Product!]!
  offers: [Offer!]!
  search(text: String!): [SearchHit!]!
  productsSeen: Seen!
  release: String! @shareable
}
type Product @key(fields: "id") @key(fields: "sku") @key(fields: "code maker { id }") @demo(note: "rows of the demo data") {
  id: ID!
  sku: String!
  code: Int!
  maker: Maker!
  name: String!
  description: String!
  price: Float!
  category: String!
  stock: Int!
  dimensions: Dimensions!
  notes: String @tag(name: "internal")
}
type Maker @key(fields: "id") { id: ID! name: String! products: [Product!]! }
type Dimensions @shareable { weightGrams: Int! size: String! unit: String @inaccessible }
interface Offer @key(fields: "id") { id: ID! title: String! }
type ProductOffer implements Offer @key(fields: "id") { id: ID! title: String! product: Product! }
type BundleOffer implements Offer @key(fields: "id") { id: ID! title: String! products: [Product!]! }
union SearchHit = Product | Maker
${SEEN_TYPES}`
