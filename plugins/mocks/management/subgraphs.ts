/** The mocks that a supergraph can have: what `mocks.subgraphs` offers. */
import type { MockSubgraphs } from '../types.ts'
import { isGraphMock, type GraphMock } from './mock.ts'
import type { Registry } from './registry.ts'

export function createSubgraphs(registry: Registry): MockSubgraphs {
  const served = (name: string): GraphMock | null => {
    const mock = registry.get(name)
    return mock !== undefined && mock.enabled && isGraphMock(mock) ? mock : null
  }
  return {
    names: () => registry.names().filter(name => served(name)?.live.graph.isFederated),
    find(name) {
      const mock = served(name)
      if (mock === null) return null
      const { source, isFederated } = mock.live.graph
      return { sdl: source.sdl, isFederated, path: `/mock/${name}` }
    },
  }
}
