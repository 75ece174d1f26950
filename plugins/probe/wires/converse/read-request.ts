/** Reads requests of Converse. */
import { addParts, effortOf, emptyRequest, paramsOf, readClaudeThinking } from '../neutral.ts'
import type { Choice, Format, Lifetime, Params, Part, Problem, Request, Thinking, Tool } from '../types.ts'
import { firstOf, listOf, member, membersOf, parseJson, textOf, type Members } from '../values.ts'

export function readConverse(body: unknown): Request {
  const given = membersOf(body)
  const request = emptyRequest()
  for (const block of listOf(given.system)) {
    const text = firstOf(member(block, 'text'), member(block, 'guardContent', 'text', 'text'))
    if (typeof text === 'string') request.system.push({ text, after: 0 })
    else markLast(request.system, block)
  }
  for (const [index, message] of listOf(given.messages).entries()) {
    const { role, content } = membersOf(message)
    if (role === 'user' || role === 'assistant')
      addParts(request.turns, role, readBlocks(content, `/messages/${index}/content`, request.problems))
    else request.problems.push({ at: `/messages/${index}/role`, text: 'an unknown role' })
  }
  for (const tool of listOf(member(given.toolConfig, 'tools'))) {
    const spec = member(tool, 'toolSpec')
    if (spec !== undefined) request.tools.push(readTool(spec))
    else if (member(tool, 'cachePoint') === undefined) request.tools.push(vendorTool(tool))
    else markLast(request.tools, tool)
  }
  request.choice = readChoice(member(given.toolConfig, 'toolChoice'))
  request.params = readParams(membersOf(given.inferenceConfig), membersOf(given.additionalModelRequestFields))
  request.thinking = readThinking(membersOf(given.additionalModelRequestFields))
  request.format = readFormat(given)
  return request
}

/** Without a lifetime a point lasts five minutes. */
function markOf(block: unknown): Lifetime | undefined {
  const point = member(block, 'cachePoint')
  return point === undefined ? undefined : (textOf(member(point, 'ttl')) ?? '5m')
}

function markLast(blocks: { mark?: Lifetime }[], block: unknown): void {
  const last = blocks.at(-1)
  const mark = markOf(block)
  if (last !== undefined && mark !== undefined) last.mark = mark
}

/** The blocks of a request or a reply. */
export function readBlocks(content: unknown, at: string, problems: Problem[]): Part[] {
  const parts: Part[] = []
  for (const [index, block] of listOf(content).entries())
    if (markOf(block) !== undefined) markLast(parts as { mark?: Lifetime }[], block)
    else parts.push(...readBlock(membersOf(block), `${at}/${index}`, problems))
  return parts
}

const EXTENSIONS: Readonly<Record<string, string>> = {
  txt: 'text/plain',
  md: 'text/markdown',
  html: 'text/html',
  csv: 'text/csv',
}

function readBlock(block: Members, at: string, problems: Problem[]): Part[] {
  const guarded = textOf(member(block.guardContent, 'text', 'text'))
  const text = textOf(block.text) ?? guarded
  if (text !== null) return [{ type: 'text', text }]
  if (block.json !== undefined) return [{ type: 'text', text: JSON.stringify(block.json) }]
  if (block.image !== undefined) {
    const { format, source } = membersOf(block.image)
    return [{ type: 'image', mediaType: `image/${String(format)}`, ...sourceOf(source) }]
  }
  if (block.document !== undefined) {
    const { format, name, source } = membersOf(block.document)
    const type = EXTENSIONS[String(format)] ?? `application/${String(format)}`
    return [{ type: 'file', mediaType: type, name: textOf(name), ...sourceOf(source) }]
  }
  if (block.toolUse !== undefined) {
    const { toolUseId, name, input } = membersOf(block.toolUse)
    return [{ type: 'call', id: textOf(toolUseId), name: textOf(name) ?? '', args: input ?? {} }]
  }
  if (block.toolResult !== undefined) {
    const { toolUseId, content, status } = membersOf(block.toolResult)
    const parts = readBlocks(content, `${at}/toolResult/content`, problems)
    return [{ type: 'result', id: textOf(toolUseId), name: null, parts, error: status === 'error' }]
  }
  if (block.reasoningContent !== undefined) return readReasoning(block.reasoningContent)
  problems.push({ at, text: 'an unknown block' })
  return []
}

function readReasoning(content: unknown): Part[] {
  const redacted = textOf(member(content, 'redactedContent'))
  if (redacted !== null) return [{ type: 'redacted', data: redacted }]
  const { text, signature } = membersOf(member(content, 'reasoningText'))
  return [{ type: 'thinking', text: textOf(text) ?? '', signature: textOf(signature) }]
}

function sourceOf(source: unknown): { data: string | null; url: string | null; id: null } {
  const text = textOf(member(source, 'text'))
  const data = text === null ? textOf(member(source, 'bytes')) : Buffer.from(text).toString('base64')
  return { data, url: textOf(member(source, 's3Location', 'uri')), id: null }
}

function readTool(spec: unknown): Tool {
  const { name, description, inputSchema, strict } = membersOf(spec)
  return {
    name: textOf(name) ?? '',
    description: textOf(description),
    schema: member(inputSchema, 'json') ?? null,
    ...(strict === true ? { strict: true } : {}),
  }
}

function vendorTool(tool: unknown): Tool {
  const name = textOf(member(tool, 'systemTool', 'name')) ?? Object.keys(membersOf(tool))[0] ?? ''
  return { name, description: null, schema: null, vendor: name }
}

function readChoice(choice: unknown): Choice | null {
  const name = textOf(member(choice, 'tool', 'name'))
  if (name !== null) return { type: 'tool', name }
  if (member(choice, 'any') !== undefined) return { type: 'required' }
  return member(choice, 'auto') === undefined ? null : { type: 'auto' }
}

function readParams(config: Members, own: Members): Params {
  return paramsOf({
    max_tokens: firstOf(config.maxTokens, own.max_tokens),
    temperature: config.temperature,
    top_p: config.topP,
    top_k: firstOf(own.top_k, member(own.inferenceConfig, 'topK')),
    stop: config.stopSequences,
  })
}

/** In the words of the model: Claude's, or those of Nova and GPT. */
function readThinking(own: Members): Thinking | null {
  const effort = effortOf(
    textOf(
      firstOf(
        member(own.output_config, 'effort'),
        own.reasoning_effort,
        member(own.reasoningConfig, 'maxReasoningEffort'),
      ),
    ),
  )
  return readClaudeThinking(firstOf(own.thinking, own.reasoning_config), effort)
}

function readFormat({ outputConfig, additionalModelRequestFields: own }: Members): Format | null {
  const { name, schema } = membersOf(member(outputConfig, 'textFormat', 'structure', 'jsonSchema'))
  if (schema !== undefined)
    return { type: 'schema', name: textOf(name), schema: typeof schema === 'string' ? parseJson(schema) : schema }
  const format = firstOf(member(own, 'output_config', 'format'), member(own, 'output_format'))
  if (member(format, 'type') !== 'json_schema') return null
  return { type: 'schema', name: null, schema: member(format, 'schema') ?? null }
}
