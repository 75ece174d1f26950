/** `POST /jsonrpc`. */
import { describe, type FastifyInstance, type RouteDescription, type Svc } from 'svc/plugin'
import { dispatch } from './dispatch.ts'

const json = [{ name: 'Content-Type', value: 'application/json' }]
const call: RouteDescription = {
  category: 'JSON-RPC',
  summary: 'Call methods over JSON-RPC 2.0',
  description:
    'Methods: `echo`, `add`, `subtract`, `sleep`, `error`. The requests of a batch, up to 100 (20 on public instances), run concurrently. Numbers keep their exact digits.',
  requestBody: { required: true, content: { 'application/json': { oneOf: [{ type: 'object' }, { type: 'array' }] } } },
  responses: {
    200: { description: 'The response, which may be an error, or the responses of a batch' },
    204: { description: 'Only notifications were sent' },
  },
  examples: [
    {
      name: 'Add',
      method: 'POST',
      path: '/jsonrpc',
      headers: json,
      body: '{"jsonrpc":"2.0","method":"add","params":[1,2,3],"id":1}',
      bodyType: 'json',
      expectStatus: 200,
    },
    {
      name: 'Batch',
      method: 'POST',
      path: '/jsonrpc',
      headers: json,
      body: '[{"jsonrpc":"2.0","method":"echo","params":{"a":1},"id":1},{"jsonrpc":"2.0","method":"subtract","params":{"minuend":5,"subtrahend":3},"id":2}]',
      bodyType: 'json',
      expectStatus: 200,
    },
    {
      name: 'Notification',
      method: 'POST',
      path: '/jsonrpc',
      headers: json,
      body: '{"jsonrpc":"2.0","method":"echo"}',
      bodyType: 'json',
      expectStatus: 204,
    },
    {
      name: 'Requested error',
      method: 'POST',
      path: '/jsonrpc',
      headers: json,
      body: '{"jsonrpc":"2.0","method":"error","params":[-32001,"no stock"],"id":"e"}',
      bodyType: 'json',
      expectStatus: 200,
    },
  ],
}

const MAX_BATCH = { normal: 100, public: 20 }

export function registerRoutes(app: FastifyInstance, svc: Svc): void {
  const { publicMode, maxDelayMs } = svc.config
  const maxBatch = publicMode ? MAX_BATCH.public : MAX_BATCH.normal

  app.post('/jsonrpc', describe(call), async (request, reply) => {
    const text = await dispatch(svc.http.body(request), {
      maxBatch,
      maxDelayMs,
      wait: ms => svc.http.delay(request, ms),
    })
    return text === null ? reply.code(204).send() : reply.type('application/json').send(text)
  })
}
