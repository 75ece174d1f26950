/** Finds what chat completions refuse. */
import { isRecord } from 'svc/toolkit'
import type { CheckedRequest, Engine, RouteValidation, ValidationRule } from '../../llm/types.ts'
import { CHAT_RULES } from './chat-rules.ts'
import { CHAT_MEMBERS, MESSAGE_MEMBERS, PART_MEMBERS, STREAM_OPTIONS, TOOL_MEMBERS } from './known-members.ts'
import {
  checkMembers,
  checkMetadata,
  checkName,
  checkParameters,
  checkRanges,
  checkSampling,
  checkSchema,
  type Range,
  type ReportShared,
} from './shared-checks.ts'

type Body = Readonly<Record<string, unknown>>

const MAX_TOOLS = 128
const MAX_STOPS = 4
const RANGES: Readonly<Record<string, Range>> = {
  temperature: { kind: 'decimal', min: 0, max: 2 },
  top_p: { kind: 'decimal', min: 0, max: 1 },
  frequency_penalty: { kind: 'decimal', min: -2, max: 2 },
  presence_penalty: { kind: 'decimal', min: -2, max: 2 },
  n: { kind: 'integer', min: 1, max: 128 },
  top_logprobs: { kind: 'integer', min: 0, max: 20 },
  max_tokens: { kind: 'integer', min: 1 },
  max_completion_tokens: { kind: 'integer', min: 1 },
}
const IMAGE = /^data:image\/(?:png|jpe?g|gif|webp)[;,]/i
/** Of a data URL that is checked. */
const MAX_PREFIX = 64

/** A variant of chat completions. */
export interface ChatVariant {
  flavour: string
  /** Default: those of OpenAI. */
  rules?: readonly ValidationRule[]
  /** Members that OpenAI does not have. Default: none. */
  members?: { body: readonly string[]; message: readonly string[] }
  /** Unknown members and `strict` are ignored, and no model has parameters of its own. */
  isLenient?: boolean
}

export function chatValidation(
  engine: Engine,
  { flavour, rules = CHAT_RULES, members, isLenient = false }: ChatVariant,
): RouteValidation {
  const ofBody = members === undefined ? CHAT_MEMBERS : new Set([...CHAT_MEMBERS, ...members.body])
  const ofMessage = members === undefined ? MESSAGE_MEMBERS : new Set([...MESSAGE_MEMBERS, ...members.message])
  return {
    flavour,
    rules,
    check(request, report) {
      const { body } = request
      const reportShared: ReportShared = (name, at, values) => report(`openai.${name}`, at, values)
      if (!isLenient) {
        checkMembers(body, ofBody, '', request, reportShared)
        if (isRecord(body.stream_options))
          checkMembers(body.stream_options, STREAM_OPTIONS, 'stream_options', request, reportShared)
      }
      checkMessages(request, isLenient ? null : ofMessage, reportShared)
      checkTools(engine, request, isLenient, reportShared)
      checkParametersOf(body, reportShared)
      checkFormat(engine, request, isLenient, reportShared)
      // Azure has the model in the path.
      const model = request.params.deployment ?? body.model
      if (model === undefined) reportShared('model-missing', 'model')
      if (!isLenient) checkModel(engine, body, model, reportShared)
      checkTurns(body, reportShared)
    },
  }
}

/** `known`: members of messages; null: unknown ones are ignored. */
function checkMessages(request: CheckedRequest, known: ReadonlySet<string> | null, report: ReportShared): void {
  const { messages } = request.body
  if (!Array.isArray(messages)) return
  messages.forEach((message: unknown, index) => {
    if (!isRecord(message)) return
    const path = `messages[${index}]`
    if (known !== null) checkMembers(message, known, path, request, report)
    if (lacksContent(message)) report('message-content', `messages.[${index}].content`)
    if (Array.isArray(message.content))
      message.content.forEach((part: unknown, place) => {
        if (isRecord(part)) checkPart(part, `${path}.content[${place}]`, request, known === null, report)
      })
    if (Array.isArray(message.tool_calls))
      message.tool_calls.forEach((call: unknown, place) => {
        const called = isRecord(call) ? call.function : undefined
        if (isRecord(called) && isRecord(called.arguments))
          report('arguments-text', `${path}.tool_calls[${place}].function.arguments`)
      })
  })
}

const NEEDS_CONTENT = new Set(['system', 'developer', 'user', 'tool'])

function lacksContent(message: Body): boolean {
  const { role, content } = message
  if (content !== undefined && content !== null) return false
  if (typeof role === 'string' && NEEDS_CONTENT.has(role)) return true
  return (
    role === 'assistant' &&
    ['tool_calls', 'function_call', 'refusal', 'audio'].every(
      name => message[name] === undefined || message[name] === null,
    )
  )
}

function checkPart(part: Body, path: string, request: CheckedRequest, isLenient: boolean, report: ReportShared): void {
  const known = typeof part.type === 'string' && Object.hasOwn(PART_MEMBERS, part.type) ? PART_MEMBERS[part.type] : null
  if (known != null && !isLenient) checkMembers(part, known, path, request, report)
  if (part.type !== 'image_url') return
  if (typeof part.image_url === 'string') return report('image-object', `${path}.image_url`)
  const url = isRecord(part.image_url) ? part.image_url.url : undefined
  if (typeof url === 'string' && url.startsWith('data:') && !IMAGE.test(url.slice(0, MAX_PREFIX)))
    report('image-media', `${path}.image_url.url`)
}

function checkTools(engine: Engine, request: CheckedRequest, isLenient: boolean, report: ReportShared): void {
  const { body } = request
  const { tools } = body
  if (!Array.isArray(tools)) {
    if (body.functions !== undefined) return
    if (body.tool_choice != null && body.tool_choice !== 'none') report('choice-alone', 'tool_choice')
    if (body.parallel_tool_calls != null) report('parallel-alone', 'parallel_tool_calls')
    return
  }
  if (tools.length > MAX_TOOLS) report('tools-max', 'tools', { max: MAX_TOOLS, n: tools.length })
  tools.forEach((tool: unknown, index) => {
    if (!isRecord(tool)) return
    const path = `tools[${index}]`
    if (!isLenient) checkMembers(tool, TOOL_MEMBERS, path, request, report)
    const { function: called } = tool
    if (!isRecord(called)) return
    checkName(called.name, `${path}.function.name`, report)
    checkParameters(
      engine,
      request,
      {
        parameters: called.parameters,
        name: called.name,
        at: `${path}.function.parameters`,
        isStrict: called.strict === true && !isLenient,
      },
      report,
    )
  })
}

function checkParametersOf(body: Body, report: ReportShared): void {
  if (Array.isArray(body.stop) && body.stop.length > MAX_STOPS)
    report('stop-max', 'stop', { max: MAX_STOPS, n: body.stop.length })
  checkRanges(body, RANGES, report)
  checkMetadata(body, report)
  if (body.stream_options != null && body.stream !== true) report('stream-options', 'stream_options')
  if (typeof body.top_logprobs === 'number' && body.logprobs !== true) report('logprobs-pair', 'top_logprobs')
}

function checkFormat(engine: Engine, request: CheckedRequest, isLenient: boolean, report: ReportShared): void {
  const { response_format: format, messages } = request.body
  if (!isRecord(format)) return
  if (format.type === 'json_object' && Array.isArray(messages) && !messages.some(mentionsJson))
    report('json-word', 'messages')
  const given = format.json_schema
  if (isLenient) return
  if (format.type === 'json_schema' && isRecord(given) && given.strict === true)
    checkSchema(
      engine,
      request,
      {
        schema: given.schema,
        name: given.name,
        of: 'response_format',
        at: 'response_format',
        isStrict: true,
        strictRule: 'schema-format',
      },
      report,
    )
}

function mentionsJson(message: unknown): boolean {
  const content = isRecord(message) ? message.content : undefined
  const texts = Array.isArray(content) ? content.map(part => (isRecord(part) ? part.text : part)) : [content]
  return texts.some(text => typeof text === 'string' && text.toLowerCase().includes('json'))
}

function checkModel(engine: Engine, body: Body, given: unknown, report: ReportShared): void {
  const model = typeof given === 'string' ? given : undefined
  const classes = engine.modelClasses(model)
  if (body.max_tokens != null && body.max_completion_tokens != null) report('max-both', 'max_tokens')
  if (body.web_search_options != null && model?.includes('search') === false) report('web-search', 'web_search_options')
  if (classes.length === 0) return
  if (body.max_tokens != null && !classes.includes('plain')) report('max-tokens-reasoning', 'max_tokens')
  checkSampling(body, classes, body.reasoning_effort, report)
  if (body.stop != null && /(?:^|\/)(?:o3|o4-mini)/.test(model!)) report('stop-reasoning', 'stop')
  if (body.reasoning_effort != null && classes.includes('plain')) report('effort-plain', 'reasoning_effort')
}

/** The calls of an assistant message that wait for their results. */
interface OpenCalls {
  index: number
  /** The place of the result, by the id of the call; null: there is none yet. */
  results: Map<string, number | null>
}

function checkTurns({ messages }: Body, report: ReportShared): void {
  if (!Array.isArray(messages)) return
  let open: OpenCalls | null = null
  messages.forEach((message: unknown, index) => {
    if (!isRecord(message)) return
    if (message.role === 'tool') {
      checkResult(message.tool_call_id, index, open, report)
      return
    }
    if (open !== null) checkAnswered(open, index, report)
    open = message.role === 'assistant' ? callsOf(message, index) : null
  })
  if (open !== null) checkAnswered(open, (open as OpenCalls).index, report)
}

function callsOf(message: Body, index: number): OpenCalls | null {
  if (!Array.isArray(message.tool_calls)) return null
  const ids = message.tool_calls.flatMap((call: unknown) =>
    isRecord(call) && typeof call.id === 'string' ? [[call.id, null] as const] : [],
  )
  return ids.length === 0 ? null : { index, results: new Map(ids) }
}

function checkResult(id: unknown, index: number, open: OpenCalls | null, report: ReportShared): void {
  const first = typeof id === 'string' ? open?.results.get(id) : undefined
  if (first === undefined) return report('tool-orphan', `messages.[${index}].role`)
  if (first !== null)
    return report('result-twice', `messages.[${index}].tool_call_id`, { id: id as string, first, second: index })
  open!.results.set(id as string, index)
}

function checkAnswered({ results }: OpenCalls, index: number, report: ReportShared): void {
  const missing = [...results].filter(([, result]) => result === null).map(([id]) => id)
  if (missing.length > 0) report('tool-unanswered', `messages.[${index}].role`, { ids: missing.join(', ') })
}
