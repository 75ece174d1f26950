/** What conditions test of a chat request, in the terms of the neutral form: one rule serves all formats. */
import type { Json } from 'svc/plugin'
import { isRecord, type MatchFacts, type MatchField } from 'svc/toolkit'
import type { Message, NeutralRequest } from '../contract/neutral.ts'
import { lastUserText } from './prompt.ts'
import { namesOf } from './tool-names.ts'

const FORMATS = ['none', 'json', 'schema'] as const

/** The conditions by name. */
export const CHAT_FIELDS: Readonly<Record<string, MatchField>> = {
  model: { description: 'The model; a plain text may end in `*`', kind: 'wildcard' },
  user: { description: 'The text of the last user message' },
  system: { description: 'The system texts, joined by line breaks' },
  tool: {
    description: 'The name of a tool that the request offers; with or without its namespace (`<namespace>__<name>`)',
  },
  tool_result: {
    description: 'The text of a tool result after the last user message; true: there is one',
    kind: 'presence',
  },
  last_result: { description: 'The text of the tool result with which the request ends' },
  last_result_id: { description: 'The id of the tool call that this result belongs to' },
  turn: { description: 'The number of assistant messages before' },
  format: { description: 'The format of the reply that the client requests', kind: FORMATS },
}

/** The facts of a request. */
export function chatFacts(request: NeutralRequest): MatchFacts {
  return {
    model: request.model,
    user: lastUserText(request),
    system: request.system.length === 0 ? undefined : request.system.join('\n'),
    tool: request.tools.flatMap(namesOf),
    tool_result: resultsAfterUser(request),
    ...lastResult(request),
    turn: request.messages.filter(({ role }) => role === 'assistant').length,
    format: request.format.type,
  }
}

/** The texts of the tool results after the last message of the user. */
function resultsAfterUser({ messages }: NeutralRequest): Json[] {
  const last = messages.findLastIndex(message => message.role === 'user' && !isResult(message))
  return messages
    .slice(last + 1)
    .flatMap(({ parts }) => parts.flatMap(part => (part.type === 'result' ? [part.content] : [])))
}

/** The tool result at the end of the request. */
function lastResult({ messages }: NeutralRequest): { last_result?: string; last_result_id?: string } {
  const part = messages.at(-1)?.parts.at(-1)
  return part?.type === 'result' ? { last_result: part.content, last_result_id: part.id } : {}
}

function isResult({ parts }: Message): boolean {
  return parts.length > 0 && parts.every(part => isRecord(part) && part.type === 'result')
}
