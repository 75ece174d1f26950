/** `/uuid`, `/guuid`, `/random` and the paths below it. */
import { randomInt, randomUUID } from 'node:crypto'
import {
  describe,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type JsonSchema,
  type RouteDescription,
  type Svc,
} from 'svc/plugin'
import { INTEGER, jsonReply, list, object, parseInteger, TEXT } from 'svc/toolkit'
import { invalidCount } from '../errors.ts'
import { randomBetween, readBound } from '../random-integer.ts'

const PARAGRAPHS: readonly string[] = [
  'Lorem ipsum dolor sit amet, consectetur adipiscing elit. Integer vitae ligula at nisi tempor porta, sed congue augue blandit. Praesent ac sapien id lectus malesuada tincidunt.',
  'Vestibulum gravida urna non massa feugiat, nec hendrerit quam aliquet. Donec sodales mi eget purus dictum, et viverra erat ornare. Nulla facilisi.',
  'Curabitur pretium justo a leo rhoncus, quis mattis nunc varius. Etiam eu lorem sit amet turpis volutpat interdum. Fusce id velit nec arcu posuere sagittis.',
  'Mauris in enim vel odio cursus laoreet. Aenean dapibus, tortor quis fermentum aliquam, nibh risus ultrices est, non pulvinar metus sem ut diam.',
  'Suspendisse potenti. Phasellus luctus neque ut orci venenatis, vitae egestas nulla scelerisque. Vivamus bibendum felis in dolor iaculis, a placerat magna efficitur.',
]

const MAX_PARAGRAPHS = 32

function describeValue(
  summary: string,
  path: string,
  members: Record<string, JsonSchema>,
  more: Partial<RouteDescription> = {},
): RouteDescription {
  return {
    category: 'Info & Random',
    summary,
    negotiated: true,
    responses: {
      200: {
        description: Object.keys(members)
          .map(name => `\`${name}\``)
          .join(', '),
      },
    },
    reply: jsonReply(object(members)),
    examples: [{ name: 'One', path, expectStatus: 200 }],
    ...more,
  }
}
const between = describeValue(
  'Random integer between two bounds',
  '/random/int/1/6',
  { value: INTEGER },
  {
    description: 'Both bounds are included; each is a signed 64-bit integer.',
    responses: {
      200: { description: '`value`' },
      400: { description: 'The bounds are not integers, or the first is not lower' },
    },
    parameters: ['lower', 'upper'].map(name => ({
      name,
      in: 'path',
      required: true,
      schema: { type: 'integer', format: 'int64' },
    })),
    examples: [
      { name: 'A die', path: '/random/int/1/6', expectStatus: 200 },
      { name: 'Bounds in the wrong order', path: '/random/int/6/1', expectStatus: 400 },
    ],
  },
)
const paragraphs = describeValue(
  'Paragraphs of filler text',
  '/random/lorem-ipsum/3',
  { paragraphs: list(TEXT) },
  {
    responses: { 200: { description: '`paragraphs`' }, 400: { description: 'The number of paragraphs is invalid' } },
    parameters: [
      { name: 'count', in: 'path', required: true, schema: { type: 'integer', minimum: 1, maximum: MAX_PARAGRAPHS } },
    ],
  },
)

export function registerRandom(app: FastifyInstance, svc: Svc): void {
  const { negotiate } = svc.http

  app.get('/uuid', describe(describeValue('UUID, version 4', '/uuid', { uuid: TEXT })), (request, reply) =>
    negotiate(request, reply, { uuid: randomUUID() }),
  )
  app.get('/guuid', describe(describeValue('UUID in braces', '/guuid', { guuid: TEXT })), (request, reply) =>
    negotiate(request, reply, { guuid: braced(randomUUID()) }),
  )

  app.get(
    '/random',
    describe(
      describeValue('One random value of each kind', '/random', {
        int: INTEGER,
        uint: INTEGER,
        uuid: TEXT,
        guuid: TEXT,
        lorem_ipsum: TEXT,
      }),
    ),
    (request, reply) => {
      return negotiate(request, reply, {
        int: smallInt(),
        uint: smallUint(),
        uuid: randomUUID(),
        guuid: braced(randomUUID()),
        lorem_ipsum: loremIpsum(1)[0],
      })
    },
  )
  app.get(
    '/random/int',
    describe(
      describeValue('Random integer', '/random/int', {
        value: { type: 'integer', minimum: -32_000, maximum: 32_000 },
      }),
    ),
    (request, reply) => negotiate(request, reply, { value: smallInt() }),
  )
  app.get(
    '/random/uint',
    describe(
      describeValue('Random unsigned integer', '/random/uint', {
        value: { type: 'integer', minimum: 0, maximum: 65_535 },
      }),
    ),
    (request, reply) => negotiate(request, reply, { value: smallUint() }),
  )

  app.get<{ Params: { lower: string; upper: string } }>(
    '/random/int/:lower/:upper',
    describe(between),
    (request, reply) => {
      return sendInteger(
        request,
        reply,
        randomBetween(readBound(request.params.lower), readBound(request.params.upper)),
        svc,
      )
    },
  )

  app.get(
    '/random/lorem-ipsum',
    describe(describeValue('Paragraph of filler text', '/random/lorem-ipsum', { paragraphs: list(TEXT) })),
    (request, reply) => {
      return negotiate(request, reply, { paragraphs: loremIpsum(1) })
    },
  )
  app.get<{ Params: { count: string } }>('/random/lorem-ipsum/:count', describe(paragraphs), (request, reply) => {
    const count = parseInteger(request.params.count)
    if (count === null || count < 1 || count > MAX_PARAGRAPHS) throw invalidCount(request.params.count, MAX_PARAGRAPHS)
    return negotiate(request, reply, { paragraphs: loremIpsum(count) })
  })
}

/** The UUID in braces, as in Windows registries and COM. */
function braced(uuid: string): string {
  return `{${uuid}}`
}

function smallInt(): number {
  return randomInt(-32_000, 32_001)
}

function smallUint(): number {
  return randomInt(65_536)
}

/** Serializes exact digits: JSON integers have any size, but `JSON.stringify` is exact only up to 2^53. */
function sendInteger(request: FastifyRequest, reply: FastifyReply, value: bigint, { http }: Svc): FastifyReply {
  if (http.negotiatedType(request) !== 'application/json')
    return http.negotiate(request, reply, { value: String(value) })
  return reply.headers({ Vary: 'Accept', 'Content-Type': 'application/json; charset=utf-8' }).send(`{"value":${value}}`)
}

/** Returns `count` paragraphs, repeating the list. The first one starts with "Lorem ipsum". */
function loremIpsum(count: number): string[] {
  return Array.from({ length: count }, (_, index) => PARAGRAPHS[index % PARAGRAPHS.length]!)
}
