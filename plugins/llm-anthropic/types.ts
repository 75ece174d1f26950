/** The extension point `llm-anthropic.wire`: the messages route for providers that share the format (Bedrock). */
import type { Documents, LlmRoute } from '../llm/types.ts'

export interface MessagesOptions {
  /** Prefix of message ids. Default `msg_`. */
  idPrefix?: string
  /** Files that blocks can name. Default: none. */
  documents?: Documents
}

export type AnthropicWireFactory = (options?: MessagesOptions) => LlmRoute

declare module 'svc/plugin' {
  interface ExtensionPoints {
    'llm-anthropic.wire': AnthropicWireFactory
  }
}
