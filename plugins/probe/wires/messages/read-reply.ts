/** Reads complete messages. */
import { emptyReply, finishOf, unreadable } from '../neutral.ts'
import type { Finish, Reply, Usage, WireAnswer } from '../types.ts'
import { firstOf, member, membersOf, numberOf, parseJson, textOf, type Members } from '../values.ts'
import { readBlocks } from './read-request.ts'

export function readMessageReply({ body }: WireAnswer): Reply {
  const value = parseJson(body.toString('utf8'))
  if (!Array.isArray(member(value, 'content'))) return unreadable('/content', 'no content')
  return readMessage(membersOf(value))
}

export function readMessage(message: Members): Reply {
  const reply = emptyReply()
  reply.id = textOf(message.id)
  reply.model = textOf(message.model)
  reply.parts = readBlocks(message.content, '/content', reply.problems)
  reply.finish = finishOf(FINISHES, message.stop_reason)
  reply.stop_sequence = textOf(message.stop_sequence)
  reply.usage = readMessageUsage(message.usage)
  reply.native = message.content
  return reply
}

const FINISHES: Readonly<Record<string, Finish>> = {
  end_turn: 'stop',
  max_tokens: 'length',
  tool_use: 'calls',
  refusal: 'refusal',
}

/** Tokens read from a cache, and written to one, are not in `input_tokens`. */
export function readMessageUsage(usage: unknown): Usage | null {
  if (usage === null || usage === undefined) return null
  const given = membersOf(usage)
  const plain = numberOf(given.input_tokens)
  const cached = numberOf(given.cache_read_input_tokens)
  const write = numberOf(given.cache_creation_input_tokens)
  return {
    input: plain === null ? null : plain + (cached ?? 0) + (write ?? 0),
    cached,
    write,
    write_1h: numberOf(
      firstOf(
        member(given.cache_creation, 'ephemeral_1h_input_tokens'),
        member(given.cache_creation_token_details, 'ephemeral_1h_input_tokens'),
      ),
    ),
    output: numberOf(given.output_tokens),
    reasoning: numberOf(member(given.output_tokens_details, 'thinking_tokens')),
  }
}
