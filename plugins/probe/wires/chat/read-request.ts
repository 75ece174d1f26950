/** Reads chat completions, with what other servers and gateways write into them. */
import { addParts, effortOf, emptyRequest, paramsOf, readArguments, readUrl } from '../neutral.ts'
import type { CallPart, Choice, Format, Lifetime, Params, Part, Problem, Request, Thinking, Tool } from '../types.ts'
import { firstOf, listOf, member, membersOf, numberOf, textOf, type Members } from '../values.ts'
import { signatureOfCall, thinkingOf } from './own-members.ts'

export function readChat(body: unknown): Request {
  const request = emptyRequest()
  const given = membersOf(body)
  request.model = textOf(given.model)
  request.stream = given.stream === true
  for (const [index, message] of listOf(given.messages).entries())
    readMessage(membersOf(message), `/messages/${index}`, request)
  request.tools = listOf(given.tools).map(readTool)
  request.choice = readChoice(given.tool_choice)
  request.parallel = typeof given.parallel_tool_calls === 'boolean' ? given.parallel_tool_calls : null
  request.params = readParams(given)
  request.thinking = readThinking(given)
  request.format = readFormat(given.response_format)
  request.user = textOf(firstOf(given.user, given.safety_identifier))
  return request
}

function readMessage(message: Members, at: string, request: Request): void {
  const parts = readContent(message.content, at, request.problems)
  switch (message.role) {
    case 'system':
    case 'developer':
      for (const part of parts)
        if (part.type === 'text')
          request.system.push({
            text: part.text,
            after: request.turns.length,
            ...(message.role === 'developer' ? { isDeveloper: true } : {}),
            ...(part.mark === undefined ? {} : { mark: part.mark }),
          })
      return
    case 'tool':
    case 'function': {
      const mark = firstOf(markOf(message), ...parts.map(part => ('mark' in part ? part.mark : undefined)))
      return addParts(request.turns, 'user', [
        {
          type: 'result',
          id: textOf(message.tool_call_id),
          name: textOf(message.name),
          parts: parts.map(withoutMark),
          error: message.is_error === true,
          ...(typeof mark === 'string' ? { mark } : {}),
        },
      ])
    }
    case 'assistant':
      return addParts(request.turns, 'assistant', readAssistant(message, at, request.problems))
    case 'user':
      return addParts(request.turns, 'user', parts)
    default:
      request.problems.push({ at: `${at}/role`, text: 'an unknown role' })
  }
}

function withoutMark(part: Part): Part {
  if (!('mark' in part)) return part
  const { mark: _, ...rest } = part
  return rest as Part
}

/** The parts of an assistant message, in a request or a reply. */
export function readAssistant(message: Members, at: string, problems: Problem[]): Part[] {
  const parts = [...thinkingOf(message), ...readContent(message.content, at, problems)]
  const refusal = textOf(message.refusal)
  if (refusal !== null && refusal !== '') parts.push({ type: 'refusal', text: refusal })
  for (const [index, call] of listOf(message.tool_calls).entries())
    parts.push(readCall(call, `${at}/tool_calls/${index}`, problems))
  if (message.function_call !== undefined && message.function_call !== null)
    parts.push(readCall({ function: message.function_call }, `${at}/function_call`, problems))
  return parts
}

function readCall(call: unknown, at: string, problems: Problem[]): CallPart {
  const called = firstOf(member(call, 'function'), member(call, 'custom'))
  const given = firstOf(member(called, 'arguments'), member(called, 'input'))
  if (typeof given !== 'string' && given !== undefined)
    problems.push({ at: `${at}/function/arguments`, text: 'the arguments are not a text' })
  const id = textOf(member(call, 'id'))
  const signature = signatureOfCall(call)
  return {
    type: 'call',
    id: id === '' ? null : id,
    name: textOf(member(called, 'name')) ?? '',
    args: typeof given === 'string' ? readArguments(given, `${at}/function/arguments`, problems) : (given ?? {}),
    ...(signature === null ? {} : { signature }),
  }
}

/** A text, or a list of parts. */
function readContent(content: unknown, at: string, problems: Problem[]): Part[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }]
  return listOf(content).flatMap((part, index) => readPart(membersOf(part), `${at}/content/${index}`, problems))
}

function readPart(part: Members, at: string, problems: Problem[]): Part[] {
  const marked = markOf(part)
  const mark = marked === undefined ? {} : { mark: marked }
  switch (part.type) {
    case 'text':
      return [{ type: 'text', text: textOf(part.text) ?? '', ...mark }]
    case 'refusal':
      return [{ type: 'refusal', text: textOf(part.refusal) ?? '' }]
    case 'image_url': {
      const url = textOf(part.image_url) ?? textOf(member(part.image_url, 'url')) ?? ''
      return [{ type: 'image', ...readUrl(url), ...mark }]
    }
    case 'file': {
      const { filename, file_data, file_id, format } = membersOf(part.file)
      const id = textOf(file_id)
      // Gateways take a URL as the id of a file.
      const source = readUrl(textOf(file_data) ?? (id?.includes(':') === true ? id : 'data:,'))
      const isById = file_data === undefined && id !== null && !id.includes(':')
      return [
        {
          type: 'file',
          ...source,
          ...(isById ? { data: null, id } : {}),
          mediaType: source.mediaType ?? textOf(format),
          name: textOf(filename),
          ...mark,
        },
      ]
    }
    case 'thinking':
      return [{ type: 'thinking', text: textOf(part.thinking) ?? '', signature: textOf(part.signature) }]
    default:
      problems.push({ at, text: 'an unknown part' })
      return []
  }
}

/** Without a lifetime, Anthropic's marks last five minutes. */
export function markOf(block: Members): Lifetime | undefined {
  if (block.cache_control !== undefined && block.cache_control !== null)
    return textOf(member(block.cache_control, 'ttl')) ?? '5m'
  return block.prompt_cache_breakpoint === undefined || block.prompt_cache_breakpoint === null ? undefined : 'default'
}

function readTool(tool: unknown): Tool {
  const given = membersOf(tool)
  if (given.type !== undefined && given.type !== 'function')
    return { name: String(given.type), description: null, schema: null, vendor: String(given.type) }
  const { name, description, parameters, strict, ...rest } = membersOf(given.function)
  const mark = markOf(given) ?? markOf(rest)
  return {
    name: textOf(name) ?? '',
    description: textOf(description),
    schema: parameters ?? null,
    ...(strict === true ? { strict: true } : {}),
    ...(mark === undefined ? {} : { mark }),
  }
}

export function readChoice(choice: unknown): Choice | null {
  if (choice === 'auto' || choice === 'none' || choice === 'required') return { type: choice }
  if (choice === 'any') return { type: 'required' }
  const name = textOf(firstOf(member(choice, 'function', 'name'), member(choice, 'name')))
  return name === null ? null : { type: 'tool', name }
}

/** The limit has two names; the newer one counts. */
function readParams(given: Members): Params {
  const stop =
    typeof given.stop === 'string' ? [given.stop] : listOf(given.stop).filter(text => typeof text === 'string')
  return paramsOf({
    max_tokens: firstOf(given.max_completion_tokens, given.max_tokens),
    temperature: given.temperature,
    top_p: given.top_p,
    top_k: given.top_k,
    stop,
    seed: given.seed,
    frequency_penalty: given.frequency_penalty,
    presence_penalty: given.presence_penalty,
  })
}

/** `thinking` and `reasoning` are members that gateways take. */
function readThinking(given: Members): Thinking | null {
  const effort = effortOf(textOf(firstOf(given.reasoning_effort, member(given.reasoning, 'effort'))))
  const budget = numberOf(firstOf(member(given.thinking, 'budget_tokens'), member(given.reasoning, 'max_tokens')))
  if (effort === null && budget === null) return null
  return { effort, budget }
}

function readFormat(format: unknown): Format | null {
  const type = member(format, 'type')
  if (type === 'json_object') {
    const schema = firstOf(member(format, 'response_schema'), member(format, 'schema'))
    return { type: schema === undefined ? 'json' : 'schema', name: null, schema: schema ?? null }
  }
  if (type !== 'json_schema') return null
  const given = firstOf(member(format, 'json_schema'), format)
  return { type: 'schema', name: textOf(member(given, 'name')), schema: member(given, 'schema') ?? null }
}
