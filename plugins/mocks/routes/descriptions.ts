/** What the descriptions of the management routes have in common. */
import { describe, type RouteDescription, type RouteParameter } from 'svc/plugin'

export const MANAGEMENT = {
  category: 'OpenAPI Mocks',
  responses: {
    200: { description: 'As asked' },
    201: { description: 'Made, where there was none' },
    '4XX': { description: 'A refusal: `error` names it, `message` explains it' },
  },
} as const

export const nameParameter: RouteParameter = {
  name: 'name',
  in: 'path',
  description: 'Name of the mock',
  schema: { type: 'string' },
}

/** A document as small as one can be, for examples. */
export const TINY_SPEC =
  '{"openapi":"3.1.0","info":{"title":"Tiny","version":"1"},"paths":{"/ping":{"get":{"operationId":"ping","responses":{"200":{"description":"ok"}}}}}}'

/** The description of a write. */
export function writes(description: Omit<RouteDescription, 'category'>): {
  config: { descriptions: RouteDescription[] }
} {
  return describe({ ...MANAGEMENT, ...description })
}
