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

const ACTION = /^(?:converse|converse-stream|count-tokens)$/
const MAX_MODEL = 2000

/** Model and action of a path; null for others. Ids of models may be ARNs with slashes. */
function routeOf(path: string): { model: string; action: string } | null {
  const start = path.indexOf('/model/')
  const end = path.lastIndexOf('/')
  const model = start === -1 ? '' : path.slice(start + '/model/'.length, end)
  const action = path.slice(end + 1)
  return model !== '' && model.length <= MAX_MODEL && ACTION.test(action) ? { model, action } : null
}

const modelPath = (model: string, action: string): string => `/model/${encodeURIComponent(model)}/${action}`

export const CONVERSE: Wire = {
  id: 'converse',
  base: '/ai/bedrock',
  matches(method, target) {
    const route = routeOf(pathOf(target))
    if (method !== 'POST' || route === null) return null
    return route.action === 'count-tokens' ? 'count' : 'generate'
  },
  writeRequest: (request, { model, stream }) =>
    jsonRequest(modelPath(model, stream ? 'converse-stream' : 'converse'), writeConverse(request)),
  readRequest(request) {
    const { model = null, action = null } = routeOf(pathOf(request.path)) ?? {}
    const body = bodyOf(request)
    const prompt = action === 'count-tokens' ? (member(body, 'input', 'converse') ?? body) : body
    return {
      ...readConverse(prompt),
      model: model === null ? null : decoded(model),
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
