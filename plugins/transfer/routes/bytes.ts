/** `/bytes/{n}` and `/stream-bytes/{n}`: random bytes as a whole and in chunks. */
import {
  describe,
  integerParameter,
  readQuery,
  type BodyStream,
  type FastifyInstance,
  type RouteDescription,
  type RouteParameter,
  type Svc,
} from 'svc/plugin'
import { capCount } from 'svc/toolkit'
import { readCount } from '../count.ts'
import { makeBytes, readSeed } from '../random-bytes.ts'

const DEFAULT_CHUNK = 10_240

const shared = {
  category: 'Response Shaping',
  responses: {
    200: { description: 'The bytes', content: { 'application/octet-stream': { type: 'string', format: 'binary' } } },
    400: { description: 'The number of bytes or the seed is invalid' },
  },
} satisfies Partial<RouteDescription>
const parameters: RouteParameter[] = [
  {
    name: 'n',
    in: 'path',
    required: true,
    description: 'Number of bytes; at most 102400 (10240 on public instances)',
    schema: { type: 'integer', minimum: 0 },
  },
  {
    name: 'seed',
    in: 'query',
    description: 'The same seed gives the same bytes',
    schema: { type: 'string', maxLength: 256 },
  },
]
const bytes: RouteDescription = {
  ...shared,
  summary: 'Get random bytes',
  parameters,
  examples: [
    { name: 'A kilobyte', path: '/bytes/1024', expectStatus: 200 },
    { name: 'Reproducible', path: '/bytes/16?seed=demo', expectStatus: 200 },
  ],
}
const streamBytes: RouteDescription = {
  ...shared,
  summary: 'Stream random bytes in chunks',
  parameters: [
    ...parameters,
    {
      name: 'chunk_size',
      in: 'query',
      description: 'Bytes per chunk',
      schema: { type: 'integer', minimum: 1, default: DEFAULT_CHUNK },
    },
  ],
  examples: [{ name: 'Four chunks', path: '/stream-bytes/1024?chunk_size=256', expectStatus: 200 }],
}

interface Params {
  Params: { n: string }
}

export function registerBytes(app: FastifyInstance, svc: Svc): void {
  const maxBytes = svc.config.publicMode ? 10_240 : 102_400

  app.get<Params>('/bytes/:n', describe(bytes), (request, reply) => {
    const count = readCount(request.params.n, 'bytes')
    const seed = readSeed(readQuery(request))
    const body = makeBytes(capCount(reply, count, maxBytes), seed)
    return reply.type('application/octet-stream').send(body)
  })

  app.get<Params>('/stream-bytes/:n', describe(streamBytes), async (request, reply) => {
    const count = readCount(request.params.n, 'bytes')
    const query = readQuery(request)
    const seed = readSeed(query)
    const chunkSize = Math.max(
      1,
      Math.min(integerParameter(query, 'chunk_size', { fallback: DEFAULT_CHUNK }), maxBytes),
    )
    const body = makeBytes(capCount(reply, count, maxBytes), seed)
    const stream = svc.streams.body(request, reply.type('application/octet-stream'))
    if (stream !== null) await writeChunks(stream, body, chunkSize)
    return reply
  })
}

async function writeChunks(stream: BodyStream, body: Buffer, chunkSize: number): Promise<void> {
  for (let start = 0; start < body.length && !stream.closed; start += chunkSize) {
    if (!stream.write(body.subarray(start, start + chunkSize))) await stream.ready()
  }
  stream.end()
}
