/** The extension point `llm-anthropic.wire`: the messages route for providers that share the format (Bedrock). */
import type { Documents, LlmRoute } from '../llm/types.ts'
import type { Platform } from './validation/platforms.ts'

export interface MessagesOptions {
  /** Prefix of message ids. Default `msg_`. */
  idPrefix?: string
  /** Files that blocks can name. Default: none. */
  documents?: Documents
  /** The platform whose requests are checked. Default: that of Anthropic. */
  platform?: Platform
}

export type AnthropicWireFactory = (options?: MessagesOptions) => LlmRoute

declare module 'svc/plugin' {
  interface ExtensionPoints {
    'llm-anthropic.wire': AnthropicWireFactory
  }
}
