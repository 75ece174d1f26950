/** Composes subgraphs to a supergraph (Apollo Federation 2), for gateways that take one. */
import { GraphQLError, parse } from 'graphql'
import { BoundedMap } from 'svc/toolkit'

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
const MAX_KEPT = 16
const MAX_KEPT_CHARACTERS = 512 * 1024
const MAX_ERRORS = 20
const MAX_MESSAGE = 1000

export class Composer {
  readonly #kept = new BoundedMap<Composition>(MAX_KEPT)
  /** One at a time: a composition takes about 100 ms of processor time. */
  #last: Promise<unknown> = Promise.resolve()

  /** The same subgraphs in the same order are composed once. */
  compose(subgraphs: readonly ComposedSubgraph[]): Promise<Composition> {
    const key = JSON.stringify(subgraphs)
    const composing = this.#last.then(() => this.#kept.get(key) ?? this.#composeNew(key, subgraphs))
    this.#last = composing.catch(() => {})
    return composing
  }

  async #composeNew(key: string, subgraphs: readonly ComposedSubgraph[]): Promise<Composition> {
    const composition = await composeSubgraphs(subgraphs)
    if ((composition.supergraph?.length ?? 0) <= MAX_KEPT_CHARACTERS) this.#kept.set(key, composition)
    return composition
  }
}

async function composeSubgraphs(subgraphs: readonly ComposedSubgraph[]): Promise<Composition> {
  // Loaded with the first supergraph, because it would slow down the start.
  const { composeServices } = await import('@theguild/federation-composition')
  try {
    const services = subgraphs.map(({ name, sdl }) => ({ name, url: ADDRESS + name, typeDefs: parse(sdl) }))
    const { supergraphSdl, errors } = composeServices(services)
    if (errors === undefined && supergraphSdl !== undefined) return { supergraph: supergraphSdl, errors: null }
    return { supergraph: null, errors: (errors ?? []).slice(0, MAX_ERRORS).map(describeError) }
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error
    return { supergraph: null, errors: [describeError(error)] }
  }
}

function describeError({ message, extensions }: GraphQLError): CompositionError {
  const { code } = extensions
  return { code: typeof code === 'string' ? code : 'INVALID_GRAPHQL', message: message.slice(0, MAX_MESSAGE) }
}

/** The supergraph with the address of each subgraph. */
export function withAddresses(supergraph: string, addressOf: (name: string) => string): string {
  return supergraph.replace(/"http:\/\/svc\.invalid\/([a-z-]+)"/g, (_text, name: string) =>
    JSON.stringify(addressOf(name)),
  )
}
