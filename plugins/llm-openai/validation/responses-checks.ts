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
type Item = Body & { index: number }

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
  /** Unknown members are ignored, and no model has parameters of its own. */
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
      for (const name in MOVED) if (body[name] !== undefined) reportShared('moved-field', name, { new: MOVED[name]! })
      if (body.model === undefined && body.prompt === undefined) reportShared('model-missing', 'model')
      checkTools(engine, request, reportShared)
      checkParametersOf(engine, request, reportShared)
      if (!isLenient) checkModel(engine, body, reportShared)
      checkItems(body, isIssued, reportShared)
    },
  }
}

function checkTools(engine: Engine, request: CheckedRequest, report: ReportShared): void {
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
        name: String(tool.name),
        at: `tools[${index}].parameters`,
        isStrict: tool.strict === true,
      },
      report,
    )
  })
}

function checkParametersOf(engine: Engine, request: CheckedRequest, report: ReportShared): void {
  const { body } = request
  checkRanges(body, RANGES, report)
  checkRanges(body, MIN_OUTPUT, report, 'max-output')
  checkMetadata(body, report)
  if (body.stream_options != null && body.stream !== true) report('stream-options', 'stream_options')
  const format = isRecord(body.text) ? body.text.format : undefined
  if (isRecord(format) && format.type === 'json_schema' && format.strict === true)
    checkSchema(
      engine,
      request,
      {
        schema: format.schema,
        name: String(format.name),
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
  const items = body.input.flatMap((item: unknown, index): Item[] => (isRecord(item) ? [{ ...item, index }] : []))
  const ids = new Set<string>()
  for (const item of items) {
    checkItem(item, report)
    if (typeof item.id === 'string') {
      if (ids.has(item.id)) report('item-duplicate', `input[${item.index}]`, { id: item.id })
      ids.add(item.id)
    }
    if (item.type === 'reasoning') checkReasoning(item, items, isIssued, report)
  }
  const isContinued = body.previous_response_id != null || body.conversation != null
  checkCalls(items, isContinued, report)
}

function checkItem({ index, ...item }: Item, report: ReportShared): void {
  const type = typeof item.type === 'string' ? item.type : item.role === undefined ? '' : 'message'
  const prefix = Object.hasOwn(PREFIXES, type) ? PREFIXES[type] : undefined
  if (prefix !== undefined && typeof item.id === 'string' && !item.id.startsWith(prefix))
    report('item-id', `input[${index}].id`, { id: item.id, prefix })
  if (type !== 'message' || !Array.isArray(item.content)) return
  item.content.forEach((part: unknown, place) => {
    const kind = isRecord(part) && typeof part.type === 'string' ? part.type : ''
    const at = `input[${index}].content[${place}]`
    if (item.role === 'assistant' && INPUT_PARTS.has(kind)) report('content-kind', at, { form: 'output', type: kind })
    if (NOT_ASSISTANT.has(String(item.role)) && kind === 'output_text') report('content-kind', at, { type: kind })
  })
}

/** Characters of an encrypted content that the error shows of its beginning and of its end. */
const SHOWN = 4

function checkReasoning(
  item: Item,
  items: readonly Item[],
  isIssued: ResponsesVariant['isIssued'],
  report: ReportShared,
): void {
  const at = `input[${item.index}]`
  const next = items.find(other => other.index > item.index && other.type !== 'reasoning')
  const isAlone = next === undefined || OUTPUTS.has(String(next.type)) || NOT_ASSISTANT.has(String(next.role))
  if (isAlone && typeof item.id === 'string') report('reasoning-alone', at, { id: item.id })
  const { encrypted_content: content } = item
  if (typeof content === 'string' && isIssued(content) === false)
    report('encrypted', at, { start: content.slice(0, SHOWN), end: content.slice(-SHOWN) })
}

function checkCalls(items: readonly Item[], isContinued: boolean, report: ReportShared): void {
  const idOf = (item: Item): string | null => (typeof item.call_id === 'string' ? item.call_id : null)
  const outputs = new Map<string, number>()
  const calls = new Set<string>()
  for (const item of items) {
    const id = idOf(item)
    if (id === null) continue
    if (OUTPUTS.has(String(item.type))) outputs.set(id, item.index)
    else calls.add(id)
  }
  const hasReferences = items.some(({ type }) => type === 'item_reference')
  for (const item of items) {
    const id = idOf(item)
    if (id === null) continue
    if (item.type === 'function_call_output' && !calls.has(id) && !isContinued && !hasReferences)
      report('output-orphan', `input[${item.index}]`, { id })
    if (item.type === 'function_call' && (outputs.get(id) ?? -1) < item.index)
      report('call-unanswered', `input[${item.index}]`, { id })
  }
}
