/** Parts that the descriptions of the management routes share. */
import { tooLargeMessage, type Bounds } from '../bounds.ts'
import { uploadLimit } from '../management/upload.ts'
import { describe, type RouteDescription, type RouteParameter } from 'svc/plugin'

export const MANAGEMENT = {
  category: 'API Mocks',
  responses: {
    200: { description: 'Success' },
    201: { description: 'Created' },
    '4XX': { description: 'An error: `error` is its code, `message` the explanation' },
  },
} as const

export const nameParameter: RouteParameter = {
  name: 'name',
  in: 'path',
  description: 'Name of the mock',
  schema: { type: 'string' },
}

/** A minimal document for examples. */
export const TINY_SPEC =
  '{"openapi":"3.1.0","info":{"title":"Tiny","version":"1"},"paths":{"/ping":{"get":{"operationId":"ping","responses":{"200":{"description":"ok"}}}}}}'

/** An OpenAPI document, alone or in an envelope with settings. */
export const DOCUMENT_BODY: NonNullable<RouteDescription['requestBody']> = {
  description: 'An OpenAPI document in JSON or YAML, alone or as `spec` of an object with settings of the mock',
  required: true,
  content: { 'application/json': {}, 'application/yaml': { type: 'string' } },
}

/** Describes a route that takes uploads, which have a limit of their own. */
export function takesUploads(
  bounds: Bounds,
  description: Omit<RouteDescription, 'category'>,
): ReturnType<typeof writes> {
  const limit = uploadLimit(bounds)
  return writes({
    ...description,
    ownBodyLimit: limit,
    errorForm: ({ kind, body }) =>
      kind === 'payload_too_large'
        ? { body: { error: 'too_large', message: tooLargeMessage(bounds.documentBytes), limit: bounds.documentBytes } }
        : { body },
  })
}

/** Describes a write route. */
export function writes(description: Omit<RouteDescription, 'category'>): {
  config: { descriptions: RouteDescription[] }
} {
  return describe({ ...MANAGEMENT, ...description })
}
