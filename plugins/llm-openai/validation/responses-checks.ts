/** Finds what responses refuse. */
import { isRecord } from 'svc/toolkit'
import type { CheckedRequest, Engine, RouteValidation, ValidationRule } from '../../llm/types.ts'
import { RESPONSES_MEMBERS, STREAM_OPTIONS } from './known-members.ts'
import { RESPONSES_RULES } from './responses-rules.ts'
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
/** An item of the input, with its place. */
interface Item {
  item: Body
  index: number
}

const RANGES: Readonly<Record<string, Range>> = {
  temperature: { kind: 'decimal', min: 0, max: 2 },
  top_p: { kind: 'decimal', min: 0, max: 1 },
  top_logprobs: { kind: 'integer', min: 0, max: 20 },
}
const MIN_OUTPUT: Readonly<Record<string, Range>> = { max_output_tokens: { kind: 'integer', min: 16 } }
/** Parameters of chat completions, and their names here. */
const MOVED: Readonly<Record<string, string>> = {
  messages: 'input',
  max_completion_tokens: 'max_output_tokens',
  response_format: 'text.format',
  reasoning_effort: 'reasoning.effort',
}
const KNOWN: ReadonlySet<string> = new Set([...RESPONSES_MEMBERS, ...Object.keys(MOVED)])
const PREFIXES: Readonly<Record<string, string>> = { message: 'msg', function_call: 'fc', reasoning: 'rs' }
const OUTPUTS = new Set(['function_call_output', 'custom_tool_call_output'])
const INPUT_PARTS = new Set(['input_text', 'input_image', 'input_file'])
const NOT_ASSISTANT = new Set(['user', 'system', 'developer'])

/** A variant of responses. */
export interface ResponsesVariant {
  flavour: string
  /** Default: those of OpenAI. */
  rules?: readonly ValidationRule[]
  /** Unknown members and `strict` are ignored, and no model has parameters of its own. */
  isLenient?: boolean
  /** Whether this server issued an encrypted content; undefined: not known yet. */
  isIssued(content: string): boolean | undefined
}

export function responsesValidation(
  engine: Engine,
  { flavour, rules = RESPONSES_RULES, isLenient = false, isIssued }: ResponsesVariant,
): RouteValidation {
  return {
    flavour,
    rules,
    check(request, report) {
      const { body } = request
      const reportShared: ReportShared = (name, at, values) => report(`responses.${name}`, at, values)
      if (!isLenient) {
        checkMembers(body, KNOWN, '', request, reportShared)
        if (isRecord(body.stream_options))
          checkMembers(body.stream_options, STREAM_OPTIONS, 'stream_options', request, reportShared)
      }
      for (const name in MOVED) if (body[name] != null) reportShared('moved-field', name, { new: MOVED[name]! })
      if (body.model === undefined && body.prompt === undefined) reportShared('model-missing', 'model')
      checkTools(engine, request, isLenient, reportShared)
      checkParametersOf(engine, request, isLenient, reportShared)
      if (!isLenient) checkModel(engine, body, reportShared)
      checkItems(body, isIssued, reportShared)
    },
  }
}

function checkTools(engine: Engine, request: CheckedRequest, isLenient: boolean, report: ReportShared): void {
  const { tools } = request.body
  if (!Array.isArray(tools)) return
  tools.forEach((tool: unknown, index) => {
    if (!isRecord(tool) || tool.type !== 'function') return
    if (tool.name === undefined) return report('tool-nested', `tools[${index}].name`)
    checkName(tool.name, `tools[${index}].name`, report)
    checkParameters(
      engine,
      request,
      {
        parameters: tool.parameters,
        name: tool.name,
        at: `tools[${index}].parameters`,
        isStrict: tool.strict === true && !isLenient,
      },
      report,
    )
  })
}

function checkParametersOf(engine: Engine, request: CheckedRequest, isLenient: boolean, report: ReportShared): void {
  const { body } = request
  checkRanges(body, RANGES, report)
  checkRanges(body, MIN_OUTPUT, report, 'max-output')
  checkMetadata(body, report)
  if (body.stream_options != null && body.stream !== true) report('stream-options', 'stream_options')
  const format = isRecord(body.text) ? body.text.format : undefined
  if (!isLenient && isRecord(format) && format.type === 'json_schema' && format.strict === true)
    checkSchema(
      engine,
      request,
      {
        schema: format.schema,
        name: format.name,
        of: 'response_format',
        at: 'text.format.schema',
        isStrict: true,
        strictRule: 'schema-format',
      },
      report,
    )
}

function checkModel(engine: Engine, body: Body, report: ReportShared): void {
  const effort = isRecord(body.reasoning) ? body.reasoning.effort : undefined
  const classes = engine.modelClasses(typeof body.model === 'string' ? body.model : undefined)
  checkSampling(body, classes, effort, report)
  if (effort != null && classes.includes('plain')) report('reasoning-plain', 'reasoning.effort')
}

function checkItems(body: Body, isIssued: ResponsesVariant['isIssued'], report: ReportShared): void {
  if (!Array.isArray(body.input)) return
  const items = body.input.flatMap((item: unknown, index): Item[] => (isRecord(item) ? [{ item, index }] : []))
  const ids = new Set<string>()
  for (const { item, index } of items) {
    checkItem(item, index, report)
    if (typeof item.id === 'string') {
      if (ids.has(item.id)) report('item-duplicate', `input[${index}]`, { id: item.id })
      ids.add(item.id)
    }
    if (item.type === 'reasoning') checkEncrypted(item, index, isIssued, report)
  }
  checkReasoning(items, report)
  const isContinued = body.previous_response_id != null || body.conversation != null
  checkCalls(items, isContinued, report)
}

function checkItem(item: Body, index: number, report: ReportShared): void {
  const type = typeof item.type === 'string' ? item.type : item.role === undefined ? '' : 'message'
  const prefix = Object.hasOwn(PREFIXES, type) ? PREFIXES[type] : undefined
  if (prefix !== undefined && typeof item.id === 'string' && !item.id.startsWith(prefix))
    report('item-id', `input[${index}].id`, { id: item.id, prefix })
  if (type !== 'message' || !Array.isArray(item.content)) return
  item.content.forEach((part: unknown, place) => {
    const kind = isRecord(part) && typeof part.type === 'string' ? part.type : ''
    const at = `input[${index}].content[${place}]`
    if (item.role === 'assistant' && INPUT_PARTS.has(kind)) report('content-kind', at, { form: 'output', type: kind })
    if (isNotAssistant(item.role) && kind === 'output_text') report('content-kind', at, { type: kind })
  })
}

function isNotAssistant(role: unknown): boolean {
  return typeof role === 'string' && NOT_ASSISTANT.has(role)
}

/** Characters of an encrypted content that the error shows of its beginning and of its end. */
const SHOWN = 4

function checkEncrypted(
  { encrypted_content: content }: Body,
  index: number,
  isIssued: ResponsesVariant['isIssued'],
  report: ReportShared,
): void {
  if (typeof content === 'string' && isIssued(content) === false)
    report('encrypted', `input[${index}]`, { start: content.slice(0, SHOWN), end: content.slice(-SHOWN) })
}

/** What the model reasoned belongs to what it did next. */
function checkReasoning(items: readonly Item[], report: ReportShared): void {
  let waiting: Item[] = []
  for (const { item, index } of items) {
    if (item.type === 'reasoning') {
      waiting.push({ item, index })
      continue
    }
    if (isOutput(item) || isNotAssistant(item.role)) reportAlone(waiting, report)
    waiting = []
  }
  reportAlone(waiting, report)
}

function reportAlone(items: readonly Item[], report: ReportShared): void {
  for (const { item, index } of items)
    if (typeof item.id === 'string') report('reasoning-alone', `input[${index}]`, { id: item.id })
}

function isOutput({ type }: Body): boolean {
  return typeof type === 'string' && OUTPUTS.has(type)
}

function checkCalls(items: readonly Item[], isContinued: boolean, report: ReportShared): void {
  const idOf = ({ call_id: id }: Body): string | null => (typeof id === 'string' ? id : null)
  const outputs = new Map<string, number>()
  const calls = new Set<string>()
  for (const { item, index } of items) {
    const id = idOf(item)
    if (id === null) continue
    if (isOutput(item)) outputs.set(id, index)
    else calls.add(id)
  }
  const hasReferences = items.some(({ item }) => item.type === 'item_reference')
  for (const { item, index } of items) {
    const id = idOf(item)
    if (id === null) continue
    if (item.type === 'function_call_output' && !calls.has(id) && !isContinued && !hasReferences)
      report('output-orphan', `input[${index}]`, { id })
    if (item.type === 'function_call' && (outputs.get(id) ?? -1) < index)
      report('call-unanswered', `input[${index}]`, { id })
  }
}
