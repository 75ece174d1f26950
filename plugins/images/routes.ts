/** `/image` and `/image/{format}`. */
import { describe, HttpError, type FastifyInstance, type RouteDescription } from 'svc/plugin'
import { preferredType } from 'svc/toolkit'
import { IMAGES, IMAGE_TYPES, type ImageType } from './image-files.ts'

const negotiated: RouteDescription = {
  category: 'Response Shaping',
  summary: 'Get an image in the format the client prefers',
  description:
    'Selects the format by `Accept`; equal preferences are resolved in the order WebP, SVG, JPEG, PNG, GIF. PNG without `Accept`.',
  parameters: [{ name: 'Accept', in: 'header', schema: { type: 'string' } }],
  responses: {
    200: {
      description: 'The image',
      content: Object.fromEntries(IMAGE_TYPES.map(type => [type, { type: 'string', format: 'binary' }])),
    },
    406: { description: 'The client accepts none of the formats' },
  },
  examples: [
    { name: 'SVG', path: '/image', headers: [{ name: 'Accept', value: 'image/svg+xml' }], expectStatus: 200 },
    {
      name: 'Not acceptable',
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
    const type = selectType(request.headers.accept)
    if (type === null) throw notAcceptable(IMAGE_TYPES)
    return reply.header('Content-Type', type).send(IMAGES[type])
  })
  for (const [path, type, summary] of FORMATS) {
    app.get(path, describe(describeFormat(path, type, summary)), (_request, reply) =>
      reply.header('Content-Type', type).send(IMAGES[type]),
    )
  }
}

/** An empty `Accept` is treated as absent. Some clients send `image/jpg`, which is not a registered type. */
function selectType(accept: string | undefined): ImageType | null {
  if (accept === undefined || accept.trim() === '') return 'image/png'
  return preferredType(accept.replace(/image\/jpg\b/gi, 'image/jpeg'), IMAGE_TYPES)
}

function notAcceptable(supported: readonly string[]): HttpError {
  return new HttpError(406, {
    error: 'not_acceptable',
    details: 'the client accepts none of the available formats',
    supported,
  })
}
