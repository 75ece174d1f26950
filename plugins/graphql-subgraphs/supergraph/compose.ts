/** Composes subgraphs to a supergraph (Apollo Federation 2), for gateways that take one. */
import { GraphQLError, parse } from 'graphql'

/** A subgraph to compose. */
export interface ComposedSubgraph {
  name: string
  sdl: string
}

export interface CompositionError {
  code: string
  message: string
}

/** The supergraph, in which `ADDRESS` and the name stand for the address of each subgraph; or why there is none. */
export type Composition = { supergraph: string; errors: null } | { supergraph: null; errors: CompositionError[] }

/** Stands for the address of a subgraph, before its name. */
const ADDRESS = 'http://svc.invalid/'
const MAX_ERRORS = 20
const MAX_MESSAGE = 1000

/** Takes about 100 ms of processor time for the subgraphs of the demo data. */
export async function composeSubgraphs(subgraphs: readonly ComposedSubgraph[]): Promise<Composition> {
  // Loaded with the first supergraph, because it would slow down the start.
  const { composeServices } = await import('@theguild/federation-composition')
  try {
    const services = subgraphs.map(({ name, sdl }) => ({ name, url: ADDRESS + name, typeDefs: parse(sdl) }))
    const { supergraphSdl, errors } = composeServices(services)
    if (errors === undefined && supergraphSdl !== undefined) return { supergraph: supergraphSdl, errors: null }
    return { supergraph: null, errors: (errors ?? []).slice(0, MAX_ERRORS).map(describeError) }
  } catch (error) {
    // The composer throws other errors for some schemas that nobody should write.
    return { supergraph: null, errors: [describeError(error as Error)] }
  }
}

function describeError(error: Error): CompositionError {
  const code = error instanceof GraphQLError ? error.extensions['code'] : 'COMPOSER_FAILED'
  return { code: typeof code === 'string' ? code : 'INVALID_GRAPHQL', message: error.message.slice(0, MAX_MESSAGE) }
}

/** The supergraph with the address of each subgraph. */
export function withAddresses(supergraph: string, addressOf: (name: string) => string): string {
  return supergraph.replace(/"http:\/\/svc\.invalid\/([a-z0-9:-]+)"/g, (_text, name: string) =>
    JSON.stringify(addressOf(name)),
  )
}
