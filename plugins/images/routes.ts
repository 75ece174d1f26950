/** `/image` and `/image/{format}`. */
import { describe, HttpError, preferredType } from 'svc/plugin'
import type { FastifyInstance, RouteDescription } from 'svc/plugin'
import { IMAGES, IMAGE_TYPES } from './image-files.ts'
import type { ImageType } from './image-files.ts'

const negotiated: RouteDescription = {
  category: 'Response Shaping',
  summary: 'Image in the format that the client prefers',
  description: 'By `Accept`; at equal wish WebP, SVG, JPEG, PNG, GIF. Without `Accept` PNG.',
  parameters: [{ name: 'Accept', in: 'header', schema: { type: 'string' } }],
  responses: {
    200: {
      description: 'The image',
      content: Object.fromEntries(IMAGE_TYPES.map(type => [type, { type: 'string', format: 'binary' }])),
    },
    406: { description: 'None of the formats is acceptable' },
  },
  examples: [
    { name: 'SVG', path: '/image', headers: [{ name: 'Accept', value: 'image/svg+xml' }], expectStatus: 200 },
    {
      name: 'Nothing fits',
      path: '/image',
      headers: [{ name: 'Accept', value: 'application/pdf' }],
      expectStatus: 406,
    },
  ],
}

const FORMATS: readonly (readonly [path: string, type: ImageType, summary: string])[] = [
  ['/image/png', 'image/png', 'PNG image, 16 by 16'],
  ['/image/jpeg', 'image/jpeg', 'JPEG image, 8 by 8'],
  ['/image/gif', 'image/gif', 'GIF image, 8 by 8'],
  ['/image/webp', 'image/webp', 'WebP image, 8 by 8'],
  ['/image/svg', 'image/svg+xml', 'SVG image'],
]

function describeFormat(path: string, type: ImageType, summary: string): RouteDescription {
  return {
    category: 'Response Shaping',
    summary,
    responses: { 200: { description: 'The image', content: { [type]: { type: 'string', format: 'binary' } } } },
    examples: [{ name: 'Image', path, expectStatus: 200 }],
  }
}

export function registerRoutes(app: FastifyInstance): void {
  app.get('/image', describe(negotiated), (request, reply) => {
    reply.header('Vary', 'Accept')
    const type = chooseType(request.headers.accept)
    if (type === null) throw notAcceptable(IMAGE_TYPES)
    return reply.header('Content-Type', type).send(IMAGES[type])
  })
  for (const [path, type, summary] of FORMATS) {
    app.get(path, describe(describeFormat(path, type, summary)), (_request, reply) =>
      reply.header('Content-Type', type).send(IMAGES[type]),
    )
  }
}

/** An empty `Accept` says as little as none. Some clients write `image/jpg`, which is no registered type. */
function chooseType(accept: string | undefined): ImageType | null {
  if (accept === undefined || accept.trim() === '') return 'image/png'
  return preferredType(accept.replace(/image\/jpg\b/gi, 'image/jpeg'), IMAGE_TYPES)
}

function notAcceptable(supported: readonly string[]): HttpError {
  return new HttpError(406, {
    error: 'not_acceptable',
    details: 'none of the formats is acceptable to the client',
    supported,
  })
}
