/** Replies of chat completions. */
import type { Reply } from '../../../../plugins/probe/wires/types.ts'
import { callsOf, piecesOf, SSE, sse, textOf, wordOf, type ReplyWriter } from './writer.ts'

const FINISHES: Readonly<Record<string, string>> = {
  stop: 'stop',
  stop_sequence: 'stop',
  length: 'length',
  calls: 'tool_calls',
  filter: 'content_filter',
  refusal: 'content_filter',
}

function usageOf({ usage }: Reply): object | undefined {
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

const toolCalls = (reply: Reply): object[] =>
  callsOf(reply.parts).map(({ id, name, args }) => ({
    id,
    type: 'function',
    function: { name, arguments: JSON.stringify(args) },
  }))

export const CHAT: ReplyWriter = {
  streamType: SSE,
  whole(reply, model) {
    const calls = toolCalls(reply)
    const message = {
      role: 'assistant',
      content: textOf(reply.parts, 'text'),
      refusal: textOf(reply.parts, 'refusal'),
      ...(calls.length === 0 ? {} : { tool_calls: calls }),
    }
    return {
      id: 'chatcmpl-toy',
      object: 'chat.completion',
      created: 1,
      model,
      choices: [{ index: 0, message, finish_reason: wordOf(FINISHES, reply) }],
      usage: usageOf(reply),
    }
  },
  events(reply, model) {
    const base = { id: 'chatcmpl-toy', object: 'chat.completion.chunk', created: 1, model }
    const chunk = (delta: object, finish: string | null = null): string =>
      sse({ ...base, choices: [{ index: 0, delta, finish_reason: finish }] })
    const refusal = textOf(reply.parts, 'refusal')
    return [
      chunk({ role: 'assistant', content: '' }),
      ...piecesOf(textOf(reply.parts, 'text') ?? '').map(piece => chunk({ content: piece })),
      ...(refusal === null ? [] : [chunk({ refusal })]),
      ...toolCalls(reply).map((call, index) => chunk({ tool_calls: [{ index, ...call }] })),
      chunk({}, wordOf(FINISHES, reply)),
      sse({ ...base, choices: [], usage: usageOf(reply) }),
      sse('[DONE]'),
    ]
  },
  error: ({ message, type, code, isContextLength }) => ({
    body: {
      error: { message, type: type ?? 'error', param: null, code: isContextLength ? 'context_length_exceeded' : code },
    },
  }),
  errorEvent: ({ message, type }) => sse({ error: { message, type: type ?? 'server_error', code: null } }),
}
