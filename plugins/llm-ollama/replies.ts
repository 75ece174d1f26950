/** What the routes reply, by method and path, for the OpenAPI document. */
import type { ReplyContent } from 'svc/plugin'
import { BOOLEAN, INTEGER, jsonReply, list, NUMBER, object, RECORD, streamedReply, TEXT, textReply } from 'svc/toolkit'

const DETAILS = object({ format: TEXT, family: TEXT, parameter_size: TEXT, quantization_level: TEXT })
const COUNTS = {
  done_reason: TEXT,
  total_duration: INTEGER,
  load_duration: INTEGER,
  prompt_eval_count: INTEGER,
  prompt_eval_duration: INTEGER,
  eval_count: INTEGER,
  eval_duration: INTEGER,
}
const NDJSON = 'application/x-ndjson'

export const REPLIES: Record<string, ReplyContent> = {
  'POST /api/chat': streamedReply(
    object({ model: TEXT, created_at: TEXT, message: object({ role: TEXT, content: TEXT }), done: BOOLEAN }, COUNTS),
    'OllamaChat',
    NDJSON,
  ),
  'POST /api/generate': streamedReply(
    object({ model: TEXT, created_at: TEXT, response: TEXT, done: BOOLEAN }, COUNTS),
    'OllamaGeneration',
    NDJSON,
  ),
  'POST /api/embed': jsonReply(object({ model: TEXT, embeddings: list(list(NUMBER)) }), 'OllamaEmbeddings'),
  'POST /api/embeddings': jsonReply(object({ embedding: list(NUMBER) }), 'OllamaEmbedding'),
  'POST /api/show': jsonReply(
    object({ details: DETAILS, model_info: RECORD, capabilities: list(TEXT) }, { modelfile: TEXT, template: TEXT }),
    'OllamaModel',
  ),
  'GET /api/tags': jsonReply(
    object({
      models: list(
        object({ name: TEXT, model: TEXT, modified_at: TEXT, size: INTEGER, digest: TEXT, details: DETAILS }),
      ),
    }),
    'OllamaTags',
  ),
  'GET /api/ps': jsonReply(object({ models: list(RECORD) }), 'OllamaProcesses'),
  'GET /api/version': jsonReply(object({ version: TEXT }), 'OllamaVersion'),
  'GET /': textReply('text/plain'),
}
