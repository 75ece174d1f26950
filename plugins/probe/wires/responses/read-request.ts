/** Reads requests of the Responses API. */
import { readChoice } from '../chat/read-request.ts'
import { addParts, effortOf, emptyRequest, paramsOf } from '../neutral.ts'
import type { Format, Params, Request, Thinking, Tool } from '../types.ts'
import { firstOf, listOf, member, membersOf, textOf, type Members } from '../values.ts'
import { readContent, readOutputItem } from './items.ts'

export function readResponses(body: unknown): Request {
  const given = membersOf(body)
  const request = emptyRequest()
  request.model = textOf(given.model)
  request.stream = given.stream === true
  const instructions = textOf(given.instructions)
  if (instructions !== null && instructions !== '') request.system.push({ text: instructions, after: 0 })
  if (typeof given.input === 'string') addParts(request.turns, 'user', [{ type: 'text', text: given.input }])
  for (const [index, item] of listOf(given.input).entries()) readItem(membersOf(item), `/input/${index}`, request)
  request.tools = listOf(given.tools).flatMap(tool => readTools(membersOf(tool)))
  request.choice = readChoice(given.tool_choice)
  request.parallel = typeof given.parallel_tool_calls === 'boolean' ? given.parallel_tool_calls : null
  request.params = readParams(given)
  request.thinking = readThinking(given)
  request.format = readFormat(member(given.text, 'format'))
  request.user = textOf(firstOf(given.user, given.safety_identifier))
  return request
}

function readItem(item: Members, at: string, request: Request): void {
  const { type, role } = item
  if (type === 'function_call_output' || type === 'custom_tool_call_output') {
    const parts = readContent(outputOf(item.output), `${at}/output`, request.problems)
    return addParts(request.turns, 'user', [
      { type: 'result', id: textOf(item.call_id), name: null, parts, error: false },
    ])
  }
  const isMessage = type === undefined || type === 'message'
  if (!isMessage) return addParts(request.turns, 'assistant', readOutputItem(item, at, request.problems))
  const parts = readContent(item.content, `${at}/content`, request.problems)
  if (role === 'system' || role === 'developer') {
    for (const part of parts)
      if (part.type === 'text')
        request.system.push({
          text: part.text,
          after: request.turns.length,
          ...(role === 'developer' ? { isDeveloper: true } : {}),
          ...(part.mark === undefined ? {} : { mark: part.mark }),
        })
  } else if (role === 'user' || role === 'assistant') addParts(request.turns, role, parts)
  else request.problems.push({ at: `${at}/role`, text: 'an unknown role' })
}

/** Some clients send JSON values. */
function outputOf(output: unknown): unknown {
  return typeof output === 'object' && output !== null && !Array.isArray(output) ? JSON.stringify(output) : output
}

function readTools(tool: Members): Tool[] {
  const { type, name } = tool
  if (type === 'namespace')
    return listOf(tool.tools)
      .flatMap(inner => readTools(membersOf(inner)))
      .map(inner => ({ ...inner, namespace: textOf(name) ?? '' }))
  if (type !== 'function' && type !== undefined)
    return [{ name: textOf(name) ?? String(type), description: null, schema: null, vendor: String(type) }]
  // Some gateways write the form of chat completions.
  const given = { ...tool, ...membersOf(tool.function) }
  return [
    {
      name: textOf(given.name) ?? '',
      description: textOf(given.description),
      schema: given.parameters ?? null,
      ...(given.strict === true ? { strict: true } : {}),
    },
  ]
}

function readParams(given: Members): Params {
  return paramsOf({
    max_tokens: given.max_output_tokens,
    temperature: given.temperature,
    top_p: given.top_p,
  })
}

function readThinking({ reasoning }: Members): Thinking | null {
  const effort = effortOf(textOf(member(reasoning, 'effort')))
  return effort === null ? null : { effort, budget: null }
}

function readFormat(format: unknown): Format | null {
  const { type, name, schema } = membersOf(format)
  if (type === 'json_object') return { type: 'json', name: null, schema: null }
  return type === 'json_schema' ? { type: 'schema', name: textOf(name), schema: schema ?? null } : null
}
