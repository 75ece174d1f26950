/** Schemas of the responses, for the OpenAPI document. */
import type { ReplyContent } from 'svc/plugin'
import { BOOLEAN, INTEGER, jsonReply, list, object, RECORD, TEXT } from 'svc/toolkit'

export const A2A = jsonReply(
  object({
    protocolVersions: list(TEXT),
    versionHeader: TEXT,
    defaultAgent: TEXT,
    agents: list(
      object({
        id: TEXT,
        name: TEXT,
        description: TEXT,
        jsonrpc: TEXT,
        rest: TEXT,
        card: TEXT,
        legacyCard: TEXT,
        requiresAuth: BOOLEAN,
      }),
    ),
    webhookSink: TEXT,
  }),
  'A2a',
)

export const A2A_JWKS_JSON = jsonReply(
  object({ keys: list(object({ kty: TEXT, crv: TEXT, x: TEXT, y: TEXT, kid: TEXT, alg: TEXT, use: TEXT })) }),
  'A2aJwksJson',
)

/** By method. */
export const SINK: Readonly<Record<string, ReplyContent>> = {
  POST: jsonReply(object({ received: BOOLEAN, id: TEXT, count: INTEGER }), 'WebhookReceipt'),
  GET: jsonReply(object({ id: TEXT, count: INTEGER, notifications: list(RECORD) }), 'WebhookNotifications'),
  DELETE: jsonReply(object({ id: TEXT, deleted: BOOLEAN }), 'WebhookSinkDeleted'),
}
