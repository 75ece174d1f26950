/** The extension point `llm-openai.wire`: the format's routes for providers that share it (Azure, Bedrock). */
import type { ErrorFacts, ErrorKind, Finish, HeaderFacts, LlmRoute } from '../llm/types.ts'

/** The routes that carry the format, without a base path of their own. */
export type OpenAiRouteName =
  | 'chat'
  | 'completions'
  | 'responses'
  | 'embeddings'
  | 'moderations'
  | 'images'
  | 'transcriptions'
  | 'translations'
  | 'speech'
  | 'models'
  | 'model'

export interface OpenAiWire {
  /** Paths are those below `/v1`: `/chat/completions`. */
  routes: Record<OpenAiRouteName, LlmRoute>
  error(kind: ErrorKind, facts: ErrorFacts): { error: OpenAiError }
  messages: Partial<Record<ErrorKind, string>>
  headers(facts: HeaderFacts): Record<string, string>
  finishReasons: Record<Finish, string>
  unknownModel: string
}

export interface OpenAiError {
  message: string
  type: string | null
  param: string | null
  code: string | null
}

/** What a provider adds to chat replies. */
export interface ChatExtras {
  /** Fields of the whole reply. */
  reply(): object
  /** Fields of a choice that is complete. */
  choice(finish: Finish): object
  /** A chunk before all others of a stream. */
  opening(): object
}

export type OpenAiWireFactory = (extras?: ChatExtras) => OpenAiWire

declare module 'svc/plugin' {
  interface ExtensionPoints {
    'llm-openai.wire': OpenAiWireFactory
  }
}
