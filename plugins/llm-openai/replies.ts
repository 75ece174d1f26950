/** What the routes reply, for the OpenAPI document. That of chat completions is the schema that serializes them. */
import type { JsonSchema, ReplyContent } from 'svc/plugin'
import {
  ANY,
  BOOLEAN,
  INTEGER,
  jsonReply,
  list,
  NUMBER,
  nullable,
  object,
  RECORD,
  streamedReply,
  TEXT,
  textReply,
} from 'svc/toolkit'
import { chatReplySchema } from './chat/chat-json.ts'
import type { OpenAiRouteName } from './types.ts'

/** A page of a list, which has cursors. */
function page(items: JsonSchema): JsonSchema {
  return object({ object: TEXT, data: list(items), first_id: ANY, last_id: ANY, has_more: BOOLEAN })
}

const DELETED = object({ id: TEXT, object: TEXT, deleted: BOOLEAN })
const MODEL = object({ id: TEXT, object: TEXT, created: INTEGER, owned_by: TEXT })
const TOKENS = object({ prompt_tokens: INTEGER, total_tokens: INTEGER }, { completion_tokens: INTEGER })
const RESPONSE_USAGE = object({
  input_tokens: INTEGER,
  input_tokens_details: object({ cached_tokens: INTEGER }),
  output_tokens: INTEGER,
  output_tokens_details: object({ reasoning_tokens: INTEGER }),
  total_tokens: INTEGER,
})
const ITEM = object({ type: TEXT }, { id: TEXT, status: TEXT, role: TEXT, content: ANY })
const RESPONSE = object(
  {
    id: TEXT,
    object: TEXT,
    created_at: INTEGER,
    status: TEXT,
    model: TEXT,
    output: list(ITEM),
    parallel_tool_calls: BOOLEAN,
    tools: list(RECORD),
    metadata: RECORD,
  },
  {
    completed_at: nullable(INTEGER),
    background: BOOLEAN,
    error: ANY,
    incomplete_details: ANY,
    instructions: ANY,
    previous_response_id: nullable(TEXT),
    usage: nullable(RESPONSE_USAGE),
  },
)
const CONVERSATION = object({ id: TEXT, object: TEXT, created_at: INTEGER, metadata: RECORD })
const FILE = object(
  { id: TEXT, object: TEXT, bytes: INTEGER, created_at: INTEGER, filename: TEXT, purpose: TEXT, status: TEXT },
  { expires_at: nullable(INTEGER), status_details: ANY },
)
const UPLOAD = object(
  {
    id: TEXT,
    object: TEXT,
    bytes: INTEGER,
    created_at: INTEGER,
    expires_at: INTEGER,
    filename: TEXT,
    purpose: TEXT,
    status: TEXT,
  },
  { file: ANY },
)
const BATCH = object(
  { id: TEXT, object: TEXT, endpoint: TEXT, input_file_id: TEXT, status: TEXT, created_at: INTEGER },
  { output_file_id: nullable(TEXT), error_file_id: nullable(TEXT), request_counts: RECORD, metadata: ANY, errors: ANY },
)
const IMAGES = object(
  { created: INTEGER, data: list(object({}, { b64_json: TEXT, url: TEXT, revised_prompt: TEXT })) },
  { size: TEXT, quality: TEXT, background: TEXT, output_format: TEXT, usage: RECORD },
)
const COMPLETION = object({
  id: TEXT,
  object: TEXT,
  created: INTEGER,
  model: TEXT,
  choices: list(object({ text: TEXT, index: INTEGER, logprobs: ANY, finish_reason: ANY })),
  usage: TOKENS,
})
const EMBEDDINGS = object({
  object: TEXT,
  data: list(object({ object: TEXT, index: INTEGER, embedding: { anyOf: [list(NUMBER), TEXT] } })),
  model: TEXT,
  usage: TOKENS,
})
const MODERATION = object({
  id: TEXT,
  model: TEXT,
  results: list(object({ flagged: BOOLEAN, categories: RECORD, category_scores: RECORD })),
})
const TRANSCRIPTION = object(
  { text: TEXT },
  { usage: RECORD, language: TEXT, duration: NUMBER, segments: list(RECORD) },
)

const RESPONSE_REPLY = jsonReply(RESPONSE, 'OpenAiResponse')
const CONVERSATION_REPLY = jsonReply(CONVERSATION, 'OpenAiConversation')
const ITEM_PAGE = jsonReply(page(ITEM), 'OpenAiItemPage')
const FILE_REPLY = jsonReply(FILE, 'OpenAiFile')
const UPLOAD_REPLY = jsonReply(UPLOAD, 'OpenAiUpload')
const BATCH_REPLY = jsonReply(BATCH, 'OpenAiBatch')
const DELETED_REPLY = jsonReply(DELETED, 'OpenAiDeleted')
const IMAGES_REPLY = streamedReply(IMAGES, 'OpenAiImages')
const TRANSCRIPTION_REPLY: ReplyContent = {
  ...streamedReply(TRANSCRIPTION, 'OpenAiTranscription'),
  ...textReply('text/plain', 'text/vtt', 'application/x-subrip'),
}

export const REPLIES: Record<Exclude<OpenAiRouteName, 'responsesSocket'>, ReplyContent> = {
  chat: streamedReply(chatReplySchema(), 'OpenAiChatCompletion'),
  completions: streamedReply(COMPLETION, 'OpenAiCompletion'),
  responses: streamedReply(RESPONSE, 'OpenAiResponse'),
  countInput: jsonReply(object({ object: TEXT, input_tokens: INTEGER }), 'OpenAiInputTokens'),
  compact: jsonReply(
    object({ id: TEXT, object: TEXT, created_at: INTEGER, output: list(ITEM), usage: RESPONSE_USAGE }),
    'OpenAiCompaction',
  ),
  response: streamedReply(RESPONSE, 'OpenAiResponse'),
  deleteResponse: DELETED_REPLY,
  cancelResponse: RESPONSE_REPLY,
  inputItems: ITEM_PAGE,
  createConversation: CONVERSATION_REPLY,
  conversation: CONVERSATION_REPLY,
  updateConversation: CONVERSATION_REPLY,
  deleteConversation: DELETED_REPLY,
  addItems: ITEM_PAGE,
  listItems: ITEM_PAGE,
  item: jsonReply(ITEM, 'OpenAiItem'),
  deleteItem: CONVERSATION_REPLY,
  embeddings: jsonReply(EMBEDDINGS, 'OpenAiEmbeddings'),
  moderations: jsonReply(MODERATION, 'OpenAiModeration'),
  images: IMAGES_REPLY,
  imageEdits: IMAGES_REPLY,
  imageVariations: IMAGES_REPLY,
  transcriptions: TRANSCRIPTION_REPLY,
  translations: TRANSCRIPTION_REPLY,
  speech: textReply('audio/*', 'text/event-stream'),
  models: jsonReply(object({ object: TEXT, data: list(MODEL) }), 'OpenAiModels'),
  model: jsonReply(MODEL, 'OpenAiModel'),
  createFile: FILE_REPLY,
  listFiles: jsonReply(page(FILE), 'OpenAiFilePage'),
  file: FILE_REPLY,
  deleteFile: DELETED_REPLY,
  fileContent: textReply('*/*'),
  createUpload: UPLOAD_REPLY,
  addPart: jsonReply(object({ id: TEXT, object: TEXT, created_at: INTEGER, upload_id: TEXT }), 'OpenAiUploadPart'),
  completeUpload: UPLOAD_REPLY,
  cancelUpload: UPLOAD_REPLY,
  createBatch: BATCH_REPLY,
  listBatches: jsonReply(page(BATCH), 'OpenAiBatchPage'),
  batch: BATCH_REPLY,
  cancelBatch: BATCH_REPLY,
}
