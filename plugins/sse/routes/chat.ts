/** `GET` and `POST /sse/chat`: a reply word by word, like a model. */
import {
  describe,
  readQuery,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type RouteDescription,
  type Svc,
} from 'svc/plugin'
import { lastChunk, newChatId, replyTo, wordChunk } from '../chat-reply.ts'
import { readChatRequest } from '../chat-request.ts'
import { pace } from '../pace.ts'
import { SSE_CHAT } from '../replies.ts'

const shared = {
  category: 'Streaming (SSE)',
  description: 'Sends one `chat.chunk` per word, a last one with `finish_reason` and `usage`, then `[DONE]`.',
  protocol: 'sse',
  responses: {
    200: { description: 'The chunks', content: { 'text/event-stream': {} } },
    400: { description: 'A value has the wrong type or is out of range' },
  },
} satisfies Partial<RouteDescription>

const byQuery: RouteDescription = {
  ...shared,
  summary: 'Stream a chat reply',
  reply: SSE_CHAT,
  parameters: [
    { name: 'prompt', in: 'query', schema: { type: 'string' } },
    {
      name: 'max_tokens',
      in: 'query',
      description: 'Maximum number of words; at most 500 (200 on public instances)',
      schema: { type: 'integer', minimum: 1, default: 500 },
    },
    {
      name: 'delay_ms',
      in: 'query',
      description: 'Milliseconds between words; at most 2000 (1000 on public instances)',
      schema: { type: 'integer', minimum: 0, maximum: 2000, default: 50 },
    },
  ],
  examples: [{ name: 'Eight words', path: '/sse/chat?prompt=hello&max_tokens=8&delay_ms=20', expectStatus: 200 }],
}
const byBody: RouteDescription = {
  ...shared,
  summary: 'Stream a chat reply to a prompt in the body',
  reply: SSE_CHAT,
  requestBody: {
    description: 'Values in the body override those in the query',
    content: {
      'application/json': {
        type: 'object',
        properties: {
          prompt: { type: 'string' },
          max_tokens: { type: 'integer' },
          delay_ms: { type: 'integer', minimum: 0 },
        },
      },
    },
  },
  examples: [
    {
      name: 'Hello',
      method: 'POST',
      path: '/sse/chat',
      headers: [{ name: 'Content-Type', value: 'application/json' }],
      body: '{"prompt":"hello","max_tokens":8,"delay_ms":20}',
      bodyType: 'json',
      expectStatus: 200,
    },
  ],
}

const NO_BODY = Buffer.alloc(0)

export function registerChat(app: FastifyInstance, svc: Svc): void {
  function chat(request: FastifyRequest, reply: FastifyReply, body: Buffer): void {
    const { prompt, maxTokens, delayMs } = readChatRequest(readQuery(request), body, svc.config)
    const stream = svc.streams.sse(request, reply)
    if (stream === null) return
    const chatReply = replyTo(prompt, maxTokens)
    const id = newChatId()
    let index = 0
    pace(stream, delayMs, () => {
      stream.send({ data: wordChunk(id, index, chatReply.words[index]!) })
      index++
      if (index < chatReply.words.length) return true
      stream.send({ data: lastChunk(id, chatReply) })
      stream.send({ data: '[DONE]' })
      return false
    })
  }

  app.get('/sse/chat', describe(byQuery), (request, reply) => chat(request, reply, NO_BODY))
  app.post('/sse/chat', describe(byBody), (request, reply) => chat(request, reply, svc.http.body(request)))
}
