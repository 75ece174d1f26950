/** Amazon Bedrock Converse. */
import type { ModelRequest, Piece, Turn, WireFormat } from '../types.ts'
import { argsOf, compact, literal, resultOf, turnsOf } from './json.ts'

interface ToolUse {
  toolUseId?: string
  name?: string
  input?: unknown
}
interface Block {
  text?: string
  toolUse?: ToolUse
  reasoningContent?: { text?: string; reasoningText?: { text?: string } }
}
interface Usage {
  inputTokens?: number
  outputTokens?: number
}
interface Answer {
  output?: { message?: { content?: Block[] } }
  stopReason?: string
  usage?: Usage
  message?: string
}
interface StreamEvent {
  contentBlockIndex?: number
  start?: { toolUse?: ToolUse }
  delta?: Block
  stopReason?: string
  usage?: Usage
  message?: string
}

function messageOf(turn: Turn): object {
  if (turn.role === 'user') return { role: 'user', content: [{ text: turn.text }] }
  if (turn.role === 'tool')
    return {
      role: 'user',
      content: turn.results.map(({ call, content }) => ({
        toolResult: { toolUseId: call.id, content: [{ json: resultOf(content) }] },
      })),
    }
  const { text, calls } = turn.run.reply
  return {
    role: 'assistant',
    content: [
      ...(text === '' ? [] : [{ text }]),
      ...calls.map(call => ({ toolUse: { toolUseId: call.id, name: call.name, input: argsOf(call) } })),
    ],
  }
}

function bodyOf(modelRequest: ModelRequest): object {
  const { system, temperature, maxTokens, tools, format } = modelRequest
  const inference = compact({ temperature: temperature ?? undefined, maxTokens: maxTokens ?? undefined })
  return compact({
    messages: turnsOf(modelRequest).map(messageOf),
    system: system === '' ? undefined : [{ text: system }],
    inferenceConfig: Object.keys(inference).length === 0 ? undefined : inference,
    toolConfig:
      tools.length === 0
        ? undefined
        : {
            tools: tools.map(({ name, description, parameters }) => ({
              toolSpec: { name, description, inputSchema: { json: parameters } },
            })),
          },
    outputConfig:
      format === 'text'
        ? undefined
        : {
            textFormat: {
              type: 'json_schema',
              structure: {
                jsonSchema: { name: 'answer', schema: JSON.stringify(format === 'json' ? { type: 'object' } : format) },
              },
            },
          },
  })
}

function usageOf(usage: Usage | undefined): Piece['usage'] {
  return usage && { input: usage.inputTokens, output: usage.outputTokens }
}

function callOf({ toolUseId = '', name = '' }: ToolUse): { id: string; name: string } {
  return { id: toolUseId, name }
}

export const bedrock: WireFormat = {
  request: modelRequest => ({
    path: `/model/${encodeURIComponent(modelRequest.model)}/${modelRequest.stream ? 'converse-stream' : 'converse'}`,
    body: bodyOf(modelRequest),
  }),
  credential: key => ({ name: 'Authorization', value: `Bearer ${key}` }),
  read(json) {
    const { output, stopReason, usage, message } = json as Answer
    const blocks = output?.message?.content ?? []
    return {
      text: blocks.map(({ text }) => text ?? '').join(''),
      thinking: blocks.map(({ reasoningContent }) => reasoningContent?.reasoningText?.text ?? '').join(''),
      calls: blocks.flatMap(({ toolUse }) =>
        toolUse === undefined ? [] : [{ ...callOf(toolUse), args: JSON.stringify(toolUse.input ?? {}) }],
      ),
      finish: stopReason,
      usage: usageOf(usage),
      ...(message === undefined ? {} : { error: message }),
    }
  },
  readFrame(json, event) {
    const { contentBlockIndex: at = 0, start, delta, stopReason, usage, message } = json as StreamEvent
    if (/[Ee]xception|^error$/.test(event)) return { error: message ?? event }
    const fragment = start?.toolUse
      ? [{ at, ...callOf(start.toolUse) }]
      : typeof delta?.toolUse?.input === 'string'
        ? [{ at, args: delta.toolUse.input }]
        : undefined
    return {
      text: delta?.text,
      thinking: delta?.reasoningContent?.text,
      calls: fragment,
      finish: stopReason,
      usage: usageOf(usage),
    }
  },
  code({ baseUrl, key, headers, body, model, stream }) {
    const command = stream ? 'ConverseStreamCommand' : 'ConverseCommand'
    const added = Object.entries(headers)
    const middleware =
      added.length === 0
        ? ''
        : `client.middlewareStack.add(next => args => {
  Object.assign(args.request.headers, ${literal(headers)})
  return next(args)
}, { step: 'build' })
`
    return `import { BedrockRuntimeClient, ${command} } from '@aws-sdk/client-bedrock-runtime'
import { NodeHttpHandler } from '@smithy/node-http-handler'

const client = new BedrockRuntimeClient({
  region: 'us-east-1',
  endpoint: ${JSON.stringify(baseUrl)},
  token: { token: ${JSON.stringify(key)} },
  authSchemePreference: ['httpBearerAuth'],
  requestHandler: new NodeHttpHandler(),
})
${middleware}const response = await client.send(new ${command}(${literal({ modelId: model, ...body }, 0)}))
${stream ? "for await (const { contentBlockDelta } of response.stream) process.stdout.write(contentBlockDelta?.delta?.text ?? '')" : 'console.log(response.output.message.content)'}
`
  },
}
