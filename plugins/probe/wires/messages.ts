/** The wire of Anthropic's Messages API. */
import { errorOfAnswer, type FoundError } from './errors.ts'
import { MESSAGES_LIMITS } from './limits.ts'
import { bodyOf, jsonRequest, pathOf } from './message.ts'
import type { Wire, WireField } from './types.ts'
import { member, membersOf, numberOf, parseJson } from './values.ts'
import { readMessageReply } from './messages/read-reply.ts'
import { readMessages } from './messages/read-request.ts'
import { readMessageStream } from './messages/read-stream.ts'
import { writeMessages, writePrompt } from './messages/write-request.ts'

const VERSION: WireField = ['anthropic-version', '2023-06-01']

export const MESSAGES: Wire = {
  id: 'messages',
  base: '/ai/anthropic',
  matches(method, target) {
    const path = pathOf(target)
    if (method !== 'POST') return null
    if (path.endsWith('/messages/count_tokens')) return 'count'
    return path.endsWith('/messages') ? 'generate' : null
  },
  writeRequest: (request, options) => jsonRequest('/v1/messages', writeMessages(request, options), [VERSION]),
  readRequest: request => readMessages(bodyOf(request)),
  readReply: readMessageReply,
  readStream: readMessageStream,
  readError: answer => errorOfAnswer(answer, findError),
  limits: MESSAGES_LIMITS,
  credentials: key => [
    ['x-api-key', key],
    ['authorization', `Bearer ${key}`],
  ],
  count: {
    write: (request, { model }) =>
      jsonRequest('/v1/messages/count_tokens', { model, ...writePrompt(request) }, [VERSION]),
    read: ({ body }) => numberOf(member(parseJson(body.toString('utf8')), 'input_tokens')),
  },
}

/** `{"type": "error", "error": {type, message}}`. */
function findError(body: unknown): FoundError | null {
  const { type, message } = membersOf(member(body, 'error'))
  return member(body, 'type') === 'error' && typeof message === 'string' ? { type, message } : null
}
