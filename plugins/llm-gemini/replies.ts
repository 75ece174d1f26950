/** What the routes reply, by method and path, for the OpenAPI document. */
import type { ReplyContent } from 'svc/plugin'
import { BOOLEAN, INTEGER, jsonReply, list, NUMBER, object, RECORD, streamedReply, TEXT, textReply } from 'svc/toolkit'

const MODEL = object({
  name: TEXT,
  version: TEXT,
  displayName: TEXT,
  inputTokenLimit: INTEGER,
  outputTokenLimit: INTEGER,
  supportedGenerationMethods: list(TEXT),
})
const FILE = object(
  {
    name: TEXT,
    mimeType: TEXT,
    sizeBytes: TEXT,
    createTime: TEXT,
    updateTime: TEXT,
    sha256Hash: TEXT,
    uri: TEXT,
    state: TEXT,
  },
  { expirationTime: TEXT, displayName: TEXT, source: TEXT },
)
const OPERATION = object({ name: TEXT }, { metadata: RECORD, done: BOOLEAN, response: RECORD, error: RECORD })
const GENERATION = object(
  { usageMetadata: object({ promptTokenCount: INTEGER, totalTokenCount: INTEGER }), modelVersion: TEXT },
  {
    candidates: list(
      object({ index: INTEGER }, { content: object({ role: TEXT }, { parts: list(RECORD) }), finishReason: TEXT }),
    ),
    promptFeedback: RECORD,
    responseId: TEXT,
  },
)
const INTERACTION = object(
  { id: TEXT, object: TEXT, status: TEXT },
  { model: TEXT, created: TEXT, updated: TEXT, role: TEXT, steps: list(RECORD), usage: RECORD },
)
const CACHE = object(
  {
    name: TEXT,
    model: TEXT,
    createTime: TEXT,
    updateTime: TEXT,
    expireTime: TEXT,
    usageMetadata: object({ totalTokenCount: INTEGER }),
  },
  { displayName: TEXT },
)
const CACHE_REPLY = jsonReply(CACHE, 'GeminiCachedContent')
const EMPTY = jsonReply(RECORD)
const MODELS = '/v1beta/models/{model}'

export const REPLIES: Record<string, ReplyContent> = {
  'GET /v1beta/models': jsonReply(object({ models: list(MODEL) }, { nextPageToken: TEXT }), 'GeminiModels'),
  'GET /v1beta/models/{*model}': jsonReply(MODEL, 'GeminiModel'),
  [`POST ${MODELS}:generateContent`]: jsonReply(GENERATION, 'GeminiGeneration'),
  [`POST ${MODELS}:streamGenerateContent`]: {
    ...textReply('text/event-stream'),
    'application/json': list(GENERATION),
  },
  [`POST ${MODELS}:countTokens`]: jsonReply(object({ totalTokens: INTEGER }), 'GeminiTokenCount'),
  [`POST ${MODELS}:batchEmbedContents`]: jsonReply(
    object({ embeddings: list(object({ values: list(NUMBER) })) }),
    'GeminiEmbeddings',
  ),
  [`POST ${MODELS}:embedContent`]: jsonReply(
    object({ embedding: object({ values: list(NUMBER) }) }),
    'GeminiEmbedding',
  ),
  [`POST ${MODELS}:predict`]: jsonReply(object({ predictions: list(RECORD) }), 'GeminiPredictions'),
  [`POST ${MODELS}:batchGenerateContent`]: jsonReply(OPERATION, 'GeminiOperation'),
  'POST /upload/v1beta/files': jsonReply(object({ file: FILE }), 'GeminiUpload'),
  'GET /v1beta/files': jsonReply(object({}, { files: list(FILE), nextPageToken: TEXT }), 'GeminiFiles'),
  'GET /download/v1beta/files/{file}:download': textReply('*/*'),
  'GET /v1beta/files/{file}:download': textReply('*/*'),
  'GET /v1beta/files/{*file}': jsonReply(FILE, 'GeminiFile'),
  'DELETE /v1beta/files/{*file}': EMPTY,
  'POST /v1beta/cachedContents': CACHE_REPLY,
  'GET /v1beta/cachedContents': jsonReply(
    object({}, { cachedContents: list(CACHE), nextPageToken: TEXT }),
    'GeminiCachedContents',
  ),
  'GET /v1beta/cachedContents/{id}': CACHE_REPLY,
  'PATCH /v1beta/cachedContents/{id}': CACHE_REPLY,
  'DELETE /v1beta/cachedContents/{id}': EMPTY,
  'GET /v1beta/batches': jsonReply(
    object({}, { operations: list(OPERATION), nextPageToken: TEXT }),
    'GeminiOperations',
  ),
  'GET /v1beta/batches/{batch}': jsonReply(OPERATION, 'GeminiOperation'),
  'DELETE /v1beta/batches/{batch}': EMPTY,
  'POST /v1beta/batches/{batch}:cancel': EMPTY,
  'POST /v1beta/interactions': streamedReply(INTERACTION, 'GeminiInteraction'),
  'GET /v1beta/interactions/{interaction}': streamedReply(INTERACTION, 'GeminiInteraction'),
  'DELETE /v1beta/interactions/{interaction}': EMPTY,
  'POST /v1beta/interactions/{interaction}/cancel': jsonReply(INTERACTION, 'GeminiInteraction'),
}
