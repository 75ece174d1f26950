/** Writes requests of Cohere's Chat v2 as the official SDK does. */
import { budgetOf, rankOf, resultText, urlOf } from '../neutral.ts'
import type { Part, Request, Tool, Turn, WriteOptions } from '../types.ts'
import { defined, type Members } from '../values.ts'

export function writeCohere(request: Request, { model, stream }: WriteOptions): Members {
  const { params, tools, choice, thinking, format } = request
  const offered = tools.filter(({ vendor }) => vendor === undefined)
  return defined({
    model,
    messages: writeMessages(request),
    tools: offered.length === 0 ? undefined : offered.map(writeTool),
    tool_choice: choice?.type === 'required' || choice?.type === 'none' ? choice.type.toUpperCase() : undefined,
    response_format:
      format === null
        ? undefined
        : { type: 'json_object', ...(format.type === 'json' ? {} : { json_schema: format.schema }) },
    max_tokens: params.max_tokens,
    stop_sequences: params.stop,
    temperature: params.temperature,
    seed: params.seed,
    frequency_penalty: params.frequency_penalty,
    presence_penalty: params.presence_penalty,
    k: params.top_k,
    p: params.top_p,
    thinking:
      thinking === null
        ? undefined
        : rankOf(thinking) === 'none'
          ? { type: 'disabled' }
          : { type: 'enabled', token_budget: budgetOf(thinking) },
    stream,
  })
}

function writeMessages({ system, turns }: Request): Members[] {
  const messages: Members[] = []
  const addSystem = (place: number): void => {
    for (const { text, after } of system) if (after === place) messages.push({ role: 'system', content: text })
  }
  for (const [index, turn] of turns.entries()) {
    addSystem(index)
    if (turn.native !== undefined) messages.push(turn.native as Members)
    else if (turn.role === 'assistant') messages.push(writeAssistant(turn))
    else messages.push(...writeUser(turn))
  }
  addSystem(turns.length)
  return messages
}

function writeUser({ parts }: Turn): Members[] {
  const messages: Members[] = []
  let pending: Part[] = []
  const flush = (): void => {
    if (pending.length > 0) messages.push({ role: 'user', content: writeContent(pending) })
    pending = []
  }
  for (const part of parts)
    if (part.type === 'result') {
      flush()
      const content = [{ type: 'document', document: { data: resultText(part) } }]
      messages.push({ role: 'tool', tool_call_id: part.id ?? '', content })
    } else pending.push(part)
  flush()
  return messages
}

function writeContent(parts: readonly Part[]): string | Members[] {
  const [only] = parts
  if (parts.length === 1 && only?.type === 'text') return only.text
  return parts.flatMap((part): Members[] => {
    if (part.type === 'text') return [{ type: 'text', text: part.text }]
    return part.type === 'image' ? [{ type: 'image_url', image_url: { url: urlOf(part) } }] : []
  })
}

/** Text in front of calls is their plan. */
function writeAssistant({ parts }: Turn): Members {
  const text = parts.map(part => (part.type === 'text' || part.type === 'refusal' ? part.text : '')).join('')
  const thinking = parts.flatMap(part => (part.type === 'thinking' ? [{ type: 'thinking', thinking: part.text }] : []))
  const calls = parts.flatMap(part =>
    part.type === 'call'
      ? [{ id: part.id, type: 'function', function: { name: part.name, arguments: JSON.stringify(part.args) } }]
      : [],
  )
  if (calls.length === 0)
    return {
      role: 'assistant',
      content: thinking.length === 0 ? text : [...thinking, { type: 'text', text }],
    }
  return defined({
    role: 'assistant',
    tool_calls: calls,
    tool_plan: text === '' ? undefined : text,
    content: thinking.length === 0 ? undefined : thinking,
  })
}

function writeTool({ name, description, schema }: Tool): Members {
  return {
    type: 'function',
    function: defined({
      name,
      description: description ?? undefined,
      parameters: schema ?? { type: 'object', properties: {} },
    }),
  }
}
