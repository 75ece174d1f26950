/** Finds what Converse refuses. */
import { isRecord } from 'svc/toolkit'
import type { Report, RouteValidation } from '../../llm/types.ts'
import { checkClaude, claudeRules, isClaude } from './claude.ts'
import { CONVERSE_RULES } from './rules.ts'

type Body = Readonly<Record<string, unknown>>

const NAME = /^[a-zA-Z0-9_-]+$/
const MAX_NAME = 64
const IMAGES = ['png', 'jpeg', 'gif', 'webp']
const DOCUMENTS = ['pdf', 'csv', 'doc', 'docx', 'xls', 'xlsx', 'html', 'txt', 'md']
const RANGES: readonly [name: string, min: number, max: number | null][] = [
  ['maxTokens', 1, null],
  ['temperature', 0, 1],
  ['topP', 0, 1],
]
/** Models that take no text with the results of tools. */
const SEPARATE = /(?:^|\.)(?:meta\.llama|mistral\.)/
const MAX_MODEL = 256

/** `messages`: the checks of the Messages API, for Claude. */
export function converseValidation(messages: RouteValidation | undefined): RouteValidation {
  return {
    flavour: 'bedrock-converse',
    rules: messages === undefined ? CONVERSE_RULES : [...CONVERSE_RULES, ...claudeRules(messages)],
    ...(messages?.lists === undefined ? {} : { lists: messages.lists }),
    check(request, report) {
      const { body, params } = request
      const model = (params.modelId ?? '').slice(0, MAX_MODEL)
      checkConfig(body, report)
      checkTools(body, model, report)
      const list = Array.isArray(body.messages) ? body.messages.map(message => (isRecord(message) ? message : {})) : []
      list.forEach((message, index) => checkContent(message, index, model, report))
      checkConversation(list, body, model, report)
      if (messages !== undefined && isClaude(model)) checkClaude(messages, request, report)
    },
  }
}

/** The check of InvokeModel: only bodies of the Messages API have rules. */
export function invokeValidation(messages: RouteValidation | undefined): RouteValidation | undefined {
  if (messages === undefined) return undefined
  return {
    ...messages,
    check(request, report) {
      if (request.body.anthropic_version !== undefined) messages.check(request, report)
    },
  }
}

function checkConfig({ inferenceConfig: config }: Body, report: Report): void {
  if (!isRecord(config)) return
  for (const [name, min, max] of RANGES) {
    const value = config[name]
    if (typeof value !== 'number') continue
    const at = `inferenceConfig.${name}`
    if (value < min) report('converse.range', at, { form: 'below', value, min })
    else if (max !== null && value > max) report('converse.range', at, { value, max })
  }
}

function checkTools(body: Body, model: string, report: Report): void {
  const config = isRecord(body.toolConfig) ? body.toolConfig : {}
  const tools: unknown[] = Array.isArray(config.tools) ? config.tools : []
  tools.forEach((tool, index) => {
    const spec = isRecord(tool) ? tool.toolSpec : undefined
    if (!isRecord(spec)) return
    checkName(spec.name, `toolConfig.tools.${index + 1}.member.toolSpec.name`, report)
    const schema = isRecord(spec.inputSchema) ? spec.inputSchema.json : undefined
    if (isRecord(schema) && schema.type !== 'object')
      report('converse.schema-type', `toolConfig.tools.${index}.toolSpec.inputSchema.json`)
  })
  const more = isRecord(body.additionalModelRequestFields) ? body.additionalModelRequestFields.tool_choice : undefined
  if (isClaude(model) && isRecord(more) && more.type === undefined && config.toolChoice === undefined)
    report('converse.tool-choice-type', 'additionalModelRequestFields.tool_choice')
}

function checkName(name: unknown, at: string, report: Report): void {
  if (typeof name !== 'string') return
  if (name === '') report('converse.tool-name', at, { form: 'empty', value: name })
  else if (name.length > MAX_NAME) report('converse.tool-name', at, { form: 'long', value: name })
  else if (!NAME.test(name)) report('converse.tool-name', at, { value: name })
}

function checkContent({ content }: Body, index: number, model: string, report: Report): void {
  if (!Array.isArray(content)) return
  if (content.length === 0) report('converse.content-empty', `messages.${index}`)
  content.forEach((block: unknown, place) => {
    if (!isRecord(block)) return
    const at = `messages.${index}.content.${place}`
    if (typeof block.text === 'string' && block.text.trimStart() === '' && !isClaude(model))
      report('converse.text-blank', at)
    const member = `messages.${index + 1}.member.content.${place + 1}.member`
    checkFormat(block.image, `${member}.image.format`, IMAGES, report)
    checkFormat(block.document, `${member}.document.format`, DOCUMENTS, report)
    const { toolResult: result } = block
    if (isRecord(result) && result.status === 'error' && Array.isArray(result.content) && result.content.length === 0)
      report('converse.error-empty', `${at}.toolResult`)
  })
}

function checkFormat(media: unknown, at: string, values: readonly string[], report: Report): void {
  if (!isRecord(media) || typeof media.format !== 'string' || values.includes(media.format)) return
  report('converse.media', at, { value: media.format, values: values.join(', ') })
}

/** The ids of the blocks of a kind. */
function idsOf({ content }: Body, kind: 'toolUse' | 'toolResult'): unknown[] {
  if (!Array.isArray(content)) return []
  return content.flatMap(block => {
    const found: unknown = isRecord(block) ? block[kind] : undefined
    return isRecord(found) ? [found.toolUseId] : []
  })
}

function checkConversation(messages: readonly Body[], body: Body, model: string, report: Report): void {
  if (messages[0]?.role === 'assistant') report('converse.first-user', 'messages.0')
  let usesTools = false
  messages.forEach((message, index) => {
    const at = `messages.${index}`
    const previous = messages[index - 1]
    if (previous !== undefined && previous.role === message.role) report('converse.alternate', at)
    const calls = previous === undefined ? [] : idsOf(previous, 'toolUse')
    const results = idsOf(message, 'toolResult')
    const [called, answered] = [new Set(calls), new Set(results)]
    usesTools ||= results.length > 0 || idsOf(message, 'toolUse').length > 0
    const missing = calls.filter(id => !answered.has(id))
    if (missing.length > 0) report('converse.result-missing', at, { ids: missing.join(', ') })
    if (results.length > calls.length || results.some(id => !called.has(id))) report('converse.result-excess', at)
    if (results.length > 0 && SEPARATE.test(model) && hasText(message)) report('converse.mixed', at)
  })
  if (usesTools && body.toolConfig === undefined) report('converse.tool-config', 'toolConfig')
}

function hasText({ content }: Body): boolean {
  return Array.isArray(content) && content.some(block => isRecord(block) && typeof block.text === 'string')
}
