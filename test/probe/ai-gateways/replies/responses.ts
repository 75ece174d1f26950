/** Replies of the Responses API. */
import type { Part, Reply } from '../../../../plugins/probe/wires/types.ts'
import { CHAT } from './chat.ts'
import { piecesOf, SSE, sse, type ReplyWriter } from './writer.ts'

type Item = Record<string, unknown> & { id: string; type: string }

function usageOf({ usage }: Reply): object | null {
  if (usage === null) return null
  const { input, output, cached, write, reasoning } = usage
  return {
    input_tokens: input ?? 0,
    input_tokens_details: { cached_tokens: cached ?? 0, cache_write_tokens: write ?? 0 },
    output_tokens: output ?? 0,
    output_tokens_details: { reasoning_tokens: reasoning ?? 0 },
    total_tokens: (input ?? 0) + (output ?? 0),
  }
}

function itemOf(part: Part, index: number): Item | null {
  const id = `item_${index}`
  if (part.type === 'text')
    return {
      id,
      type: 'message',
      role: 'assistant',
      content: [{ type: 'output_text', text: part.text, annotations: [] }],
    }
  if (part.type === 'refusal')
    return { id, type: 'message', role: 'assistant', content: [{ type: 'refusal', refusal: part.text }] }
  if (part.type === 'call')
    return { id, type: 'function_call', call_id: part.id, name: part.name, arguments: JSON.stringify(part.args) }
  if (part.type === 'thinking')
    return {
      id,
      type: 'reasoning',
      summary: [{ type: 'summary_text', text: part.text }],
      encrypted_content: part.signature,
    }
  return part.type === 'redacted' ? { id, type: 'reasoning', summary: [], encrypted_content: part.data } : null
}

/** A refusal that is not one of the wire is text that was filtered. */
function reasonOf({ finish, parts }: Reply): string | undefined {
  if (finish === 'length') return 'max_output_tokens'
  const isFiltered = finish === 'refusal' && !parts.some(({ type }) => type === 'refusal')
  return finish === 'filter' || isFiltered ? 'content_filter' : undefined
}

function responseOf(reply: Reply, model: string): Record<string, unknown> {
  const reason = reasonOf(reply)
  return {
    id: reply.id?.startsWith('resp_') === true ? reply.id : 'resp_toy',
    object: 'response',
    model,
    status: reason === undefined ? 'completed' : 'incomplete',
    incomplete_details: reason === undefined ? null : { reason },
    output: reply.parts.map(itemOf).filter(item => item !== null),
    usage: usageOf(reply),
  }
}

/** What is sent of an item between its beginning and its end. */
function deltasOf(item: Item): { type: string; [name: string]: unknown }[] {
  const at = { item_id: item.id }
  if (item.type === 'function_call')
    return [
      { ...at, type: 'response.function_call_arguments.delta', delta: item.arguments },
      { ...at, type: 'response.function_call_arguments.done', arguments: item.arguments },
    ]
  if (item.type !== 'message') return []
  const [part] = item.content as { type: string; text?: string; refusal?: string }[]
  const name = part!.type === 'refusal' ? 'refusal' : 'output_text'
  const text = part!.text ?? part!.refusal ?? ''
  const inner = { ...at, content_index: 0 }
  return [
    { ...inner, type: 'response.content_part.added', part: {} },
    ...piecesOf(text).map(delta => ({ ...inner, type: `response.${name}.delta`, delta })),
    { ...inner, type: `response.${name}.done`, [name === 'refusal' ? 'refusal' : 'text']: text },
    { ...inner, type: 'response.content_part.done', part },
  ]
}

export const RESPONSES: ReplyWriter = {
  streamType: SSE,
  whole: responseOf,
  events(reply, model) {
    const response = responseOf(reply, model)
    const items = response.output as Item[]
    const created = { ...response, status: 'in_progress', incomplete_details: null, output: [], usage: null }
    const events: { type: string; [name: string]: unknown }[] = [
      { type: 'response.created', response: created },
      ...items.flatMap((item, output_index) => [
        {
          type: 'response.output_item.added',
          output_index,
          item: {
            ...item,
            ...(item.type === 'message' ? { content: [] } : {}),
            ...(item.type === 'function_call' ? { arguments: '' } : {}),
          },
        },
        ...deltasOf(item).map(event => ({ ...event, output_index })),
        { type: 'response.output_item.done', output_index, item },
      ]),
      { type: `response.${String(response.status)}`, response },
    ]
    return events.map((event, sequence_number) => sse({ ...event, sequence_number }, event.type))
  },
  error: CHAT.error,
  errorEvent: ({ message, code }) =>
    sse({ type: 'error', message, code, param: null, sequence_number: 1_000_000 }, 'error'),
  count: tokens => ({ object: 'response.input_tokens', input_tokens: tokens }),
}
