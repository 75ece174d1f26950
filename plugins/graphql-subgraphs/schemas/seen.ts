/** The types with which a subgraph shows the headers that reached it; part of every schema but one. */
export const SEEN_TYPES = `
"What reached the subgraph."
type Seen @shareable { subgraph: String! headers(names: [String!]): [SeenHeader!]! }
type SeenHeader @shareable { name: String! value: String! }
`
