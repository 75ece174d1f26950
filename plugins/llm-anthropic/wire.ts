/** The Messages format for providers that share it. */
import type { Engine, LlmRoute } from '../llm/types.ts'
import { anthropicError, anthropicErrorType, anthropicLimited } from './errors.ts'
import { countTokens, createMessages, finishReasons } from './messages.ts'
import type { AnthropicWire, MessagesOptions } from './types.ts'

export function createWire(engine: Engine, options?: MessagesOptions): AnthropicWire {
  const routes = {
    messages: createMessages(engine, options) as LlmRoute,
    countTokens: countTokens(engine, options?.documents, options?.platform) as LlmRoute,
  }
  return {
    routes,
    error: anthropicError,
    errorType: anthropicErrorType,
    mount: (prefix, names, more) => ({
      format: 'Anthropic',
      prefix,
      routes: names.map(name => routes[name]),
      exampleBase: '/ai/anthropic',
      // What Anthropic's clients send.
      credentials: [{ source: 'x-api-key', header: 'x-api-key' }],
      error: (kind, facts) => ({ status: facts.status, body: anthropicError(kind, facts) }),
      limited: anthropicLimited,
      streamError: facts => ({ event: 'error', data: anthropicError('server_error', facts) }),
      finishReasons,
      ...more,
    }),
  }
}
