/** What the routes reply, by method and path, for the OpenAPI document. */
import type { ReplyContent } from 'svc/plugin'
import { ANY, BOOLEAN, INTEGER, jsonReply, list, NUMBER, object, RECORD, streamedReply, TEXT } from 'svc/toolkit'

const VERSIONED = object({ api_version: object({ version: TEXT }) }, { billed_units: RECORD, tokens: RECORD })
const USAGE = object({ billed_units: RECORD, tokens: RECORD })
const EMBEDDINGS = object({ id: TEXT, embeddings: ANY, texts: list(TEXT), meta: VERSIONED }, { response_type: TEXT })
const RANKING = object(
  { id: TEXT, results: list(object({ index: INTEGER, relevance_score: NUMBER })), meta: VERSIONED },
  { model: TEXT, usage: RECORD },
)

export const REPLIES: Record<string, ReplyContent> = {
  'POST /v2/chat': streamedReply(
    object({ id: TEXT, finish_reason: TEXT, message: object({ role: TEXT }, { content: ANY }), usage: USAGE }),
    'CohereChat',
  ),
  'POST /v1/chat': streamedReply(
    object({ response_id: TEXT, text: TEXT, generation_id: TEXT, finish_reason: TEXT, meta: VERSIONED }),
    'CohereChatV1',
    'application/stream+json',
  ),
  'POST /v2/embed': jsonReply(EMBEDDINGS, 'CohereEmbeddings'),
  'POST /v1/embed': jsonReply(EMBEDDINGS, 'CohereEmbeddings'),
  'POST /v2/rerank': jsonReply(RANKING, 'CohereRanking'),
  'POST /v1/rerank': jsonReply(RANKING, 'CohereRanking'),
  'POST /v1/tokenize': jsonReply(
    object({ tokens: list(INTEGER), token_strings: list(TEXT), meta: VERSIONED }),
    'CohereTokens',
  ),
  'POST /v1/check-api-key': jsonReply(object({ valid: BOOLEAN }), 'CohereKeyCheck'),
  'GET /v1/models': jsonReply(
    object({ models: list(object({ name: TEXT, endpoints: list(TEXT) })) }, { next_page_token: TEXT }),
    'CohereModels',
  ),
}
