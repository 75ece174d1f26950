/** Owns defining demo tools, with schemas that allow no other properties and default annotations. */
import type { JsonSchema } from 'svc/plugin'
import { ToolFailure } from '../../errors.ts'
import type { CallContext, Content, JsonObject, ToolAnnotations, ToolDefinition, ToolResult } from '../../types.ts'

export interface DemoTool<Args> {
  name: string
  title: string
  description: string
  /** Properties of the input; names that end in `*` are required. */
  input: Record<string, JsonSchema>
  /** Properties of the structured output; names that end in `?` are optional. */
  output?: Record<string, JsonSchema>
  annotations?: ToolAnnotations
  scope?: string
  call(args: Args, context: CallContext): ToolResult | Promise<ToolResult>
}

const USUAL: ToolAnnotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
}

/** Builds the definition; `Args` is the type of the arguments that the input schema accepts. */
export function defineTool<Args>({ input, output, annotations, call, ...rest }: DemoTool<Args>): ToolDefinition {
  return {
    ...rest,
    inputSchema: objectSchema(input, name => name.endsWith('*')),
    outputSchema: output && objectSchema(output, name => !name.endsWith('?')),
    annotations: { ...USUAL, ...annotations },
    call: (args, context) => call(args as Args, context),
  }
}

/** A schema that allows no other properties; `*` and `?` at the end of names are removed. */
function objectSchema(properties: Record<string, JsonSchema>, isRequired: (name: string) => boolean): JsonSchema {
  const plain = (name: string) => name.replace(/[*?]$/, '')
  const required = Object.keys(properties).filter(isRequired).map(plain)
  return {
    type: 'object',
    properties: Object.fromEntries(Object.entries(properties).map(([name, schema]) => [plain(name), schema])),
    ...(required.length > 0 ? { required } : {}),
    additionalProperties: false,
  }
}

export function textContent(text: string): Content {
  return { type: 'text', text }
}

/** A result with one text and optional structured content. */
export function textResult(text: string, structuredContent?: JsonObject): ToolResult {
  return { content: [textContent(text)], structuredContent }
}

/** Ends the call with a tool error. */
export function fail(message: string): never {
  throw new ToolFailure(message)
}
