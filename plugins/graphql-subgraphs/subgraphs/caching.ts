/** The subgraph `caching`: a root field and an entity with cache tags. */
import { findEntity } from '../entity-keys.ts'
import type { Rows } from '../rows.ts'
import { CACHING } from '../schemas/caching.ts'
import { NEWEST_SETS, RELEASE, type Subgraph } from '../subgraph.ts'

const NEWS = ['The knives are sharper now.', 'Orders ship on Saturdays too.', 'The blog has a new address.']

export function cachingSubgraph({ products }: Rows): Subgraph {
  return {
    name: 'caching',
    sets: NEWEST_SETS,
    federation: '2.12',
    sdl: CACHING,
    example: '{ news }',
    root: { news: NEWS, release: RELEASE },
    resolve(_typename, representation) {
      const row = findEntity(products, [['id']], ({ id }) => ({ id }), representation)
      return row && { id: row.id, teaser: `${row.name}: ${row.description}` }
    },
  }
}
