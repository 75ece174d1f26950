/** Requests in the chat formats of OpenAI and Anthropic, as conditions of a rule. */
import { isRecord } from 'svc/toolkit'
import type { Json, JsonObject } from 'svc/plugin'

export type ChatFormat = 'openai' | 'anthropic'

export interface ChatRequest {
  format: ChatFormat
  /** Conditions below `match.llm`. */
  conditions: JsonObject
}

/** Null for other requests. `path` is that at the upstream. */
export function readChatRequest(path: string, body: Json | undefined): ChatRequest | null {
  const format = formatOf(path)
  if (format === null || !isRecord(body) || !Array.isArray(body.messages) || typeof body.model !== 'string') return null
  const messages = (body.messages as Json[]).filter(isRecord) as JsonObject[]
  const last = messages.findLastIndex(message => message.role === 'user' && !isResult(message))
  const user = last === -1 ? undefined : messages[last]!
  return {
    format,
    conditions: {
      model: body.model,
      ...(user === undefined ? {} : { user: textOf(user.content) }),
      turn: messages.filter(({ role }) => role === 'assistant').length,
      tool_result: messages.slice(last + 1).some(message => message.role === 'tool' || isResult(message)),
    },
  }
}

function formatOf(path: string): ChatFormat | null {
  if (path.endsWith('/chat/completions')) return 'openai'
  return path.endsWith('/messages') ? 'anthropic' : null
}

/** A message of a user that only returns results of tools. */
function isResult({ role, content }: JsonObject): boolean {
  return (
    role === 'user' &&
    Array.isArray(content) &&
    content.length > 0 &&
    content.every(part => isRecord(part) && part.type === 'tool_result')
  )
}

/** The texts of a message, joined by line breaks. */
function textOf(content: Json | undefined): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content.flatMap(part => (isRecord(part) && typeof part.text === 'string' ? [part.text] : [])).join('\n')
}
