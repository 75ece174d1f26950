/** Schemas of the responses, for the OpenAPI document. */
import { ANY, BOOLEAN, INTEGER, jsonReply, list, nullable, object, RECORD, TEXT } from 'svc/toolkit'

export const WEBHOOKS_VERIFY_POST = jsonReply(
  object({
    valid: BOOLEAN,
    scheme: TEXT,
    webhook_id: TEXT,
    timestamp: INTEGER,
    now: INTEGER,
    age_seconds: INTEGER,
    tolerance_seconds: ANY,
    signature_valid: BOOLEAN,
    timestamp_valid: ANY,
    received_signatures: list(TEXT),
    expected_signature: TEXT,
  }),
  'WebhooksVerifyPost',
)

export const WEBHOOKS_VERIFY_POST_2 = jsonReply(
  object({
    valid: BOOLEAN,
    scheme: TEXT,
    webhook_id: ANY,
    timestamp: ANY,
    now: INTEGER,
    age_seconds: ANY,
    tolerance_seconds: ANY,
    signature_valid: BOOLEAN,
    timestamp_valid: ANY,
    received_signatures: list(TEXT),
    expected_signature: TEXT,
  }),
  'WebhooksVerifyPost',
)

export const WEBHOOKS = jsonReply(
  object({
    schemes: RECORD,
    demo_secrets: list(object({ id: TEXT, secret: TEXT, receive_path: nullable(TEXT) })),
    sign_path: TEXT,
    outbound_delivery: BOOLEAN,
  }),
  'Webhooks',
)

export const WEBHOOKS_SIGN = jsonReply(
  object({
    scheme: TEXT,
    secret: TEXT,
    headers: RECORD,
    body: TEXT,
    signed_content: TEXT,
    verify_path: TEXT,
    receive_path: nullable(TEXT),
    curl: TEXT,
  }),
  'WebhooksSign',
)
