/** The writers by the wire of the client. */
import { CHAT } from './chat.ts'
import { CONVERSE } from './converse.ts'
import { GEMINI } from './gemini.ts'
import { MESSAGES } from './messages.ts'
import { RESPONSES } from './responses.ts'
import type { ReplyWriter } from './writer.ts'

export const REPLY_WRITERS: Readonly<Record<string, ReplyWriter>> = {
  chat: CHAT,
  responses: RESPONSES,
  messages: MESSAGES,
  gemini: GEMINI,
  converse: CONVERSE,
}
