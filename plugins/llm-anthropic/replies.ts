/** What the routes reply, by method and path, for the OpenAPI document. */
import type { ReplyContent } from 'svc/plugin'
import { ANY, BOOLEAN, INTEGER, jsonReply, list, nullable, object, streamedReply, TEXT, textReply } from 'svc/toolkit'

const MESSAGE = object({
  id: TEXT,
  type: TEXT,
  role: TEXT,
  model: TEXT,
  content: list(object({ type: TEXT }, { text: TEXT, id: TEXT, name: TEXT, input: ANY, thinking: TEXT })),
  stop_reason: nullable(TEXT),
  stop_sequence: nullable(TEXT),
  usage: object({ input_tokens: INTEGER, output_tokens: INTEGER }),
})
const MODEL = object({ type: TEXT, id: TEXT, display_name: TEXT, created_at: TEXT })
const BATCH = object({
  id: TEXT,
  type: TEXT,
  processing_status: TEXT,
  request_counts: object({
    processing: INTEGER,
    succeeded: INTEGER,
    errored: INTEGER,
    canceled: INTEGER,
    expired: INTEGER,
  }),
  created_at: TEXT,
  ended_at: nullable(TEXT),
  expires_at: TEXT,
  archived_at: nullable(TEXT),
  cancel_initiated_at: nullable(TEXT),
  results_url: nullable(TEXT),
})
const FILE = object({
  id: TEXT,
  type: TEXT,
  filename: TEXT,
  mime_type: TEXT,
  size_bytes: INTEGER,
  created_at: TEXT,
  downloadable: BOOLEAN,
})
const PAGE = { has_more: BOOLEAN, first_id: nullable(TEXT), last_id: nullable(TEXT) }
const DELETED = jsonReply(object({ id: TEXT, type: TEXT }), 'AnthropicDeleted')
const BATCH_REPLY = jsonReply(BATCH, 'AnthropicBatch')
const FILE_REPLY = jsonReply(FILE, 'AnthropicFile')
const BATCH_PATH = '/v1/messages/batches/{message_batch_id}'

export const REPLIES: Record<string, ReplyContent> = {
  'POST /v1/messages': streamedReply(MESSAGE, 'AnthropicMessage'),
  'POST /v1/messages/count_tokens': jsonReply(object({ input_tokens: INTEGER }), 'AnthropicTokenCount'),
  'GET /v1/models': jsonReply(object({ data: list(MODEL), ...PAGE }), 'AnthropicModels'),
  'GET /v1/models/{model}': jsonReply(MODEL, 'AnthropicModel'),
  'POST /v1/messages/batches': BATCH_REPLY,
  'GET /v1/messages/batches': jsonReply(object({ data: list(BATCH), ...PAGE }), 'AnthropicBatches'),
  [`GET ${BATCH_PATH}`]: BATCH_REPLY,
  [`DELETE ${BATCH_PATH}`]: DELETED,
  [`POST ${BATCH_PATH}/cancel`]: BATCH_REPLY,
  [`GET ${BATCH_PATH}/results`]: textReply('application/x-jsonl', 'application/binary', 'application/jsonl'),
  'POST /v1/files': FILE_REPLY,
  'GET /v1/files': jsonReply(object({ data: list(FILE), ...PAGE }), 'AnthropicFiles'),
  'GET /v1/files/{file_id}': FILE_REPLY,
  'DELETE /v1/files/{file_id}': DELETED,
  'GET /v1/files/{file_id}/content': textReply('*/*'),
}
