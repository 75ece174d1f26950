/** Reads complete responses. */
import { emptyReply, unreadable } from '../neutral.ts'
import type { Finish, Reply, Usage, WireAnswer } from '../types.ts'
import { firstOf, listOf, member, membersOf, numberOf, parseJson, textOf, type Members } from '../values.ts'
import { readOutputItem } from './items.ts'

export function readResponse({ body }: WireAnswer): Reply {
  const value = parseJson(body.toString('utf8'))
  if (!Array.isArray(member(value, 'output'))) return unreadable('/output', 'no output')
  return readResponseObject(membersOf(value))
}

export function readResponseObject(response: Members): Reply {
  const reply = emptyReply()
  reply.id = textOf(response.id)
  reply.model = textOf(response.model)
  const items = listOf(response.output)
  reply.parts = items.flatMap((item, index) => readOutputItem(membersOf(item), `/output/${index}`, reply.problems))
  reply.finish = readFinish(response, reply)
  reply.usage = readResponseUsage(response.usage)
  reply.native = items
  return reply
}

/** A complete response says nothing of its reason: it follows from what it has. */
function readFinish({ status, incomplete_details }: Members, { parts }: Reply): Finish | null {
  if (status === 'incomplete') {
    const reason = textOf(member(incomplete_details, 'reason'))
    if (reason === 'max_output_tokens') return 'length'
    return reason === 'content_filter' ? 'filter' : reason
  }
  if (status !== 'completed') return textOf(status)
  if (parts.some(({ type }) => type === 'refusal')) return 'refusal'
  return parts.some(({ type }) => type === 'call') ? 'calls' : 'stop'
}

export function readResponseUsage(usage: unknown): Usage | null {
  if (usage === null || usage === undefined) return null
  const input = membersOf(member(usage, 'input_tokens_details'))
  return {
    input: numberOf(member(usage, 'input_tokens')),
    cached: numberOf(input.cached_tokens),
    write: numberOf(
      firstOf(input.cache_write_tokens, input.cache_creation_tokens, member(usage, 'cache_creation_input_tokens')),
    ),
    write_1h: numberOf(member(input.cache_creation_token_details, 'ephemeral_1h_input_tokens')),
    output: numberOf(member(usage, 'output_tokens')),
    reasoning: numberOf(member(usage, 'output_tokens_details', 'reasoning_tokens')),
  }
}
