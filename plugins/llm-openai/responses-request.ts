/** Parses a request of the Responses API. */
import type { ChatParsed, Engine, Message, RouteInput } from '../llm/types.ts'
import { readContent, readFormat } from './messages.ts'
import { readTooling } from './tools.ts'

export interface ResponsesWire {
  /** The complete request: the reply echoes many of its fields. */
  body: Record<string, unknown>
  /** The client requests a summary of the reasoning. */
  showsSummary: boolean
}
export type ResponsesParsed = ChatParsed<ResponsesWire>

export function parseResponses(engine: Engine, input: RouteInput): ResponsesParsed {
  const { json } = engine
  const body = input.json()
  const model = json.textOf(body.model) ?? input.defaultModel ?? 'svc-gpt'
  const { system, messages } = readInput(engine, body)
  const maxTokens = json.countOf(body.max_output_tokens)
  const effort = json.textOf(json.own(body.reasoning, 'effort'))
  const showsSummary = json.textOf(json.own(body.reasoning, 'summary')) !== undefined
  return {
    op: 'chat',
    model,
    stream: body.stream === true,
    request: {
      model,
      system,
      messages,
      ...readTooling(engine, { tools: body.tools, choice: body.tool_choice, isNested: false }),
      format: readFormat(engine, json.own(body.text, 'format')),
      stop: [],
      n: 1,
      ...(maxTokens === undefined ? {} : { maxTokens }),
      ...((effort !== undefined && effort !== 'none') || showsSummary ? { reasoning: {} } : {}),
    },
    wire: { body, showsSummary },
  }
}

/** A string or a list of items; ignores unknown items. */
function readInput(engine: Engine, body: Record<string, unknown>): { system: string[]; messages: Message[] } {
  const { json } = engine
  const read = { system: [] as string[], messages: [] as Message[] }
  const instructions = json.textOf(body.instructions)
  if (instructions !== undefined) read.system.push(instructions)
  if (typeof body.input === 'string') read.messages.push({ role: 'user', parts: [{ type: 'text', text: body.input }] })
  else if (Array.isArray(body.input)) for (const item of body.input) addItem(engine, read, json.objectOf(item))
  else
    throw engine.badInput("Missing required parameter: 'input'.", {
      param: 'input',
      code: 'missing_required_parameter',
    })
  return read
}

function addItem(engine: Engine, read: { system: string[]; messages: Message[] }, item: Record<string, unknown>): void {
  const { json } = engine
  const id = json.textOf(item.call_id) ?? ''
  if (item.type === 'function_call') {
    const name = json.textOf(item.name)
    if (name !== undefined)
      read.messages.push({
        role: 'assistant',
        parts: [{ type: 'call', id, name, args: json.argumentsOf(item.arguments) }],
      })
  } else if (item.type === 'custom_tool_call') {
    const name = json.textOf(item.name)
    if (name !== undefined)
      read.messages.push({
        role: 'assistant',
        parts: [{ type: 'call', id, name, args: json.textOf(item.input) ?? '' }],
      })
  } else if (item.type === 'function_call_output' || item.type === 'custom_tool_call_output') {
    read.messages.push({ role: 'tool', parts: [{ type: 'result', id, content: outputText(engine, item.output) }] })
  } else if (item.type === undefined || item.type === 'message') {
    const parts = readContent(engine, item.content)
    if (item.role === 'system' || item.role === 'developer') read.system.push(engine.textOfParts(parts))
    else read.messages.push({ role: item.role === 'assistant' ? 'assistant' : 'user', parts })
  }
}

function outputText(engine: Engine, output: unknown): string {
  if (!Array.isArray(output)) return engine.json.asText(output)
  return engine.textOfParts(readContent(engine, output))
}
