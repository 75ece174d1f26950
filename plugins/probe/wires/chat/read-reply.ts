/** Reads complete chat completions. */
import { emptyReply, finishOf, unreadable } from '../neutral.ts'
import type { Finish, Part, Reply, WireAnswer } from '../types.ts'
import { listOf, member, membersOf, parseJson, textOf } from '../values.ts'
import { readChatUsage } from './own-members.ts'
import { readAssistant } from './read-request.ts'

export function readChatReply({ body }: WireAnswer): Reply {
  const value = parseJson(body.toString('utf8'))
  const choice = listOf(member(value, 'choices'))[0]
  if (choice === undefined) return unreadable('/choices', 'no choice')
  const reply = emptyReply()
  const message = membersOf(member(choice, 'message'))
  reply.id = textOf(member(value, 'id'))
  reply.model = textOf(member(value, 'model'))
  reply.parts = readAssistant(message, '/choices/0/message', reply.problems)
  reply.finish = readFinish(member(choice, 'finish_reason'), reply.parts)
  reply.usage = readChatUsage(member(value, 'usage'))
  reply.native = message
  return reply
}

const FINISHES: Readonly<Record<string, Finish>> = {
  tool_calls: 'calls',
  function_call: 'calls',
  content_filter: 'filter',
}

/** A refusal ends as an ordinary reply. */
export function readFinish(word: unknown, parts: readonly Part[]): Finish | null {
  const text = textOf(word)
  if (text === null) return null
  if (parts.some(({ type }) => type === 'refusal') && (text === 'stop' || text === 'content_filter')) return 'refusal'
  return finishOf(FINISHES, text)
}
