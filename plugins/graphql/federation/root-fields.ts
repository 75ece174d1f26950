/** The root fields `_service` and `_entities` of a subgraph. */
import { GraphQLError } from 'graphql'
import { isRecord } from 'svc/toolkit'
import type { SdlKind } from '../faults/plan.ts'
import type { Federation } from '../types.ts'
import { brokenSdl } from './broken-sdl.ts'

export interface FederationFacts {
  sdl: string
  federation: Federation
  /** Types that `_entities` takes. */
  entities(): ReadonlySet<string>
  maxRepresentations: number
}

/** The symbol under which the context of an operation has the requested kind of SDL. */
export const SDL_KIND = Symbol('svc.graphql.sdl')

export function federationFields({ sdl, federation, entities, maxRepresentations }: FederationFacts): object {
  return {
    _service: (_args: object, context: { [SDL_KIND]?: SdlKind | null }) => {
      const kind = context[SDL_KIND] ?? null
      return { sdl: kind === null ? sdl : brokenSdl(sdl, kind) }
    },
    _entities({ representations }: { representations: readonly unknown[] }, context: object) {
      if (representations.length > maxRepresentations)
        throw badInput(`expected at most ${maxRepresentations} representations, got ${representations.length}`)
      return representations.map((representation, index) => {
        const at = `representations[${index}]`
        if (!isRecord(representation)) throw badInput(`${at} must be an object`)
        const { __typename: typename } = representation
        if (typeof typename !== 'string') throw badInput(`${at} has no __typename`)
        if (!entities().has(typename))
          throw badInput(`${at}: ${typename.slice(0, 100)} is not an entity of this subgraph`)
        const entity = federation.resolve(typename, representation, context)
        if (entity === null || '__typename' in entity) return entity
        return Object.create(entity, { __typename: { value: typename } }) as object
      })
    },
  }
}

function badInput(message: string): GraphQLError {
  return new GraphQLError(message, { extensions: { code: 'BAD_USER_INPUT' } })
}
