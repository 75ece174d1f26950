/** Which subgraphs a request for a supergraph means: `?set=` or `?subgraphs=`. */
import { HttpError } from 'svc/plugin'
import { SET_NAMES, type SetName, type Subgraph } from '../subgraph.ts'

const MAX_SELECTED = 50

/** The subgraphs of a set. */
export function subgraphsOf(set: SetName, subgraphs: readonly Subgraph[]): Subgraph[] {
  return subgraphs.filter(({ sets }) => sets.includes(set))
}

/** Throws an `HttpError` for unknown names. */
export function selectSubgraphs(
  { set = 'core', subgraphs: names }: Readonly<Record<string, string | string[] | undefined>>,
  subgraphs: readonly Subgraph[],
): Subgraph[] {
  if (names !== undefined) {
    const wanted = [
      ...new Set(
        String(names)
          .split(',')
          .slice(0, MAX_SELECTED)
          .map(name => name.trim()),
      ),
    ]
    return wanted.map(name => findSubgraph(name, subgraphs))
  }
  const known = SET_NAMES.find(name => name === set)
  if (known === undefined) throw new HttpError(400, { error: 'unknown_set', sets: SET_NAMES })
  return subgraphsOf(known, subgraphs)
}

/** Throws an `HttpError` for an unknown name. */
export function findSubgraph(name: string, subgraphs: readonly Subgraph[]): Subgraph {
  const found = subgraphs.find(subgraph => subgraph.name === name)
  if (found !== undefined) return found
  throw unknownSubgraph(name, subgraphs)
}

export function unknownSubgraph(name: string, subgraphs: readonly Subgraph[]): HttpError {
  const names = subgraphs.map(subgraph => subgraph.name)
  return new HttpError(404, { error: 'unknown_subgraph', name: name.slice(0, 100), subgraphs: names })
}
