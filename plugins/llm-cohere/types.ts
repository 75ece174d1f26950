/** The extension point `llm-cohere.wire`: the routes of the format, for providers that share it (Bedrock). */
import type { LlmRoute } from '../llm/types.ts'

export interface CohereWire {
  chatV1: LlmRoute
  rerank: LlmRoute
}

declare module 'svc/plugin' {
  interface ExtensionPoints {
    'llm-cohere.wire': CohereWire
  }
}
