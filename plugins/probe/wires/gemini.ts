/** The wire of the Gemini API. */
import { errorOfAnswer, type FoundError } from './errors.ts'
import { GEMINI_LIMITS } from './limits.ts'
import { bodyOf, decoded, jsonRequest, pathOf } from './message.ts'
import type { Operation, Wire } from './types.ts'
import { member, membersOf, numberOf, parseJson } from './values.ts'
import { readEmbeddingReply, readEmbeddings, writeEmbeddings } from './gemini/embeddings.ts'
import { readGeminiReply, readGeminiStream } from './gemini/read-reply.ts'
import { readGemini } from './gemini/read-request.ts'
import { writeGemini } from './gemini/write-request.ts'

const ROUTE = /\/models\/([^/]{1,400}):([a-zA-Z]{1,40})$/

const OPERATIONS: Readonly<Record<string, Operation>> = {
  generateContent: 'generate',
  streamGenerateContent: 'generate',
  countTokens: 'count',
  embedContent: 'embed',
  batchEmbedContents: 'embed',
}

const modelPath = (model: string, action: string): string => `/v1beta/models/${encodeURIComponent(model)}:${action}`

export const GEMINI: Wire = {
  id: 'gemini',
  base: '/ai/gemini',
  matches(method, target) {
    const [, , action] = ROUTE.exec(pathOf(target)) ?? []
    return method === 'POST' && action !== undefined ? (OPERATIONS[action] ?? null) : null
  },
  writeRequest: (request, { model, stream }) =>
    jsonRequest(modelPath(model, stream ? 'streamGenerateContent?alt=sse' : 'generateContent'), writeGemini(request)),
  readRequest(request) {
    const [, model, action] = ROUTE.exec(pathOf(request.path)) ?? []
    const body = bodyOf(request)
    const prompt = action === 'countTokens' ? (member(body, 'generateContentRequest') ?? body) : body
    return {
      ...readGemini(prompt),
      model: model === undefined ? null : decoded(model),
      stream: action === 'streamGenerateContent',
    }
  },
  readReply: readGeminiReply,
  readStream: readGeminiStream,
  readError: answer => errorOfAnswer(answer, findError),
  limits: GEMINI_LIMITS,
  credentials: key => [['x-goog-api-key', key]],
  count: {
    write(request, { model }) {
      const { contents, systemInstruction, tools } = writeGemini(request)
      const inner = { model: `models/${model}`, contents, systemInstruction, tools }
      return jsonRequest(modelPath(model, 'countTokens'), { generateContentRequest: inner })
    },
    read: ({ body }) => numberOf(member(parseJson(body.toString('utf8')), 'totalTokens')),
  },
  embeddings: {
    write: (request, model) => jsonRequest(modelPath(model, 'batchEmbedContents'), writeEmbeddings(request, model)),
    readRequest: request => readEmbeddings(bodyOf(request)),
    readReply: readEmbeddingReply,
  },
}

/** `{"error": {code, message, status}}`, or a list of one. */
function findError(body: unknown): FoundError | null {
  const { code, message, status } = membersOf(member(Array.isArray(body) ? body[0] : body, 'error'))
  return typeof message === 'string' && typeof status === 'string' ? { type: status, code, message } : null
}
