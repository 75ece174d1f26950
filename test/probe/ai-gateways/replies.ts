/** Writes replies in the neutral form on client wires, as a right gateway does. */
import type { Part, Reply } from '../../../plugins/probe/wires/types.ts'

/** What a gateway answers. */
export interface Written {
  type: string
  body: string
}

export interface ReplyWriter {
  whole(reply: Reply, model: string): Written
  stream(reply: Reply, model: string): Written
}

const sse = (events: readonly (object | string)[]): Written => ({
  type: 'text/event-stream',
  body: events
    .map(event => {
      if (typeof event === 'string') return `data: ${event}\n\n`
      const { $event, ...data } = event as { $event?: string }
      return `${$event === undefined ? '' : `event: ${$event}\n`}data: ${JSON.stringify(data)}\n\n`
    })
    .join(''),
})
const json = (value: object): Written => ({ type: 'application/json', body: JSON.stringify(value) })

const CHAT_FINISHES: Record<string, string> = {
  stop: 'stop',
  stop_sequence: 'stop',
  length: 'length',
  calls: 'tool_calls',
  filter: 'content_filter',
  refusal: 'content_filter',
}
const MESSAGE_FINISHES: Record<string, string> = {
  stop: 'end_turn',
  stop_sequence: 'stop_sequence',
  length: 'max_tokens',
  calls: 'tool_use',
  filter: 'refusal',
  refusal: 'refusal',
}

const textOf = (parts: readonly Part[], type: 'text' | 'refusal'): string | null => {
  const own = parts.filter(part => part.type === type) as { text: string }[]
  return own.length === 0 ? null : own.map(({ text }) => text).join('')
}
const callsOf = (parts: readonly Part[]): Extract<Part, { type: 'call' }>[] =>
  parts.filter(part => part.type === 'call')

function chatUsage({ usage }: Reply): object | undefined {
  if (usage === null) return undefined
  const { input, output, cached, write, reasoning } = usage
  return {
    prompt_tokens: input ?? 0,
    completion_tokens: output ?? 0,
    total_tokens: (input ?? 0) + (output ?? 0),
    prompt_tokens_details: { cached_tokens: cached ?? 0, cache_write_tokens: write ?? 0 },
    completion_tokens_details: { reasoning_tokens: reasoning ?? 0 },
  }
}

const CHAT: ReplyWriter = {
  whole(reply, model) {
    const calls = callsOf(reply.parts)
    return json({
      id: 'chatcmpl-toy',
      object: 'chat.completion',
      created: 1,
      model,
      choices: [
        {
          index: 0,
          message: {
            role: 'assistant',
            content: textOf(reply.parts, 'text'),
            refusal: textOf(reply.parts, 'refusal'),
            ...(calls.length === 0
              ? {}
              : {
                  tool_calls: calls.map(({ id, name, args }) => ({
                    id,
                    type: 'function',
                    function: { name, arguments: JSON.stringify(args) },
                  })),
                }),
          },
          finish_reason: CHAT_FINISHES[reply.finish ?? ''] ?? reply.finish,
        },
      ],
      usage: chatUsage(reply),
    })
  },
  stream(reply, model) {
    const chunk = (delta: object, finish: string | null = null): object => ({
      id: 'chatcmpl-toy',
      object: 'chat.completion.chunk',
      created: 1,
      model,
      choices: [{ index: 0, delta, finish_reason: finish }],
    })
    const text = textOf(reply.parts, 'text')
    const refusal = textOf(reply.parts, 'refusal')
    return sse([
      chunk({ role: 'assistant', content: '' }),
      ...(text === null ? [] : [...text.matchAll(/[\s\S]{1,20}/g)].map(([piece]) => chunk({ content: piece }))),
      ...(refusal === null ? [] : [chunk({ refusal })]),
      ...callsOf(reply.parts).map(({ id, name, args }, index) =>
        chunk({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: JSON.stringify(args) } }] }),
      ),
      chunk({}, CHAT_FINISHES[reply.finish ?? ''] ?? reply.finish),
      { ...chunk({}), choices: [], usage: chatUsage(reply) },
      '[DONE]',
    ])
  },
}

function messageUsage({ usage }: Reply): object {
  const { input = 0, output = 0, cached = 0, write = 0, write_1h: hour = 0 } = usage ?? {}
  return {
    input_tokens: (input ?? 0) - (cached ?? 0) - (write ?? 0),
    output_tokens: output ?? 0,
    cache_read_input_tokens: cached ?? 0,
    cache_creation_input_tokens: write ?? 0,
    cache_creation: { ephemeral_1h_input_tokens: hour ?? 0, ephemeral_5m_input_tokens: (write ?? 0) - (hour ?? 0) },
    ...(usage?.reasoning == null ? {} : { output_tokens_details: { thinking_tokens: usage.reasoning } }),
  }
}

const blocksOf = ({ parts }: Reply): object[] =>
  parts.flatMap((part): object[] => {
    if (part.type === 'text' || part.type === 'refusal') return [{ type: 'text', text: part.text }]
    if (part.type === 'call') return [{ type: 'tool_use', id: part.id, name: part.name, input: part.args }]
    if (part.type === 'thinking') return [{ type: 'thinking', thinking: part.text, signature: part.signature ?? '' }]
    return part.type === 'redacted' ? [{ type: 'redacted_thinking', data: part.data }] : []
  })

const MESSAGES: ReplyWriter = {
  whole: (reply, model) =>
    json({
      id: 'msg_toy',
      type: 'message',
      role: 'assistant',
      model,
      content: blocksOf(reply),
      stop_reason: MESSAGE_FINISHES[reply.finish ?? ''] ?? reply.finish,
      stop_sequence: reply.stop_sequence,
      usage: messageUsage(reply),
    }),
  stream(reply, model) {
    const named = (event: { type: string }): object => ({ $event: event.type, ...event })
    const blocks = blocksOf(reply) as Record<string, unknown>[]
    return sse([
      named({
        type: 'message_start',
        message: {
          id: 'msg_toy',
          type: 'message',
          role: 'assistant',
          model,
          content: [],
          stop_reason: null,
          stop_sequence: null,
          usage: { ...messageUsage(reply), output_tokens: 0 },
        },
      } as { type: string }),
      ...blocks.flatMap((block, index) => [
        named({ type: 'content_block_start', index, content_block: emptied(block) } as { type: string }),
        ...deltasOf(block).map(delta => named({ type: 'content_block_delta', index, delta } as { type: string })),
        named({ type: 'content_block_stop', index } as { type: string }),
      ]),
      named({
        type: 'message_delta',
        delta: {
          stop_reason: MESSAGE_FINISHES[reply.finish ?? ''] ?? reply.finish,
          stop_sequence: reply.stop_sequence,
        },
        usage: messageUsage(reply),
      } as { type: string }),
      named({ type: 'message_stop' }),
    ])
  },
}

function emptied(block: Record<string, unknown>): object {
  if (block.type === 'text') return { ...block, text: '' }
  if (block.type === 'tool_use') return { ...block, input: {} }
  return block.type === 'thinking' ? { ...block, thinking: '', signature: '' } : block
}

function deltasOf(block: Record<string, unknown>): object[] {
  if (block.type === 'text') return [{ type: 'text_delta', text: block.text }]
  if (block.type === 'tool_use') return [{ type: 'input_json_delta', partial_json: JSON.stringify(block.input) }]
  if (block.type !== 'thinking') return []
  return [
    { type: 'thinking_delta', thinking: block.thinking },
    { type: 'signature_delta', signature: block.signature },
  ]
}

/** By client wire. */
export const REPLY_WRITERS: Readonly<Record<string, ReplyWriter>> = { chat: CHAT, messages: MESSAGES }
