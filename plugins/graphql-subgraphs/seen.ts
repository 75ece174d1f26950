/** The field `<name>Seen`: the headers that reached a subgraph, visible in the answer of the gateway. */

export interface SubgraphContext {
  /** By lower-case name. */
  headers: Readonly<Record<string, string>>
}

interface SeenHeader {
  name: string
  value: string
}

/** The resolver: all headers sorted by name, or those that `names` lists. */
export function seenBy(subgraph: string): (args: object, context: SubgraphContext) => object {
  return (_args, { headers }) => ({
    subgraph,
    headers({ names }: { names?: readonly string[] | null }): SeenHeader[] {
      const wanted = names == null ? null : new Set(names.map(name => name.toLowerCase()))
      return Object.keys(headers)
        .filter(name => wanted === null || wanted.has(name))
        .toSorted()
        .map(name => ({ name, value: headers[name]! }))
    },
  })
}
