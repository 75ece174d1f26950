/** Writes requests of the Responses API as the official SDK does. */
import { effortWord, writeChoice as writeChatChoice } from '../chat/write-request.ts'
import { urlOf } from '../neutral.ts'
import type { Choice, Format, Part, Request, ResultPart, Tool, Turn, WriteOptions } from '../types.ts'
import { defined, listOf, type Members } from '../values.ts'

export function writeResponses(request: Request, { model, stream }: WriteOptions): Members {
  const { params, thinking, format, user } = request
  return defined({
    model,
    ...writeConversation(request),
    max_output_tokens: params.max_tokens,
    temperature: params.temperature,
    top_p: params.top_p,
    text: format === null ? undefined : { format: writeFormat(format) },
    // Nothing is stored, so the client returns all items.
    ...(thinking === null ? {} : { include: ['reasoning.encrypted_content'] }),
    store: false,
    user: user ?? undefined,
    stream: stream ? true : undefined,
  })
}

/** What a count of tokens has too. */
export function writeConversation(request: Request): Members {
  const { system, tools, choice, parallel, thinking } = request
  const [first] = system
  const isInstructions = first?.after === 0 && first.isDeveloper !== true && first.mark === undefined
  return defined({
    instructions: isInstructions ? first.text : undefined,
    input: writeItems({ ...request, system: isInstructions ? system.slice(1) : system }),
    reasoning: thinking === null ? undefined : { effort: effortWord(thinking), summary: 'auto' },
    tools: tools.length === 0 ? undefined : writeTools(tools),
    tool_choice: choice === null ? undefined : writeChoice(choice),
    parallel_tool_calls: parallel ?? undefined,
  })
}

function writeItems({ system, turns }: Request): unknown[] {
  const items: unknown[] = []
  const addSystem = (place: number): void => {
    for (const { text, after, isDeveloper, mark } of system)
      if (after === place)
        items.push({
          role: isDeveloper === true ? 'developer' : 'system',
          content: mark === undefined ? text : [{ type: 'input_text', text, ...writeMark(mark) }],
        })
  }
  for (const [index, turn] of turns.entries()) {
    addSystem(index)
    if (turn.native !== undefined) items.push(...listOf(turn.native))
    else items.push(...writeTurn(turn))
  }
  addSystem(turns.length)
  return items
}

/** Texts and media in a row are one message; calls, results and thinking are separate items. */
function writeTurn({ role, parts }: Turn): Members[] {
  const items: Members[] = []
  let pending: Members[] = []
  const flush = (): void => {
    if (pending.length > 0) items.push({ type: 'message', role, content: pending })
    pending = []
  }
  for (const part of parts) {
    const content = writeContent(part, role)
    if (content !== null) pending.push(content)
    else {
      flush()
      const item = writeItem(part)
      if (item !== null) items.push(item)
    }
  }
  flush()
  return items
}

function writeContent(part: Part, role: Turn['role']): Members | null {
  switch (part.type) {
    case 'text':
      return { type: role === 'user' ? 'input_text' : 'output_text', text: part.text, ...writeMark(part.mark) }
    case 'refusal':
      return { type: 'refusal', refusal: part.text }
    case 'image':
      return part.id === null
        ? { type: 'input_image', image_url: urlOf(part), detail: 'auto', ...writeMark(part.mark) }
        : { type: 'input_image', file_id: part.id, detail: 'auto', ...writeMark(part.mark) }
    case 'file':
      if (part.id !== null) return { type: 'input_file', file_id: part.id, ...writeMark(part.mark) }
      if (part.data === null) return { type: 'input_file', file_url: part.url, ...writeMark(part.mark) }
      return { type: 'input_file', filename: part.name ?? 'file', file_data: urlOf(part), ...writeMark(part.mark) }
    default:
      return null
  }
}

function writeMark(mark: string | undefined): Members {
  return mark === undefined ? {} : { prompt_cache_breakpoint: { mode: 'explicit' } }
}

function writeItem(part: Part): Members | null {
  if (part.type === 'call')
    return { type: 'function_call', call_id: part.id, name: part.name, arguments: JSON.stringify(part.args) }
  if (part.type === 'result') return writeResult(part)
  if (part.type === 'redacted') return { type: 'reasoning', summary: [], encrypted_content: part.data }
  if (part.type !== 'thinking') return null
  return defined({
    type: 'reasoning',
    summary: part.text === '' ? [] : [{ type: 'summary_text', text: part.text }],
    encrypted_content: part.signature ?? undefined,
  })
}

/** One text is a string. */
function writeResult({ id, parts }: ResultPart): Members {
  const [only] = parts
  const isText = parts.length === 0 || (parts.length === 1 && only?.type === 'text')
  return {
    type: 'function_call_output',
    call_id: id,
    output: isText
      ? only?.type === 'text'
        ? only.text
        : ''
      : parts.flatMap((part): Members[] => {
          const content = writeContent(part, 'user')
          return content === null ? [] : [content]
        }),
  }
}

/** Tools of one namespace are together, where the first of them is. */
function writeTools(tools: readonly Tool[]): Members[] {
  const written: Members[] = []
  const spaces = new Map<string, Members[]>()
  for (const tool of tools) {
    const { namespace, vendor } = tool
    if (vendor !== undefined) written.push({ type: vendor })
    else if (namespace === undefined) written.push(writeTool(tool))
    else {
      const inner = spaces.get(namespace) ?? []
      if (!spaces.has(namespace))
        written.push({ type: 'namespace', name: namespace, description: `Tools of ${namespace}`, tools: inner })
      spaces.set(namespace, inner)
      inner.push(writeTool(tool))
    }
  }
  return written
}

/** Without `strict: false` the API changes schemas. */
function writeTool({ name, description, schema, strict }: Tool): Members {
  return defined({
    type: 'function',
    name,
    description: description ?? undefined,
    parameters: schema ?? { type: 'object', properties: {} },
    strict: strict === true,
  })
}

function writeChoice(choice: Choice): unknown {
  return choice.type === 'tool' ? { type: 'function', name: choice.name } : writeChatChoice(choice)
}

function writeFormat({ type, name, schema }: Format): Members {
  return type === 'json' ? { type: 'json_object' } : { type: 'json_schema', name: name ?? 'reply', schema }
}
