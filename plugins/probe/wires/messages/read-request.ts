/** Reads requests of the Messages API. */
import { addParts, effortOf, emptyRequest, paramsOf, readClaudeThinking } from '../neutral.ts'
import type {
  Choice,
  Format,
  MediaSource,
  Params,
  Part,
  Problem,
  Request,
  SystemText,
  Thinking,
  Tool,
} from '../types.ts'
import { firstOf, listOf, member, membersOf, textOf, type Members } from '../values.ts'

/** `model` is in the body, but not on every platform. */
export function readMessages(body: unknown): Request {
  const given = membersOf(body)
  const request = emptyRequest()
  request.model = textOf(given.model)
  request.stream = given.stream === true
  request.system = readSystem(given.system, 0)
  for (const [index, message] of listOf(given.messages).entries()) {
    const { role, content } = membersOf(message)
    if (role === 'system') request.system.push(...readSystem(content, request.turns.length))
    else if (role === 'user' || role === 'assistant')
      addParts(request.turns, role, readBlocks(content, `/messages/${index}/content`, request.problems))
    else request.problems.push({ at: `/messages/${index}/role`, text: 'an unknown role' })
  }
  request.tools = listOf(given.tools).map(readTool)
  request.choice = readChoice(given.tool_choice)
  const isSingle = member(given.tool_choice, 'disable_parallel_tool_use')
  request.parallel = typeof isSingle === 'boolean' ? !isSingle : null
  request.params = readParams(given)
  request.thinking = readThinking(given)
  request.format = readFormat(firstOf(member(given.output_config, 'format'), given.output_format))
  request.user = textOf(member(given.metadata, 'user_id'))
  return request
}

/** A text, or a list of blocks. */
function readSystem(system: unknown, after: number): SystemText[] {
  if (typeof system === 'string') return system === '' ? [] : [{ text: system, after }]
  return listOf(system).flatMap(block => {
    const text = textOf(member(block, 'text'))
    const mark = markOf(block)
    return text === null ? [] : [{ text, after, ...(mark === undefined ? {} : { mark }) }]
  })
}

/** A mark without a lifetime lasts five minutes. */
function markOf(block: unknown): string | undefined {
  const control = member(block, 'cache_control')
  return control === undefined || control === null ? undefined : (textOf(member(control, 'ttl')) ?? '5m')
}

/** A text, or a list of blocks, of a request or a reply. */
export function readBlocks(content: unknown, at: string, problems: Problem[]): Part[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }]
  return listOf(content).flatMap((block, index) => readBlock(membersOf(block), `${at}/${index}`, problems))
}

/** Tools that run at the vendor, and their results. */
const OTHERS = /^(?:server_tool_use|mcp_tool_use|\w{1,60}_tool_result|container_upload|compaction|search_result)$/

function readBlock(block: Members, at: string, problems: Problem[]): Part[] {
  const given = markOf(block)
  const mark = given === undefined ? {} : { mark: given }
  switch (block.type) {
    case 'text':
      return [{ type: 'text', text: textOf(block.text) ?? '', ...mark }]
    case 'image':
      return [{ type: 'image', ...readSource(block.source), ...mark }]
    case 'document':
      return [{ type: 'file', ...readSource(block.source), name: textOf(block.title), ...mark }]
    case 'tool_use':
      return [{ type: 'call', id: textOf(block.id), name: textOf(block.name) ?? '', args: block.input ?? {}, ...mark }]
    case 'tool_result':
      return [
        {
          type: 'result',
          id: textOf(block.tool_use_id),
          name: null,
          parts: readBlocks(block.content, `${at}/content`, problems),
          error: block.is_error === true,
          ...mark,
        },
      ]
    case 'thinking': {
      const signature = textOf(block.signature)
      return [{ type: 'thinking', text: textOf(block.thinking) ?? '', signature: signature === '' ? null : signature }]
    }
    case 'redacted_thinking':
      return [{ type: 'redacted', data: textOf(block.data) ?? '' }]
    default:
      if (typeof block.type === 'string' && OTHERS.test(block.type))
        return [{ type: 'other', name: block.type, value: block }]
      problems.push({ at, text: 'an unknown block' })
      return []
  }
}

function readSource(source: unknown): MediaSource {
  const { type, media_type, data, url, file_id } = membersOf(source)
  const text = type === 'text' ? Buffer.from(textOf(data) ?? '').toString('base64') : textOf(data)
  return { mediaType: textOf(media_type), data: text, url: textOf(url), id: textOf(file_id) }
}

function readTool(tool: unknown): Tool {
  const { name, description, input_schema, strict, type } = membersOf(tool)
  const mark = markOf(tool)
  const vendor = typeof type === 'string' && type !== 'custom' ? { vendor: type } : {}
  return {
    name: textOf(name) ?? '',
    description: textOf(description),
    schema: input_schema ?? null,
    ...(strict === true ? { strict: true } : {}),
    ...vendor,
    ...(mark === undefined ? {} : { mark }),
  }
}

function readChoice(choice: unknown): Choice | null {
  const { type, name } = membersOf(choice)
  if (type === 'auto' || type === 'none') return { type }
  if (type === 'any') return { type: 'required' }
  return type === 'tool' ? { type: 'tool', name: textOf(name) ?? '' } : null
}

function readParams(given: Members): Params {
  return paramsOf({
    max_tokens: given.max_tokens,
    temperature: given.temperature,
    top_p: given.top_p,
    top_k: given.top_k,
    stop: given.stop_sequences,
  })
}

function readThinking({ thinking, output_config }: Members): Thinking | null {
  return readClaudeThinking(thinking, effortOf(textOf(member(output_config, 'effort'))))
}

function readFormat(format: unknown): Format | null {
  const { type, schema } = membersOf(format)
  return type === 'json_schema' ? { type: 'schema', name: null, schema: schema ?? null } : null
}
