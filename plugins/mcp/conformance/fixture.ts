/** Owns the definition of fixtures, which exist only on the conformance server. */
import type { JsonSchema } from 'svc/plugin'
import type { CallContext, JsonObject, ToolDefinition, ToolResult } from '../types.ts'

export const ON_CONFORMANCE = { servers: ['conformance'], fixture: true }

/** A tool of the suite; properties with a name that ends in `*` are required. */
export function fixtureTool(
  name: string,
  description: string,
  input: Record<string, JsonSchema>,
  call: (args: JsonObject, context: CallContext) => ToolResult | Promise<ToolResult>,
): ToolDefinition {
  const plain = (property: string) => property.replace(/\*$/, '')
  const inputSchema = {
    type: 'object',
    properties: Object.fromEntries(Object.entries(input).map(([property, schema]) => [plain(property), schema])),
    required: Object.keys(input)
      .filter(property => property.endsWith('*'))
      .map(plain),
    additionalProperties: false,
  }
  return { ...ON_CONFORMANCE, name, description, inputSchema, call }
}

export function textResult(text: string): ToolResult {
  return { content: [{ type: 'text', text }] }
}
