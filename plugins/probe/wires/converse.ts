/** The wire of Amazon Bedrock's Converse. */
import { errorOfAnswer, wireError } from './errors.ts'
import { CONVERSE_LIMITS } from './limits.ts'
import { bodyOf, decoded, jsonRequest, pathOf } from './message.ts'
import type { Wire, WireAnswer, WireError } from './types.ts'
import { fieldOf, firstOf, member, numberOf, parseJson } from './values.ts'
import { readConverseReply } from './converse/read-reply.ts'
import { readConverse } from './converse/read-request.ts'
import { readConverseStream } from './converse/read-stream.ts'
import { writeConverse } from './converse/write-request.ts'

/** Ids of models may be ARNs with slashes. */
const ROUTE = /\/model\/(.{1,2000})\/(converse|converse-stream|count-tokens)$/

const modelPath = (model: string, action: string): string => `/model/${encodeURIComponent(model)}/${action}`

export const CONVERSE: Wire = {
  id: 'converse',
  base: '/ai/bedrock',
  matches(method, target) {
    const [, , action] = ROUTE.exec(pathOf(target)) ?? []
    if (method !== 'POST' || action === undefined) return null
    return action === 'count-tokens' ? 'count' : 'generate'
  },
  writeRequest: (request, { model, stream }) =>
    jsonRequest(modelPath(model, stream ? 'converse-stream' : 'converse'), writeConverse(request)),
  readRequest(request) {
    const [, model, action] = ROUTE.exec(pathOf(request.path)) ?? []
    const body = bodyOf(request)
    const prompt = action === 'count-tokens' ? (member(body, 'input', 'converse') ?? body) : body
    return {
      ...readConverse(prompt),
      model: model === undefined ? null : decoded(model),
      stream: action === 'converse-stream',
    }
  },
  readReply: readConverseReply,
  readStream: readConverseStream,
  readError: readConverseError,
  limits: CONVERSE_LIMITS,
  credentials: key => [['authorization', `Bearer ${key}`]],
  count: {
    write(request, { model }) {
      const { messages, system, toolConfig } = writeConverse(request)
      return jsonRequest(modelPath(model, 'count-tokens'), { input: { converse: { messages, system, toolConfig } } })
    },
    read: ({ body }) => numberOf(member(parseJson(body.toString('utf8')), 'inputTokens')),
  },
}

/** `{"message": …}`; the type is in a field, which may have a suffix. */
function readConverseError(answer: WireAnswer): WireError | null {
  if (answer.status < 400) return null
  const body = parseJson(answer.body.toString('utf8'))
  const message = firstOf(member(body, 'message'), member(body, 'Message'))
  const type = (fieldOf(answer.fields, 'x-amzn-errortype') ?? String(member(body, '__type') ?? '')).split(/[:#]/)[0]
  if (typeof message !== 'string') return errorOfAnswer(answer, () => null)
  return wireError(answer, { type: type === '' ? null : type, message }, { isOfWire: type !== '' })
}
