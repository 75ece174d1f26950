/** The extension point `llm-anthropic.wire`: the messages routes, for providers that share the format (Bedrock, Ollama). */
import type { Documents, ErrorFacts, ErrorKind, LlmRoute, MountedFormat } from '../llm/types.ts'
import type { Platform } from './validation/platforms.ts'

export interface MessagesOptions {
  /** Prefix of message ids. Default `msg_`. */
  idPrefix?: string
  /** Files that blocks can name. Default: none. */
  documents?: Documents
  /** The platform as which requests are checked. Default: not at all. */
  platform?: Platform
}

export type MessagesRouteName = 'messages' | 'countTokens'

export interface AnthropicWire {
  /** Below a base path: `/v1/messages`. */
  routes: Record<MessagesRouteName, LlmRoute>
  error(kind: ErrorKind, facts: ErrorFacts): object
  /** `error.type` of a kind. */
  errorType(kind: ErrorKind): string
  /** The format below a prefix of another provider, with its own form of errors and these routes. */
  mount(prefix: string, names: readonly MessagesRouteName[], more?: Partial<MountedFormat>): MountedFormat
}

export type AnthropicWireFactory = (options?: MessagesOptions) => AnthropicWire

declare module 'svc/plugin' {
  interface ExtensionPoints {
    'llm-anthropic.wire': AnthropicWireFactory
  }
}
