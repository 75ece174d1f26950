/** The extension point `llm-gemini.request`: parses requests for content, for plugins with another transport. */
import type { readRequest } from './request.ts'

/** Throws `engine.badInput` for a wrong request. */
export type ReadGeminiRequest = typeof readRequest

declare module 'svc/plugin' {
  interface ExtensionPoints {
    'llm-gemini.request': ReadGeminiRequest
  }
}
