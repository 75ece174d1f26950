/** Parses requests of `chat` and `generate`. */
import { isRecord } from 'svc/toolkit'
import type { ChatParsed, Engine, Message, NeutralRequest, Part, ReplyFormat, RouteInput } from '../llm/types.ts'

export interface OllamaWire {
  /** A request without a prompt, which only loads the model. */
  isLoad: boolean
}
export type OllamaParsed = ChatParsed<OllamaWire>

/** Throws if `model` is missing. */
export function modelOf(engine: Engine, body: Record<string, unknown>, input: RouteInput): string {
  const model = engine.json.textOf(body.model) ?? input.defaultModel
  if (model === undefined) throw engine.badInput('model is required')
  return model
}

export function parseChat(engine: Engine, input: RouteInput): OllamaParsed {
  const body = input.json()
  const messages = engine.json.listOf(body.messages)
  const model = modelOf(engine, body, input)
  const read = { system: [] as string[], messages: [] as Message[] }
  for (const message of messages) addMessage(engine, read, engine.json.objectOf(message))
  return parsedOf(engine, body, { ...common(engine, body, model), ...read }, messages.length === 0)
}

export function parseGenerate(engine: Engine, input: RouteInput): OllamaParsed {
  const { json } = engine
  const body = input.json()
  const model = modelOf(engine, body, input)
  const prompt = json.textOf(body.prompt)
  const system = json.textOf(body.system)
  const messages: Message[] =
    prompt === undefined
      ? []
      : [{ role: 'user', parts: [{ type: 'text', text: prompt }, ...images(engine, body.images)] }]
  return parsedOf(
    engine,
    body,
    { ...common(engine, body, model), system: system === undefined ? [] : [system], messages },
    prompt === undefined,
  )
}

function parsedOf(
  { json }: Engine,
  body: Record<string, unknown>,
  request: NeutralRequest,
  isLoad: boolean,
): OllamaParsed {
  // A request that only loads the model gets an empty reply without delay.
  const effective = isLoad ? { ...request, maxTokens: 0, tools: [], format: { type: 'none' } as const } : request
  return {
    op: 'chat',
    model: request.model,
    stream: body.stream !== false && json.own(body, 'stream') !== 'false',
    request: effective,
    wire: { isLoad },
  }
}

function common(engine: Engine, body: Record<string, unknown>, model: string): NeutralRequest {
  const { json } = engine
  const maxTokens = json.countOf(json.own(body.options, 'num_predict'))
  return {
    model,
    system: [],
    messages: [],
    tools: json.listOf(body.tools).flatMap(tool => {
      const called = json.own(tool, 'function')
      const name = json.textOf(json.own(called, 'name'))
      return name === undefined
        ? []
        : [
            {
              name,
              description: json.textOf(json.own(called, 'description')) ?? '',
              schema: json.own(called, 'parameters') ?? {},
            },
          ]
    }),
    toolChoice: 'auto',
    format: readFormat(body.format),
    stop: json.stopsOf(json.own(body.options, 'stop'), Infinity),
    n: 1,
    ...(maxTokens === undefined ? {} : { maxTokens }),
    ...(body.think ? { reasoning: {} } : {}),
  }
}

function readFormat(given: unknown): ReplyFormat {
  if (given === 'json') return { type: 'json' }
  return isRecord(given) ? { type: 'schema', schema: given } : { type: 'none' }
}

/** Images are base64-encoded, without a media type. */
function images({ json, describeInline }: Engine, given: unknown): Part[] {
  return json.listOf(given).map(() => ({ type: 'image', description: describeInline('image', 'base64') }))
}

function addMessage(
  engine: Engine,
  read: { system: string[]; messages: Message[] },
  message: Record<string, unknown>,
): void {
  const { json } = engine
  const text = json.asText(message.content)
  if (message.role === 'system') read.system.push(text)
  else if (message.role === 'tool') {
    const name = json.textOf(message.tool_name) ?? json.textOf(message.name)
    read.messages.push({
      role: 'tool',
      parts: [
        {
          type: 'result',
          id: json.textOf(message.tool_call_id) ?? '',
          content: text,
          ...(name === undefined ? {} : { name }),
        },
      ],
    })
  } else {
    const calls = json.listOf(message.tool_calls).flatMap((call): Part[] => {
      const called = json.own(call, 'function')
      const name = json.textOf(json.own(called, 'name'))
      return name === undefined
        ? []
        : [
            {
              type: 'call',
              id: json.textOf(json.own(call, 'id')) ?? name,
              name,
              args: json.argumentsOf(json.own(called, 'arguments')),
            },
          ]
    })
    read.messages.push({
      role: message.role === 'assistant' ? 'assistant' : 'user',
      parts: [...(text === '' ? [] : [{ type: 'text', text } as const]), ...images(engine, message.images), ...calls],
    })
  }
}
