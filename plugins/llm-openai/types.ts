/** The extension point `llm-openai.wire`: the routes of the format, for providers that share it (Azure, Bedrock). */
import type {
  ErrorFacts,
  ErrorKind,
  ErrorResponse,
  Finish,
  HandlerRoute,
  HeaderFacts,
  LimitState,
  LlmRoute,
  MountedFormat,
  ProviderRoute,
  Refusal,
  ValidationRule,
} from '../llm/types.ts'

import type { ChatExtras } from './chat/chat-json.ts'
import type { OpenAiError } from './format/errors.ts'
import type { readTooling } from './format/tools.ts'
import type { BatchRouteName } from './batches/routes.ts'
import type { FileRouteName } from './files/routes.ts'
import type { ImageRouteName } from './images/routes.ts'
import type { UploadRouteName } from './files/uploads.ts'
import type { ConversationRouteName } from './conversations/routes.ts'

export type { ChatExtras } from './chat/chat-json.ts'
export type { OpenAiError } from './format/errors.ts'

/** The calls of a model, and the routes that answer by themselves; without a base path. */
export type OpenAiModelRouteName =
  | 'chat'
  | 'completions'
  | 'responses'
  | 'responsesSocket'
  | 'countInput'
  | 'compact'
  | 'embeddings'
  | 'moderations'
  | ImageRouteName
  | 'transcriptions'
  | 'translations'
  | 'speech'
  | 'models'
  | 'model'
export type OpenAiHandlerRouteName =
  | 'response'
  | 'deleteResponse'
  | 'cancelResponse'
  | 'inputItems'
  | ConversationRouteName
  | FileRouteName
  | UploadRouteName
  | BatchRouteName
export type OpenAiRouteName = OpenAiModelRouteName | OpenAiHandlerRouteName

export type OpenAiRoutes = Record<OpenAiModelRouteName, LlmRoute> & Record<OpenAiHandlerRouteName, HandlerRoute>

export interface OpenAiWire {
  /** Paths are relative to `/v1`: `/chat/completions`. */
  routes: OpenAiRoutes
  /** Routes of model servers, below the base path of a provider: `/tokenize`, `/tokenizer_info`, `/health`. */
  server(base: string): ProviderRoute[]
  /** The format below a prefix of another provider, with its own form of errors and these routes. */
  mount(prefix: string, names: readonly OpenAiRouteName[], more?: Partial<MountedFormat>): MountedFormat
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

/** How a provider that shares the format checks its requests. Default: not at all. */
export interface StrictVariant {
  flavour: string
  /** The rules of chat completions, from those of OpenAI. */
  rules?(openAi: readonly ValidationRule[]): readonly ValidationRule[]
  /** Members of the body and of messages of chat completions that OpenAI does not have. */
  members?: { body: readonly string[]; message: readonly string[] }
  /** Unknown members are ignored, and no model has parameters of its own. */
  isLenient?: boolean
}

export type OpenAiWireFactory = (extras?: ChatExtras, variant?: StrictVariant) => OpenAiWire

declare module 'svc/plugin' {
  interface ExtensionPoints {
    'llm-openai.wire': OpenAiWireFactory
  }
}
