/** The wire of Cohere's Chat v2. */
import { errorOfAnswer, type FoundError } from './errors.ts'
import { COHERE_LIMITS } from './limits.ts'
import { bodyOf, jsonRequest, pathOf } from './message.ts'
import type { Wire } from './types.ts'
import { member } from './values.ts'
import { readEmbeddingReply, readEmbeddings, writeEmbeddings } from './cohere/embeddings.ts'
import { readCohereReply, readCohereStream } from './cohere/read-reply.ts'
import { readCohere } from './cohere/read-request.ts'
import { writeCohere } from './cohere/write-request.ts'

export const COHERE: Wire = {
  id: 'cohere',
  base: '/ai/cohere',
  matches(method, target) {
    const path = pathOf(target)
    if (method !== 'POST') return null
    if (path.endsWith('/v2/chat')) return 'generate'
    return path.endsWith('/v2/embed') ? 'embed' : null
  },
  writeRequest: (request, options) => jsonRequest('/v2/chat', writeCohere(request, options)),
  readRequest: request => readCohere(bodyOf(request)),
  readReply: readCohereReply,
  readStream: readCohereStream,
  readError: answer => errorOfAnswer(answer, findError),
  limits: COHERE_LIMITS,
  credentials: key => [['authorization', `Bearer ${key}`]],
  embeddings: {
    write: (request, model) => jsonRequest('/v2/embed', writeEmbeddings(request, model)),
    readRequest: request => readEmbeddings(bodyOf(request)),
    readReply: readEmbeddingReply,
  },
}

/** `{"message": …}`; replies have a `message` that is an object. */
function findError(body: unknown): FoundError | null {
  const message = member(body, 'message')
  return typeof message === 'string' ? { message } : null
}
