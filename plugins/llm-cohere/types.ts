/** The extension point `llm-cohere.wire`: routes for providers that share the format (Bedrock). */
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
