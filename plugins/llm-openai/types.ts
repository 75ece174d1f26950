/** The extension point `llm-openai.wire`: the routes of the format, for providers that share it (Azure, Bedrock). */
import type {
  ErrorFacts,
  ErrorKind,
  ErrorResponse,
  Finish,
  HeaderFacts,
  LimitState,
  LlmRoute,
  Refusal,
} from '../llm/types.ts'

import type { readTooling } from './tools.ts'
import type { BatchRouteName } from './batches/routes.ts'
import type { FileRouteName } from './files/routes.ts'
import type { ImageRouteName } from './images/routes.ts'
import type { UploadRouteName } from './files/uploads.ts'
import type { ConversationRouteName } from './conversations/routes.ts'

/** The routes of the format, without a base path. */
export type OpenAiRouteName =
  | 'chat'
  | 'completions'
  | 'responses'
  | 'responsesSocket'
  | 'countInput'
  | 'compact'
  | 'response'
  | 'deleteResponse'
  | 'cancelResponse'
  | 'inputItems'
  | ConversationRouteName
  | FileRouteName
  | UploadRouteName
  | BatchRouteName
  | 'embeddings'
  | 'moderations'
  | ImageRouteName
  | 'transcriptions'
  | 'translations'
  | 'speech'
  | 'models'
  | 'model'

export interface OpenAiWire {
  /** Paths are relative to `/v1`: `/chat/completions`. */
  routes: Record<OpenAiRouteName, LlmRoute>
  /** `POST /tokenize` below the base path of the provider. */
  tokenize(base: string): LlmRoute
  error(kind: ErrorKind, facts: ErrorFacts): { error: OpenAiError }
  messages: Partial<Record<ErrorKind, string>>
  headers(facts: HeaderFacts): Record<string, string>
  /** The refusal of a rate limit. */
  limited(refusal: Refusal & { model: string }, facts: ErrorFacts): ErrorResponse
  /** Headers that tell what rate limits have left; `reset` formats milliseconds. */
  limitHeaders(state: LimitState, now: number, reset?: (ms: number) => string): Record<string, string>
  finishReasons: Record<Finish, string>
  /** Parses tools and the tool choice; throws for invalid ones. */
  readTooling: typeof readTooling
  unknownModel: string
}

export interface OpenAiError {
  message: string
  type: string | null
  param: string | null
  code: string | null
}

/** Additions of a provider to chat replies. */
export interface ChatExtras {
  /** Fields of the complete reply. */
  reply(): object
  /** Fields of a complete choice. */
  choice(finish: Finish): object
  /** An extra first chunk of a stream. */
  opening(): object
}

export type OpenAiWireFactory = (extras?: ChatExtras) => OpenAiWire

declare module 'svc/plugin' {
  interface ExtensionPoints {
    'llm-openai.wire': OpenAiWireFactory
  }
}
