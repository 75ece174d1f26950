/** The extension point `mocks.subgraphs`: the mocks that a supergraph can have. */

/** `mocks.subgraphs`. */
export interface MockSubgraphs {
  /** Of the mocks that are served and federated, sorted. */
  names(): string[]
  /** Null if no GraphQL schema is served under the name. */
  find(name: string): MockSubgraph | null
}

export interface MockSubgraph {
  sdl: string
  /** Whether it has `_service` and `_entities`, which a gateway needs. */
  isFederated: boolean
  /** The path of its endpoint: `/mock/shop`. */
  path: string
}

declare module 'svc/plugin' {
  interface ExtensionPoints {
    'mocks.subgraphs': MockSubgraphs
  }
}
