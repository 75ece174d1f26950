/** Parses Converse requests, and the similar bodies of Amazon's own models. */
import { isRecord } from 'svc/toolkit'
import type { Engine, Message, NeutralRequest, Part, ReplyFormat, ToolChoice } from '../llm/types.ts'

const maxStops = 4

/** Throws if `messages` is missing or empty, or if a role is unknown. */
export function readConverse(engine: Engine, body: Record<string, unknown>, model: string): NeutralRequest {
  const { json } = engine
  const config = json.objectOf(body.inferenceConfig)
  const maxTokens = json.countOf(config.maxTokens) ?? json.countOf(config.max_new_tokens)
  const toolConfig = json.objectOf(body.toolConfig)
  const thinking = json.own(body.additionalModelRequestFields, 'thinking')
  const budget = json.countOf(json.own(thinking, 'budget_tokens'))
  return {
    model,
    system: json
      .listOf(body.system)
      .flatMap(block => json.textOf(json.own(block, 'text')) ?? guardedText(engine, block) ?? []),
    messages: readMessages(engine, body.messages),
    tools: json.listOf(toolConfig.tools).flatMap(tool => {
      const spec = json.own(tool, 'toolSpec')
      const name = json.textOf(json.own(spec, 'name'))
      return name === undefined
        ? []
        : [
            {
              name,
              description: json.textOf(json.own(spec, 'description')) ?? '',
              schema: json.own(json.own(spec, 'inputSchema'), 'json') ?? {},
            },
          ]
    }),
    toolChoice: readToolChoice(engine, toolConfig.toolChoice),
    format: readFormat(
      engine,
      json.own(body.outputConfig, 'textFormat') ??
        json.own(json.own(body.additionalModelRequestFields, 'output_config'), 'format'),
    ),
    stop: json.stopsOf(config.stopSequences, maxStops),
    n: 1,
    ...(maxTokens === undefined ? {} : { maxTokens }),
    ...(json.own(thinking, 'type') === 'enabled' ? { reasoning: budget === undefined ? {} : { budget } } : {}),
  }
}

function readMessages(engine: Engine, given: unknown): Message[] {
  const list = engine.json.listOf(given)
  if (list.length === 0)
    throw engine.badInput('A conversation must have at least one message: set the field messages and try again.')
  return list.map((message, index): Message => {
    const role = engine.json.own(message, 'role')
    if (role !== 'user' && role !== 'assistant')
      throw engine.badInput(`messages[${index}].role must be user or assistant.`)
    const content = engine.json.own(message, 'content')
    return {
      role,
      parts:
        typeof content === 'string'
          ? [{ type: 'text', text: content }]
          : engine.json.listOf(content).flatMap(block => readBlock(engine, engine.json.objectOf(block))),
    }
  })
}

/** Text that is marked for the guardrail; the model treats it as normal text. */
function guardedText({ json }: Engine, block: unknown): string | undefined {
  return json.textOf(json.own(json.own(json.own(block, 'guardContent'), 'text'), 'text'))
}

/** The key of a block identifies its type; skips unknown types. */
function readBlock(engine: Engine, block: Record<string, unknown>): Part[] {
  const { json } = engine
  if (typeof block.text === 'string') return [{ type: 'text', text: block.text }]
  const guarded = guardedText(engine, block)
  if (guarded !== undefined) return [{ type: 'text', text: guarded }]
  if (block.image !== undefined)
    return [
      {
        type: 'image',
        description: engine.describeInline(`image/${json.asText(json.own(block.image, 'format'))}`, 'base64'),
      },
    ]
  if (block.document !== undefined)
    return [{ type: 'file', description: json.textOf(json.own(block.document, 'name'))?.slice(0, 200) ?? 'document' }]
  const name = json.textOf(json.own(block.toolUse, 'name'))
  if (name !== undefined)
    return [
      {
        type: 'call',
        id: json.textOf(json.own(block.toolUse, 'toolUseId')) ?? '',
        name,
        args: json.own(block.toolUse, 'input') ?? {},
      },
    ]
  if (!isRecord(block.toolResult)) return []
  const content = json
    .listOf(block.toolResult.content)
    .map(part => json.textOf(json.own(part, 'text')) ?? json.asText(json.own(part, 'json')))
  return [
    {
      type: 'result',
      id: json.textOf(block.toolResult.toolUseId) ?? '',
      content: content.filter(text => text !== '').join('\n'),
    },
  ]
}

function readToolChoice({ json }: Engine, given: unknown): ToolChoice {
  const name = json.textOf(json.own(json.own(given, 'tool'), 'name'))
  if (name !== undefined) return { name }
  return json.own(given, 'any') === undefined ? 'auto' : 'required'
}

/** The schema is JSON text in the Converse format, an object in the format of Anthropic's models. */
function readFormat({ json }: Engine, given: unknown): ReplyFormat {
  if (json.own(given, 'type') !== 'json_schema') return { type: 'none' }
  const schema = json.own(json.own(json.own(given, 'structure'), 'jsonSchema'), 'schema') ?? json.own(given, 'schema')
  return { type: 'schema', schema: json.argumentsOf(schema) }
}
