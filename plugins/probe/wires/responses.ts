/** The wire of OpenAI's Responses API. */
import { readOpenAiError } from './chat/errors.ts'
import { RESPONSES_LIMITS } from './limits.ts'
import { bodyOf, jsonRequest, pathOf } from './message.ts'
import type { Wire } from './types.ts'
import { member, numberOf, parseJson } from './values.ts'
import { readResponse } from './responses/read-reply.ts'
import { readResponses } from './responses/read-request.ts'
import { readResponseStream } from './responses/read-stream.ts'
import { writeConversation, writeResponses } from './responses/write-request.ts'

export const RESPONSES: Wire = {
  id: 'responses',
  base: '/ai/openai/v1',
  matches(method, target) {
    const path = pathOf(target)
    if (method !== 'POST') return null
    if (path.endsWith('/responses/input_tokens')) return 'count'
    return path.endsWith('/responses') ? 'generate' : null
  },
  writeRequest: (request, options) => jsonRequest('/responses', writeResponses(request, options)),
  readRequest: request => readResponses(bodyOf(request)),
  readReply: readResponse,
  readStream: readResponseStream,
  readError: readOpenAiError,
  limits: RESPONSES_LIMITS,
  credentials: key => [['authorization', `Bearer ${key}`]],
  count: {
    write: (request, { model }) => jsonRequest('/responses/input_tokens', { model, ...writeConversation(request) }),
    read: ({ body }) => numberOf(member(parseJson(body.toString('utf8')), 'input_tokens')),
  },
}
