/** Reads complete replies of Converse. */
import { emptyReply, finishOf, unreadable } from '../neutral.ts'
import type { Finish, Reply, Usage, WireAnswer } from '../types.ts'
import { listOf, member, membersOf, numberOf, parseJson, type Members } from '../values.ts'
import { readBlocks } from './read-request.ts'

export function readConverseReply({ body }: WireAnswer): Reply {
  const value = membersOf(parseJson(body.toString('utf8')))
  const content = member(value.output, 'message', 'content')
  if (!Array.isArray(content)) return unreadable('/output/message/content', 'no content')
  return readTurn({ content, stopReason: value.stopReason, usage: value.usage })
}

export function readTurn({ content, stopReason, usage }: Members): Reply {
  const reply = emptyReply()
  reply.parts = readBlocks(content, '/output/message/content', reply.problems)
  reply.finish = finishOf(FINISHES, stopReason)
  reply.usage = readConverseUsage(usage)
  reply.native = content
  return reply
}

const FINISHES: Readonly<Record<string, Finish>> = {
  end_turn: 'stop',
  max_tokens: 'length',
  tool_use: 'calls',
  content_filtered: 'filter',
  guardrail_intervened: 'filter',
}

/** Tokens read from a cache, and written to one, are not in `inputTokens`. */
function readConverseUsage(usage: unknown): Usage | null {
  if (usage === null || usage === undefined) return null
  const given = membersOf(usage)
  const plain = numberOf(given.inputTokens)
  const cached = numberOf(given.cacheReadInputTokens)
  const write = numberOf(given.cacheWriteInputTokens)
  const long = listOf(given.cacheDetails).filter(entry => member(entry, 'ttl') === '1h')
  return {
    input: plain === null ? null : plain + (cached ?? 0) + (write ?? 0),
    cached,
    write,
    write_1h:
      given.cacheDetails === undefined
        ? null
        : long.reduce<number>((sum, entry) => sum + (numberOf(member(entry, 'inputTokens')) ?? 0), 0),
    output: numberOf(given.outputTokens),
    reasoning: null,
  }
}
