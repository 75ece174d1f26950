/** The wire of OpenAI's chat completions, and of Azure OpenAI, which has the same bodies on other paths. */
import { CHAT_LIMITS } from './limits.ts'
import { bodyOf, decoded, jsonRequest, pathOf } from './message.ts'
import type { Operation, Wire } from './types.ts'
import { readEmbeddingReply, readEmbeddings, writeEmbeddings } from './chat/embeddings.ts'
import { readOpenAiError } from './chat/errors.ts'
import { readChatReply } from './chat/read-reply.ts'
import { readChat } from './chat/read-request.ts'
import { readChatStream } from './chat/read-stream.ts'
import { writeChat } from './chat/write-request.ts'

/** Azure's paths name a deployment. */
const DEPLOYMENT = /\/openai\/deployments\/([^/]{1,400})\//

interface Place {
  id: 'chat' | 'azure'
  base: string
  /** Of a route, behind the base. */
  pathOf(route: string, model: string): string
  /** The model that a path names; null: none. */
  modelOf(path: string): string | null
  credentials: Wire['credentials']
}

function chatWire({ id, base, pathOf: place, modelOf, credentials }: Place): Wire {
  const isOwn = (path: string): boolean => DEPLOYMENT.test(path) === (id === 'azure')
  return {
    id,
    base,
    matches(method, target) {
      const path = pathOf(target)
      if (method !== 'POST' || !isOwn(path)) return null
      return routeOf(path)
    },
    writeRequest: (request, options) =>
      jsonRequest(place('/chat/completions', options.model), writeChat(request, options)),
    readRequest(request) {
      const read = readChat(bodyOf(request))
      return { ...read, model: modelOf(pathOf(request.path)) ?? read.model }
    },
    readReply: readChatReply,
    readStream: readChatStream,
    readError: readOpenAiError,
    limits: CHAT_LIMITS,
    credentials,
    embeddings: {
      write: (request, model) => jsonRequest(place('/embeddings', model), writeEmbeddings(request, model)),
      readRequest: request => readEmbeddings(bodyOf(request)),
      readReply: readEmbeddingReply,
    },
  }
}

function routeOf(path: string): Operation | null {
  if (path.endsWith('/chat/completions')) return 'generate'
  return path.endsWith('/embeddings') ? 'embed' : null
}

export const CHAT: Wire = chatWire({
  id: 'chat',
  base: '/ai/openai/v1',
  pathOf: route => route,
  modelOf: () => null,
  credentials: key => [['authorization', `Bearer ${key}`]],
})

const API_VERSION = '2024-10-21'

export const AZURE: Wire = chatWire({
  id: 'azure',
  base: '/ai/azure',
  pathOf: (route, model) => `/openai/deployments/${encodeURIComponent(model)}${route}?api-version=${API_VERSION}`,
  modelOf(path) {
    const [, model] = DEPLOYMENT.exec(path) ?? []
    return model === undefined ? null : decoded(model)
  },
  credentials: key => [['api-key', key]],
})
