/** Reads requests of Cohere's Chat v2. */
import { addParts, emptyRequest, paramsOf, readArguments, readUrl } from '../neutral.ts'
import type { Choice, Format, Params, Part, Problem, Request, Thinking, Tool } from '../types.ts'
import { firstOf, listOf, member, membersOf, numberOf, textOf, type Members } from '../values.ts'

export function readCohere(body: unknown): Request {
  const given = membersOf(body)
  const request = emptyRequest()
  request.model = textOf(given.model)
  request.stream = given.stream === true
  for (const [index, message] of listOf(given.messages).entries())
    readMessage(membersOf(message), `/messages/${index}`, request)
  request.tools = listOf(given.tools).map(readTool)
  request.choice = readChoice(given.tool_choice)
  request.params = readParams(given)
  request.thinking = readThinking(given.thinking)
  request.format = readFormat(given.response_format)
  return request
}

function readMessage(message: Members, at: string, request: Request): void {
  const { role } = message
  const content = readContent(message.content, `${at}/content`, request.problems)
  if (role === 'system' || role === 'developer') {
    for (const part of content)
      if (part.type === 'text') request.system.push({ text: part.text, after: request.turns.length })
  } else if (role === 'tool')
    addParts(request.turns, 'user', [
      { type: 'result', id: textOf(message.tool_call_id), name: null, parts: content, error: false },
    ])
  else if (role === 'user') addParts(request.turns, 'user', content)
  else if (role === 'assistant') addParts(request.turns, 'assistant', readAssistant(message, at, request.problems))
  else request.problems.push({ at: `${at}/role`, text: 'an unknown role' })
}

/** The parts of an assistant message, in a request or a reply. */
export function readAssistant(message: Members, at: string, problems: Problem[]): Part[] {
  const content = readContent(message.content, `${at}/content`, problems)
  const plan = textOf(message.tool_plan) ?? ''
  const calls = listOf(message.tool_calls).map((call, index): Part => {
    const args = member(call, 'function', 'arguments')
    return {
      type: 'call',
      id: textOf(member(call, 'id')),
      name: textOf(member(call, 'function', 'name')) ?? '',
      args: typeof args === 'string' ? readArguments(args, `${at}/tool_calls/${index}`, problems) : (args ?? {}),
    }
  })
  return [...content, ...(plan === '' ? [] : [{ type: 'text' as const, text: plan }]), ...calls]
}

/** A text, or a list of parts. Documents are what tools returned. */
function readContent(content: unknown, at: string, problems: Problem[]): Part[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }]
  return listOf(content).flatMap((given, index): Part[] => {
    const part = membersOf(given)
    if (part.type === 'text') return part.text === '' ? [] : [{ type: 'text', text: textOf(part.text) ?? '' }]
    if (part.type === 'thinking') return [{ type: 'thinking', text: textOf(part.thinking) ?? '', signature: null }]
    if (part.type === 'image_url')
      return [{ type: 'image', ...readUrl(textOf(firstOf(member(part.image_url, 'url'), part.image_url)) ?? '') }]
    if (part.type === 'document') {
      const data = member(part.document, 'data')
      return [{ type: 'text', text: typeof data === 'string' ? data : JSON.stringify(data ?? part.document ?? {}) }]
    }
    problems.push({ at: `${at}/${index}`, text: 'an unknown part' })
    return []
  })
}

function readTool(tool: unknown): Tool {
  const { name, description, parameters } = membersOf(member(tool, 'function'))
  return { name: textOf(name) ?? '', description: textOf(description), schema: parameters ?? null }
}

function readChoice(choice: unknown): Choice | null {
  const word = textOf(choice)?.toLowerCase()
  return word === 'required' || word === 'none' ? { type: word } : null
}

function readParams(given: Members): Params {
  return paramsOf({
    max_tokens: given.max_tokens,
    temperature: given.temperature,
    top_p: given.p,
    top_k: given.k,
    stop: given.stop_sequences,
    seed: given.seed,
    frequency_penalty: given.frequency_penalty,
    presence_penalty: given.presence_penalty,
  })
}

function readThinking(thinking: unknown): Thinking | null {
  const { type, token_budget } = membersOf(thinking)
  if (type === 'disabled') return { effort: 'none', budget: null }
  return type === 'enabled' ? { effort: null, budget: numberOf(token_budget) } : null
}

function readFormat(format: unknown): Format | null {
  if (member(format, 'type') !== 'json_object') return null
  const schema = firstOf(member(format, 'json_schema'), member(format, 'schema'))
  return { type: schema === undefined ? 'json' : 'schema', name: null, schema: schema ?? null }
}
