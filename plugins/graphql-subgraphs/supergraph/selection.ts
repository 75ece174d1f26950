/** Which subgraphs a request for a supergraph means: `?set=` or `?subgraphs=`. */
import { HttpError } from 'svc/plugin'
import type { MockSubgraphs } from '../../mocks/types.ts'
import { pathOf } from '../paths.ts'
import { SET_NAMES, type SetName, type Subgraph } from '../subgraph.ts'

const MAX_SELECTED = 50
/** Before the name of a mock. */
const MOCK = 'mock:'

/** A subgraph of a supergraph. */
export interface SelectedSubgraph {
  name: string
  sdl: string
  /** The path of its endpoint. */
  path: string
  /** The path of its SDL. */
  schemaPath: string
  /** Whether it is one of the demo data. */
  isBuiltIn: boolean
}

/** The subgraphs of a set. */
export function subgraphsOf(set: SetName, subgraphs: readonly Subgraph[]): Subgraph[] {
  return subgraphs.filter(({ sets }) => sets.includes(set))
}

/** What can be selected. */
export class Selection {
  readonly #subgraphs: readonly Subgraph[]
  readonly #mocks: () => MockSubgraphs | undefined

  /** `mocks` is undefined while the plugin is disabled. */
  constructor(subgraphs: readonly Subgraph[], mocks: () => MockSubgraphs | undefined) {
    this.#subgraphs = subgraphs
    this.#mocks = mocks
  }

  /** The subgraphs that a query names. Throws an `HttpError` for unknown names, and for mocks that no gateway can join. */
  of({ set = 'core', subgraphs: names }: Readonly<Record<string, string | string[] | undefined>>): SelectedSubgraph[] {
    if (names !== undefined) return namesIn(String(names)).map(name => this.#find(name))
    const known = SET_NAMES.find(name => name === set)
    if (known === undefined) throw new HttpError(400, { error: 'unknown_set', sets: SET_NAMES })
    return subgraphsOf(known, this.#subgraphs).map(selected)
  }

  unknown(name: string): HttpError {
    const mocks = this.#mocks()?.names() ?? []
    return new HttpError(404, {
      error: 'unknown_subgraph',
      name: name.slice(0, 100),
      subgraphs: [...this.#subgraphs.map(subgraph => subgraph.name), ...mocks.map(mock => MOCK + mock)],
    })
  }

  #find(name: string): SelectedSubgraph {
    const found = this.#subgraphs.find(subgraph => subgraph.name === name)
    if (found !== undefined) return selected(found)
    const mock = name.startsWith(MOCK) ? this.#mocks()?.find(name.slice(MOCK.length)) : null
    if (!mock) throw this.unknown(name)
    const { sdl, isFederated, path } = mock
    if (isFederated) return { name, sdl, path, schemaPath: `${path}/schema.graphql`, isBuiltIn: false }
    throw doesNotCompose([
      {
        code: 'NOT_FEDERATED',
        message: `the schema of ${name} neither links the federation specification nor has a @key`,
      },
    ])
  }
}

export function doesNotCompose(errors: readonly { code: string; message: string }[]): HttpError {
  return new HttpError(422, { error: 'does_not_compose', errors })
}

function selected({ name, sdl }: Subgraph): SelectedSubgraph {
  const path = pathOf(name)
  return { name, sdl, path, schemaPath: `${path}/schema`, isBuiltIn: true }
}

function namesIn(text: string): string[] {
  const names = text.split(',', MAX_SELECTED).map(name => name.trim())
  return [...new Set(names)]
}
