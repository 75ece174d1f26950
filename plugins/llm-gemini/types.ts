/** Extension points for plugins with another transport: parsing requests for content, and checking their schemas. */
import type { readRequest } from './request.ts'
import type { checkSchema } from './validation/schema.ts'

/** Throws `engine.badInput` for a wrong request. */
export type ReadGeminiRequest = typeof readRequest

/** Reports violations of the rules `gemini.*` in a schema of a function or reply. */
export type CheckGeminiSchema = typeof checkSchema

declare module 'svc/plugin' {
  interface ExtensionPoints {
    'llm-gemini.request': ReadGeminiRequest
    'llm-gemini.schema': CheckGeminiSchema
  }
}
