/** Replies of the Messages API. */
import type { Reply } from '../../../../plugins/probe/wires/types.ts'
import { piecesOf, SSE, sse, wordOf, type ReplyWriter } from './writer.ts'

type Block = Record<string, unknown> & { type: string }

const FINISHES: Readonly<Record<string, string>> = {
  stop: 'end_turn',
  stop_sequence: 'stop_sequence',
  length: 'max_tokens',
  calls: 'tool_use',
  filter: 'refusal',
  refusal: 'refusal',
}
const ERRORS: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  529: 'overloaded_error',
}

function usageOf({ usage }: Reply): object | undefined {
  if (usage === null) return undefined
  const { input, output, cached, write, write_1h: hour, reasoning } = usage
  return {
    input_tokens: (input ?? 0) - (cached ?? 0) - (write ?? 0),
    output_tokens: output ?? 0,
    cache_read_input_tokens: cached ?? 0,
    cache_creation_input_tokens: write ?? 0,
    cache_creation: { ephemeral_1h_input_tokens: hour ?? 0, ephemeral_5m_input_tokens: (write ?? 0) - (hour ?? 0) },
    ...(reasoning === null ? {} : { output_tokens_details: { thinking_tokens: reasoning } }),
  }
}

const blocksOf = ({ parts }: Reply): Block[] =>
  parts.flatMap((part): Block[] => {
    if (part.type === 'text' || part.type === 'refusal') return [{ type: 'text', text: part.text }]
    if (part.type === 'call') return [{ type: 'tool_use', id: part.id, name: part.name, input: part.args }]
    if (part.type === 'thinking') return [{ type: 'thinking', thinking: part.text, signature: part.signature ?? '' }]
    return part.type === 'redacted' ? [{ type: 'redacted_thinking', data: part.data }] : []
  })

function emptied(block: Block): object {
  if (block.type === 'text') return { ...block, text: '' }
  if (block.type === 'tool_use') return { ...block, input: {} }
  return block.type === 'thinking' ? { ...block, thinking: '', signature: '' } : block
}

function deltasOf(block: Block): object[] {
  if (block.type === 'text') return piecesOf(String(block.text)).map(text => ({ type: 'text_delta', text }))
  if (block.type === 'tool_use') return [{ type: 'input_json_delta', partial_json: JSON.stringify(block.input) }]
  if (block.type !== 'thinking') return []
  return [
    { type: 'thinking_delta', thinking: block.thinking },
    { type: 'signature_delta', signature: block.signature },
  ]
}

const errorOf = (status: number, message: string): object => ({
  type: 'error',
  error: { type: ERRORS[status] ?? 'api_error', message },
})

export const MESSAGES: ReplyWriter = {
  streamType: SSE,
  whole: (reply, model) => ({
    id: 'msg_toy',
    type: 'message',
    role: 'assistant',
    model,
    content: blocksOf(reply),
    stop_reason: wordOf(FINISHES, reply),
    stop_sequence: reply.stop_sequence,
    usage: usageOf(reply),
  }),
  events(reply, model) {
    const named = (event: { type: string; [name: string]: unknown }): string => sse(event, event.type)
    const message = {
      id: 'msg_toy',
      type: 'message',
      role: 'assistant',
      model,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      // It is known at the end.
      usage: { input_tokens: 0, output_tokens: 0 },
    }
    const delta = { stop_reason: wordOf(FINISHES, reply), stop_sequence: reply.stop_sequence }
    return [
      named({ type: 'message_start', message }),
      ...blocksOf(reply).flatMap((block, index) => [
        named({ type: 'content_block_start', index, content_block: emptied(block) }),
        ...deltasOf(block).map(delta => named({ type: 'content_block_delta', index, delta })),
        named({ type: 'content_block_stop', index }),
      ]),
      named({ type: 'message_delta', delta, usage: usageOf(reply) }),
      named({ type: 'message_stop' }),
    ]
  },
  error: ({ status, message }) => ({ body: errorOf(status, message) }),
  errorEvent: ({ status, message }) => sse(errorOf(status, message), 'error'),
  count: tokens => ({ input_tokens: tokens }),
}
