/** Schemas of the responses, for the OpenAPI document. */
import { textReply } from 'svc/toolkit'

export const SSE_CHAT = textReply('text/event-stream')
