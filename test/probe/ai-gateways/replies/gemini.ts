/** Replies of the Gemini API. */
import type { Part, Reply } from '../../../../plugins/probe/wires/types.ts'
import { piecesOf, SSE, sse, wordOf, type ReplyWriter } from './writer.ts'

const FINISHES: Readonly<Record<string, string>> = {
  stop: 'STOP',
  stop_sequence: 'STOP',
  length: 'MAX_TOKENS',
  calls: 'STOP',
  filter: 'SAFETY',
  refusal: 'SAFETY',
}
const STATUSES: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  413: 'INVALID_ARGUMENT',
  429: 'RESOURCE_EXHAUSTED',
  503: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED',
}

function usageOf({ usage }: Reply): object | undefined {
  if (usage === null) return undefined
  const { input, output, cached, reasoning } = usage
  return {
    promptTokenCount: input ?? 0,
    cachedContentTokenCount: cached ?? 0,
    candidatesTokenCount: (output ?? 0) - (reasoning ?? 0),
    ...(reasoning === null ? {} : { thoughtsTokenCount: reasoning }),
    totalTokenCount: (input ?? 0) + (output ?? 0),
  }
}

function partsOf(part: Part, isStream: boolean): object[] {
  const signed = (signature: string | null | undefined): object => (signature ? { thoughtSignature: signature } : {})
  switch (part.type) {
    case 'text':
    case 'refusal':
      return (isStream ? piecesOf(part.text) : [part.text]).map(text => ({ text }))
    case 'thinking':
      return [{ text: part.text, thought: true, ...signed(part.signature) }]
    case 'call':
      return [{ functionCall: { id: part.id, name: part.name, args: part.args }, ...signed(part.signature) }]
    default:
      return []
  }
}

const chunkOf = (reply: Reply, model: string, parts: object[], isLast: boolean): object => ({
  candidates: [
    { index: 0, content: { role: 'model', parts }, ...(isLast ? { finishReason: wordOf(FINISHES, reply) } : {}) },
  ],
  ...(isLast ? { usageMetadata: usageOf(reply) } : {}),
  modelVersion: model,
  responseId: 'toy',
})

const errorOf = (status: number, message: string): object => ({
  error: { code: status, message, status: STATUSES[status] ?? 'INTERNAL' },
})

export const GEMINI: ReplyWriter = {
  streamType: SSE,
  whole: (reply, model) =>
    chunkOf(
      reply,
      model,
      reply.parts.flatMap(part => partsOf(part, false)),
      true,
    ),
  events: (reply, model) => [
    ...reply.parts.flatMap(part => partsOf(part, true).map(one => sse(chunkOf(reply, model, [one], false)))),
    sse(chunkOf(reply, model, [], true)),
  ],
  error: ({ status, message }) => ({ body: errorOf(status, message) }),
  errorEvent: ({ message }) => sse(errorOf(500, message)),
  count: tokens => ({ totalTokens: tokens }),
}
