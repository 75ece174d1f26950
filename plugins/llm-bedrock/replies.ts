/** What the routes reply, by method and path, for the OpenAPI document. */
import type { ReplyContent } from 'svc/plugin'
import { INTEGER, jsonReply, list, object, RECORD, TEXT, textReply } from 'svc/toolkit'

const MODEL = '/model/{*modelId}'
const EVENTS = textReply('application/vnd.amazon.eventstream')

export const REPLIES: Record<string, ReplyContent> = {
  [`POST ${MODEL}/converse`]: jsonReply(
    object(
      {
        output: object({ message: object({ role: TEXT, content: list(RECORD) }) }),
        stopReason: TEXT,
        usage: object({ inputTokens: INTEGER, outputTokens: INTEGER, totalTokens: INTEGER }),
        metrics: object({ latencyMs: INTEGER }),
      },
      { trace: RECORD },
    ),
    'BedrockConverse',
  ),
  [`POST ${MODEL}/converse-stream`]: EVENTS,
  // The body is that of the model's vendor.
  [`POST ${MODEL}/invoke`]: jsonReply(RECORD),
  [`POST ${MODEL}/invoke-with-response-stream`]: EVENTS,
  [`POST ${MODEL}/count-tokens`]: jsonReply(object({ inputTokens: INTEGER }), 'BedrockTokenCount'),
}

/** The guardrail that applies to texts without a model. */
export const GUARDRAIL_REPLY = jsonReply(
  object(
    { usage: RECORD, action: TEXT, outputs: list(object({ text: TEXT })), assessments: list(RECORD) },
    { actionReason: TEXT, guardrailCoverage: RECORD },
  ),
  'BedrockGuardrail',
)
