/** Parses a content generation request. */
import { isRecord } from 'svc/toolkit'
import type { Engine, Message, NeutralRequest, Part, ReplyFormat, Tool, ToolChoice } from '../llm/types.ts'
import { field } from './fields.ts'

const maxStops = 5

/** Throws if `contents` is missing or empty. */
export function readRequest(
  engine: Engine,
  body: Record<string, unknown>,
  model: string,
  maxChoices: number,
): NeutralRequest {
  const { json } = engine
  const config = field(engine, body, 'generationConfig')
  const calling = field(engine, field(engine, body, 'toolConfig'), 'functionCallingConfig')
  const maxTokens = json.countOf(field(engine, config, 'maxOutputTokens'))
  const n = json.countOf(field(engine, config, 'candidateCount')) ?? 1
  const thinking = field(engine, config, 'thinkingConfig')
  const budget = json.countOf(field(engine, thinking, 'thinkingBudget'))
  return {
    model,
    system: readSystem(engine, field(engine, body, 'systemInstruction')),
    messages: readContents(engine, body.contents),
    tools: readTools(engine, body.tools, calling),
    toolChoice: readToolChoice(engine, calling),
    format: readFormat(engine, config),
    stop: json.stopsOf(field(engine, config, 'stopSequences'), maxStops),
    n: Math.min(Math.max(1, n), maxChoices),
    ...(maxTokens === undefined ? {} : { maxTokens }),
    ...(field(engine, thinking, 'includeThoughts') === true
      ? { reasoning: budget === undefined ? {} : { budget } }
      : {}),
  }
}

function readSystem(engine: Engine, given: unknown): string[] {
  const text =
    typeof given === 'string' ? given : engine.textOfParts(readParts(engine, engine.json.own(given, 'parts')))
  return text === '' ? [] : [text]
}

/** A list of contents, one content, or a string. */
export function readContents(engine: Engine, given: unknown): Message[] {
  const list =
    typeof given === 'string' ? [{ parts: [{ text: given }] }] : isRecord(given) ? [given] : engine.json.listOf(given)
  if (list.length === 0) throw engine.badInput('* GenerateContentRequest.contents: contents is not specified')
  return list.map((content): Message => {
    const role = engine.json.own(content, 'role')
    return {
      role: role === 'model' ? 'assistant' : role === 'function' ? 'tool' : 'user',
      parts: readParts(engine, engine.json.own(content, 'parts')),
    }
  })
}

/** A list of parts, or one part; skips unknown parts. */
export function readParts(engine: Engine, given: unknown): Part[] {
  return (Array.isArray(given) ? given : [given]).flatMap((part: unknown) => readPart(engine, part))
}

function readPart(engine: Engine, part: unknown): Part[] {
  const { json } = engine
  const text = json.own(part, 'text')
  if (typeof text === 'string') return [{ type: 'text', text }]
  const inline = field(engine, part, 'inlineData')
  if (inline !== undefined)
    return [mediaPart(engine, inline, engine.describeInline(field(engine, inline, 'mimeType'), 'inline'))]
  const file = field(engine, part, 'fileData')
  if (file !== undefined)
    return [mediaPart(engine, file, engine.describeUrl(json.textOf(field(engine, file, 'fileUri')) ?? 'file'))]
  const call = field(engine, part, 'functionCall')
  const called = json.textOf(json.own(call, 'name'))
  if (called !== undefined)
    return [
      {
        type: 'call',
        id: json.textOf(json.own(call, 'id')) ?? called,
        name: called,
        args: json.own(call, 'args') ?? {},
      },
    ]
  const response = field(engine, part, 'functionResponse')
  const functionName = json.textOf(json.own(response, 'name'))
  if (functionName === undefined) return []
  return [
    {
      type: 'result',
      id: json.textOf(json.own(response, 'id')) ?? functionName,
      name: functionName,
      content: JSON.stringify(json.own(response, 'response') ?? {}),
    },
  ]
}

function mediaPart(engine: Engine, data: unknown, description: string): Part {
  const mime = engine.json.asText(field(engine, data, 'mimeType'))
  return { type: mime.startsWith('image/') ? 'image' : mime.startsWith('audio/') ? 'audio' : 'file', description }
}

/** The functions of all tools; limited to the allowed names, if given. */
function readTools(engine: Engine, given: unknown, calling: unknown): Tool[] {
  const { json } = engine
  const allowed = json.listOf(field(engine, calling, 'allowedFunctionNames'))
  const tools = json
    .listOf(given)
    .flatMap(tool => json.listOf(field(engine, tool, 'functionDeclarations')))
    .flatMap((item): Tool[] => {
      const name = json.textOf(json.own(item, 'name'))
      if (name === undefined) return []
      return [
        {
          name,
          description: json.textOf(json.own(item, 'description')) ?? '',
          schema: json.own(item, 'parameters') ?? field(engine, item, 'parametersJsonSchema') ?? {},
        },
      ]
    })
  const kept = tools.filter(tool => allowed.includes(tool.name))
  return kept.length > 0 ? kept : tools
}

function readToolChoice(engine: Engine, calling: unknown): ToolChoice {
  const mode = engine.json.asText(engine.json.own(calling, 'mode')).toUpperCase()
  if (mode === 'NONE') return 'none'
  if (mode !== 'ANY') return 'auto'
  const [name, more] = engine.json.listOf(field(engine, calling, 'allowedFunctionNames'))
  return typeof name === 'string' && more === undefined ? { name } : 'required'
}

function readFormat(engine: Engine, config: unknown): ReplyFormat {
  const schema =
    field(engine, config, 'responseSchema') ??
    field(engine, config, 'responseJsonSchema') ??
    engine.json.own(config, '_responseJsonSchema')
  if (schema !== undefined) return { type: 'schema', schema }
  return field(engine, config, 'responseMimeType') === 'application/json' ? { type: 'json' } : { type: 'none' }
}
