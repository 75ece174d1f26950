/** Writes chat completions as the official SDK does. */
import { rankOf, resultText, urlOf } from '../neutral.ts'
import type {
  CallPart,
  Choice,
  Format,
  Part,
  Request,
  ResultPart,
  Thinking,
  Tool,
  Turn,
  WriteOptions,
} from '../types.ts'
import { defined, type Members } from '../values.ts'

type Marks = NonNullable<WriteOptions['marks']>

/** The body of a request. */
export function writeChat(request: Request, { model, stream, marks = 'none' }: WriteOptions): Members {
  const { params, tools, choice, parallel, thinking, format, user } = request
  return defined({
    model,
    messages: writeMessages(request, marks),
    max_completion_tokens: params.max_tokens,
    temperature: params.temperature,
    top_p: params.top_p,
    frequency_penalty: params.frequency_penalty,
    presence_penalty: params.presence_penalty,
    seed: params.seed,
    stop: params.stop,
    reasoning_effort: thinking === null ? undefined : effortWord(thinking),
    tools: offered(tools).length === 0 ? undefined : offered(tools).map(tool => writeTool(tool, marks)),
    tool_choice: choice === null ? undefined : writeChoice(choice),
    parallel_tool_calls: parallel ?? undefined,
    response_format: format === null ? undefined : writeFormat(format),
    user: user ?? undefined,
    stream: stream ? true : undefined,
    stream_options: stream ? { include_usage: true } : undefined,
  })
}

/** Tools of vendors have no place here. */
const offered = (tools: readonly Tool[]): Tool[] => tools.filter(({ vendor }) => vendor === undefined)

export function effortWord(thinking: Thinking): string {
  const rank = rankOf(thinking)
  return rank === 'above' ? 'xhigh' : rank
}

function writeMessages(request: Request, marks: Marks): Members[] {
  const messages: Members[] = []
  const addSystem = (after: number): void => {
    for (const text of request.system)
      if (text.after === after)
        messages.push({
          role: text.isDeveloper === true ? 'developer' : 'system',
          content: writeContent([{ type: 'text', text: text.text, ...(text.mark && { mark: text.mark }) }], marks),
        })
  }
  for (const [index, turn] of request.turns.entries()) {
    addSystem(index)
    if (turn.role === 'user') messages.push(...writeUser(turn, marks))
    else messages.push(...writeAssistant(turn, marks))
  }
  addSystem(request.turns.length)
  return messages
}

/** Results are messages. Parts in a row are one. */
function writeUser({ parts }: Turn, marks: Marks): Members[] {
  const messages: Members[] = []
  let pending: Part[] = []
  const flush = (): void => {
    if (pending.length > 0) messages.push({ role: 'user', content: writeContent(pending, marks) })
    pending = []
  }
  for (const part of parts)
    if (part.type === 'result') {
      flush()
      messages.push(writeResult(part, marks))
    } else pending.push(part)
  flush()
  return messages
}

function writeResult(part: ResultPart, marks: Marks): Members {
  const texts: Part[] = [{ type: 'text', text: resultText(part), ...(part.mark && { mark: part.mark }) }]
  return {
    role: 'tool',
    tool_call_id: part.id ?? '',
    content: writeContent(texts, marks),
  }
}

function writeAssistant(turn: Turn, marks: Marks): Members[] {
  if (turn.native !== undefined) return [turn.native as Members]
  const shown = turn.parts.filter(({ type }) => type === 'text' || type === 'image')
  const refusal = turn.parts.flatMap(part => (part.type === 'refusal' ? [part.text] : [])).join('')
  const calls = turn.parts.flatMap(part => (part.type === 'call' ? [writeCall(part)] : []))
  return [
    defined({
      role: 'assistant',
      content: shown.length === 0 ? null : writeContent(shown, marks),
      refusal: refusal === '' ? undefined : refusal,
      tool_calls: calls.length === 0 ? undefined : calls,
    }),
  ]
}

function writeCall({ id, name, args }: CallPart): Members {
  return { id: id ?? '', type: 'function', function: { name, arguments: JSON.stringify(args) } }
}

/** A single text without a mark is a string. */
function writeContent(parts: readonly Part[], marks: Marks): string | Members[] {
  const [first] = parts
  const isMarked = (part: Part): boolean => marks !== 'none' && 'mark' in part && part.mark !== undefined
  if (parts.length === 1 && first?.type === 'text' && !isMarked(first)) return first.text
  return parts.flatMap(part => {
    const written = writePart(part)
    return written === null ? [] : [{ ...written, ...(isMarked(part) ? writeMark(part, marks) : {}) }]
  })
}

function writePart(part: Part): Members | null {
  if (part.type === 'text') return { type: 'text', text: part.text }
  if (part.type === 'image') return { type: 'image_url', image_url: { url: urlOf(part) } }
  if (part.type !== 'file') return null
  const file = part.id === null ? { filename: part.name ?? 'file', file_data: urlOf(part) } : { file_id: part.id }
  return { type: 'file', file }
}

function writeMark(part: Part | { mark?: string }, marks: Marks): Members {
  const mark = 'mark' in part ? part.mark : undefined
  if (mark === undefined || marks === 'none') return {}
  if (marks === 'prompt_cache_breakpoint') return { prompt_cache_breakpoint: { mode: 'explicit' } }
  return { cache_control: { type: 'ephemeral', ...(mark === 'default' || mark === '5m' ? {} : { ttl: mark }) } }
}

function writeTool(tool: Tool, marks: Marks): Members {
  const { name, description, schema, strict } = tool
  return {
    type: 'function',
    function: defined({
      name,
      description: description ?? undefined,
      parameters: schema ?? undefined,
      strict: strict === true ? true : undefined,
    }),
    ...(marks === 'cache_control' ? writeMark(tool, marks) : {}),
  }
}

export function writeChoice(choice: Choice): unknown {
  return choice.type === 'tool' ? { type: 'function', function: { name: choice.name } } : choice.type
}

function writeFormat({ type, name, schema }: Format): Members {
  if (type === 'json') return { type: 'json_object' }
  return { type: 'json_schema', json_schema: { name: name ?? 'reply', schema } }
}
