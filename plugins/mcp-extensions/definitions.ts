/** Owns the common parts of the tools: schemas without other properties, annotations, and results with one text. */
import type { JsonSchema } from 'svc/plugin'
import type { JsonObject, ToolAnnotations, ToolResult } from '../mcp/types.ts'

/** Annotations of a tool that changes nothing. */
export const READ_ONLY: ToolAnnotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
}

export function objectSchema(properties: Record<string, JsonSchema>, required: string[] = []): JsonSchema {
  return {
    type: 'object',
    properties,
    ...(required.length > 0 ? { required } : {}),
    additionalProperties: false,
  }
}

export function textResult(text: string, structuredContent?: JsonObject): ToolResult {
  return { content: [{ type: 'text', text }], structuredContent }
}
