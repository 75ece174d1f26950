/** Writes requests of the Messages API as the official SDK does. */
import { budgetOf, rankOf } from '../neutral.ts'
import type { Choice, MediaSource, Part, Request, Tool, WriteOptions } from '../types.ts'
import { defined, type Members } from '../values.ts'

/** The limit that the API needs, where the request has none. */
const DEFAULT_MAX_TOKENS = 4_096

export function writeMessages(request: Request, { model, stream }: WriteOptions): Members {
  const { params, format, user } = request
  const thinking = writeThinking(request)
  return defined({
    model,
    ...writePrompt(request),
    max_tokens: maxTokensOf(request),
    temperature: params.temperature,
    top_p: params.top_p,
    top_k: params.top_k,
    stop_sequences: params.stop,
    thinking,
    output_config:
      format === null || format.type === 'json'
        ? undefined
        : { format: { type: 'json_schema', schema: format.schema } },
    metadata: user === null ? undefined : { user_id: user },
    stream: stream ? true : undefined,
  })
}

/** What a count of tokens has too. */
export function writePrompt({ system, turns, tools, choice, parallel }: Request): Members {
  // Behind the first turn there is no place for them.
  const first = system.filter(({ after }) => after === 0)
  return defined({
    system: first.length === 0 ? undefined : writeSystem(first),
    messages: turns.map(({ role, parts, native }) => ({ role, content: native ?? writeContent(parts) })),
    tools: tools.length === 0 ? undefined : tools.map(writeTool),
    tool_choice: writeChoice(choice, parallel),
  })
}

/** The limit counts thinking too, so it is larger than the budget. */
function maxTokensOf({ params, thinking }: Request): number {
  const given = params.max_tokens ?? DEFAULT_MAX_TOKENS
  return thinking === null ? given : Math.max(given, budgetOf(thinking) + 1_024)
}

function writeThinking({ thinking }: Request): Members | undefined {
  if (thinking === null) return undefined
  if (rankOf(thinking) === 'none') return { type: 'disabled' }
  return { type: 'enabled', budget_tokens: budgetOf(thinking) }
}

function writeSystem(system: Request['system']): string | Members[] {
  const [only] = system
  if (system.length === 1 && only?.mark === undefined) return only!.text
  return system.map(({ text, mark }) => ({ type: 'text', text, ...writeMark(mark) }))
}

function writeMark(mark: string | undefined): Members {
  if (mark === undefined) return {}
  return { cache_control: { type: 'ephemeral', ...(mark === '1h' ? { ttl: '1h' } : {}) } }
}

function writeContent(parts: readonly Part[]): string | Members[] {
  const [only] = parts
  if (parts.length === 1 && only?.type === 'text' && only.mark === undefined) return only.text
  return parts.flatMap((part): Members[] => {
    const written = writePart(part)
    return written === null ? [] : [written]
  })
}

function writePart(part: Part): Members | null {
  switch (part.type) {
    case 'text':
      return { type: 'text', text: part.text, ...writeMark(part.mark) }
    case 'image':
      return { type: 'image', source: writeSource(part), ...writeMark(part.mark) }
    case 'file':
      return defined({
        type: 'document',
        source: writeSource(part),
        title: part.name ?? undefined,
        ...writeMark(part.mark),
      })
    case 'call':
      return { type: 'tool_use', id: part.id, name: part.name, input: part.args, ...writeMark(part.mark) }
    case 'result':
      return defined({
        type: 'tool_result',
        tool_use_id: part.id,
        content: part.parts.length === 0 ? undefined : writeContent(part.parts),
        is_error: part.error ? true : undefined,
        ...writeMark(part.mark),
      })
    case 'thinking':
      // Without a signature it cannot be sent back.
      return part.signature === null ? null : { type: 'thinking', thinking: part.text, signature: part.signature }
    case 'redacted':
      return { type: 'redacted_thinking', data: part.data }
    case 'refusal':
      return { type: 'text', text: part.text }
    default:
      return null
  }
}

function writeSource({ data, url, id, mediaType }: MediaSource): Members {
  if (data !== null) return { type: 'base64', media_type: mediaType, data }
  return url === null ? { type: 'file', file_id: id } : { type: 'url', url }
}

function writeTool({ name, description, schema, vendor, strict, mark }: Tool): Members {
  if (vendor !== undefined) return { type: vendor, name }
  return defined({
    name,
    description: description ?? undefined,
    input_schema: schema ?? { type: 'object', properties: {} },
    strict: strict === true ? true : undefined,
    ...writeMark(mark),
  })
}

const CHOICES = { auto: 'auto', required: 'any', none: 'none', tool: 'tool' } as const

function writeChoice(choice: Choice | null, parallel: boolean | null): Members | undefined {
  if (choice === null && parallel === null) return undefined
  const type = CHOICES[choice?.type ?? 'auto']
  return {
    type,
    ...(choice?.type === 'tool' ? { name: choice.name } : {}),
    ...(parallel === null || type === 'none' ? {} : { disable_parallel_tool_use: !parallel }),
  }
}
