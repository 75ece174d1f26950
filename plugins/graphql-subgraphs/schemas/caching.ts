/** The SDL of the subgraph `caching`. */
export const CACHING = `extend schema
  @link(url: "https://specs.apollo.dev/federation/v2.12", import: ["@key", "@shareable", "@cacheTag"])

type Query { news: [String!]! @cacheTag(format: "news")  release: String! @shareable }
type Product @key(fields: "id") @cacheTag(format: "product-{$key.id}") { id: ID!  teaser: String! }
`
