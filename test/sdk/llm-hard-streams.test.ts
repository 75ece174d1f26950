/** What official clients and two other readers make of streams and replies as vendors and gateways send them. */
import t from 'tap'
import Anthropic from '@anthropic-ai/sdk'
import { createAnthropic } from '@ai-sdk/anthropic'
import { createOpenAI } from '@ai-sdk/openai'
import {
  BedrockRuntimeClient,
  ConverseStreamCommand,
  InvokeModelWithResponseStreamCommand,
} from '@aws-sdk/client-bedrock-runtime'
import { GoogleGenAI } from '@google/genai'
import { NodeHttpHandler } from '@smithy/node-http-handler'
import { streamText, tool, type LanguageModel } from 'ai'
import OpenAI from 'openai'
import { z } from 'zod'
import { NAMES, readShape } from '../../plugins/llm/shapes/shape.ts'
import { serveLlm } from '../support/llm-formats.ts'

const server = await serveLlm(t)
const ai = `${server.url}/ai`
const REPLY = JSON.stringify({
  blocks: [
    { text: 'One moment.' },
    { tool_call: { name: 'weather', args: { city: 'Oslo' }, id: 'call_a' } },
    { tool_call: { name: 'now', args: {}, id: 'call_b' } },
  ],
})
const headersOf = (shape: string): Record<string, string> => ({
  'X-Svc-Tokens-Per-Second': '0',
  'X-Svc-Stream-Shape': shape,
  'X-Svc-Reply-Json': REPLY,
})
const messages = [{ role: 'user' as const, content: 'hello' }]

/** What a reader makes of a reply: its text, its calls and how it ends, or the name of its error. */
type Made = string

async function made(read: () => Promise<{ text: string; calls: string; end: unknown }>): Promise<Made> {
  try {
    const { text, calls, end } = await read()
    return `${text} | ${calls} | ${String(end)}`
  } catch (error) {
    const { name, constructor } = error as Error
    return name === 'Error' ? constructor.name : name
  }
}

const openaiOf = (shape: string): OpenAI =>
  new OpenAI({ baseURL: `${ai}/openai/v1`, apiKey: 'k', maxRetries: 0, defaultHeaders: headersOf(shape) })

interface ClaudeEvent {
  index?: number
  delta?: { text?: string; partial_json?: string; stop_reason?: string }
  content_block?: { name?: string }
}

function bedrockOf(shape: string): BedrockRuntimeClient {
  const client = new BedrockRuntimeClient({
    region: 'us-east-1',
    endpoint: `${ai}/bedrock`,
    maxAttempts: 1,
    credentials: { accessKeyId: 'a', secretAccessKey: 'b' },
    requestHandler: new NodeHttpHandler(),
  })
  client.middlewareStack.add(
    next => args => {
      Object.assign((args.request as { headers: object }).headers, headersOf(shape))
      return next(args)
    },
    { step: 'build' },
  )
  return client
}

const readers: Record<string, (shape: string) => Promise<Made>> = {
  openai: shape =>
    made(async () => {
      const runner = openaiOf(shape).chat.completions.stream({ model: 'svc-gpt', messages })
      const { message, finish_reason: end } = (await runner.finalChatCompletion()).choices[0]!
      const calls = (message.tool_calls ?? []).map(call =>
        call.type === 'function' ? `${call.function.name}${call.function.arguments}` : '?',
      )
      return { text: String(message.content), calls: calls.join(' '), end }
    }),
  'openai, complete': shape =>
    made(async () => {
      const reply = await openaiOf(shape).chat.completions.create({ model: 'svc-gpt', messages })
      const { message, finish_reason: end } = reply.choices[0]!
      const calls = (message.tool_calls ?? []).map(call =>
        call.type === 'function' ? `${call.function.name}${call.function.arguments}` : '?',
      )
      return { text: String(message.content), calls: calls.join(' '), end }
    }),
  responses: shape =>
    made(async () => {
      const reply = await openaiOf(shape).responses.stream({ model: 'svc-gpt', input: 'hello' }).finalResponse()
      const calls = reply.output.flatMap(item => (item.type === 'function_call' ? [item.name + item.arguments] : []))
      return { text: reply.output_text, calls: calls.join(' '), end: reply.status }
    }),
  anthropic: shape =>
    made(async () => {
      const client = new Anthropic({
        baseURL: `${ai}/anthropic`,
        apiKey: 'k',
        maxRetries: 0,
        defaultHeaders: headersOf(shape),
      })
      const message = await client.messages.stream({ model: 'svc-claude', max_tokens: 99, messages }).finalMessage()
      const text = message.content.flatMap(block => (block.type === 'text' ? [block.text] : []))
      const calls = message.content.flatMap(block =>
        block.type === 'tool_use' ? [block.name + JSON.stringify(block.input)] : [],
      )
      return { text: text.join(''), calls: calls.join(' '), end: message.stop_reason }
    }),
  gemini: shape =>
    made(async () => {
      const client = new GoogleGenAI({
        apiKey: 'k',
        httpOptions: { baseUrl: `${ai}/gemini`, headers: headersOf(shape) },
      })
      let text = ''
      let calls = ''
      let end: unknown
      for await (const chunk of await client.models.generateContentStream({ model: 'svc-gemini', contents: 'hello' })) {
        const [candidate] = chunk.candidates ?? []
        for (const part of candidate?.content?.parts ?? []) {
          text += part.text ?? ''
          if (part.functionCall !== undefined) calls += part.functionCall.name! + JSON.stringify(part.functionCall.args)
        }
        end = candidate?.finishReason ?? end
      }
      return { text, calls, end }
    }),
  bedrock: shape =>
    made(async () => {
      const command = new ConverseStreamCommand({
        modelId: 'svc-claude',
        messages: [{ role: 'user', content: [{ text: 'hello' }] }],
      })
      const { stream } = await bedrockOf(shape).send(command)
      let text = ''
      let calls = ''
      let end: unknown
      for await (const event of stream!) {
        text += event.contentBlockDelta?.delta?.text ?? ''
        calls += event.contentBlockStart?.start?.toolUse?.name ?? event.contentBlockDelta?.delta?.toolUse?.input ?? ''
        end = event.messageStop?.stopReason ?? end
      }
      return { text, calls, end }
    }),
  // The client leaves what is in the frames to the caller.
  'bedrock (invoke)': shape =>
    made(async () => {
      const body = JSON.stringify({ anthropic_version: 'bedrock-2023-05-31', max_tokens: 99, messages })
      const command = new InvokeModelWithResponseStreamCommand({ modelId: 'anthropic.claude-v2', body })
      const { body: frames } = await bedrockOf(shape).send(command)
      let text = ''
      const calls: string[] = []
      let end: unknown
      for await (const { chunk } of frames!) {
        const {
          index = 0,
          delta,
          content_block: block,
        } = JSON.parse(new TextDecoder().decode(chunk!.bytes)) as ClaudeEvent
        text += delta?.text ?? ''
        calls[index] = (calls[index] ?? '') + (block?.name ?? delta?.partial_json ?? '')
        end = delta?.stop_reason ?? end
      }
      return { text, calls: calls.join(''), end }
    }),
  'ai (chat)': shape =>
    readWithAi(createOpenAI({ baseURL: `${ai}/openai/v1`, apiKey: 'k', headers: headersOf(shape) }).chat('svc-gpt')),
  'ai (messages)': shape =>
    readWithAi(
      createAnthropic({ baseURL: `${ai}/anthropic/v1`, apiKey: 'k', headers: headersOf(shape) })('svc-claude'),
    ),
}

function readWithAi(model: LanguageModel): Promise<Made> {
  return made(async () => {
    let failed: unknown
    const result = streamText({
      model,
      prompt: 'hello',
      maxRetries: 0,
      tools: {
        weather: tool({ inputSchema: z.object({ city: z.string() }) }),
        now: tool({ inputSchema: z.object({}) }),
      },
      onError({ error }) {
        failed = error
      },
    })
    let text = ''
    let calls = ''
    let end: unknown
    for await (const part of result.fullStream) {
      if (part.type === 'text-delta') text += part.text
      else if (part.type === 'tool-call')
        calls += `${calls === '' ? '' : ' '}${part.toolName}${JSON.stringify(part.input)}`
      else if (part.type === 'finish') end = part.finishReason
    }
    if (failed !== undefined) throw failed as Error
    return { text, calls, end }
  })
}
const TEXT = 'One moment.'
const TWO = 'weather{"city":"Oslo"} now{}'
const JOINED = 'weather{"city":"Oslo"}now{}'

const PLAIN: Readonly<Record<string, Made>> = {
  openai: `${TEXT} | ${TWO} | tool_calls`,
  'openai, complete': `${TEXT} | ${TWO} | tool_calls`,
  responses: `${TEXT} | ${TWO} | completed`,
  anthropic: `${TEXT} | ${TWO} | tool_use`,
  gemini: `${TEXT} | ${JOINED} | STOP`,
  bedrock: `${TEXT} | ${JOINED} | tool_use`,
  'bedrock (invoke)': `${TEXT} | ${JOINED} | tool_use`,
  'ai (chat)': `${TEXT} | ${TWO} | tool-calls`,
  'ai (messages)': `${TEXT} | ${TWO} | tool-calls`,
}

/** No client expects an error where the status is that of a success. */
const ERROR_200 = {
  openai: 'OpenAIError',
  'openai, complete': 'TypeError',
  responses: 'OpenAIError',
  anthropic: 'AnthropicError',
  bedrock: 'Error',
  'bedrock (invoke)': 'Error',
  'ai (chat)': [' |  | other', ' |  | interrupted'],
  'ai (messages)': 'AI_NoOutputGeneratedError',
}

/** What differs from the plain reply, by shape and reader; a list: the versions of clients or of Node that are tried differ. */
const DIFFERENT: Readonly<Record<string, Readonly<Record<string, Made | readonly Made[]>>>> = {
  'split=utf8': {},
  'split=line': {},
  'split=end': {},
  'split=byte': {},
  'split=7': {},
  'join=3': {},
  crlf: {},
  cr: {},
  bom: {},
  nospace: {},
  multiline: { gemini: 'SyntaxError' },
  'comments=wait@2': {},
  'heartbeat=20': {},
  'retry=3000': {},
  eventid: { gemini: ' |  | undefined' },
  'no-done': {
    responses: `${TEXT} | ${TWO} | in_progress`,
    anthropic: 'AnthropicError',
    bedrock: `${TEXT} | ${JOINED} | undefined`,
    'ai (messages)': `${TEXT} | ${TWO} | other`,
  },
  'no-end': {
    responses: [`${TEXT} | ${TWO} | completed`, `${TEXT} | ${TWO} | in_progress`],
    anthropic: 'AnthropicError',
    gemini: 'Error',
    'ai (messages)': `${TEXT} | ${TWO} | other`,
  },
  'no-finish': {
    openai: 'OpenAIError',
    anthropic: `${TEXT} | ${TWO} | null`,
    gemini: `${TEXT} |  | undefined`,
    bedrock: `${TEXT} | ${JOINED} | undefined`,
    'bedrock (invoke)': `${TEXT} | ${JOINED} | undefined`,
    'ai (chat)': [`${TEXT} | ${TWO} | interrupted`, `${TEXT} | ${TWO} | other`],
    'ai (messages)': `${TEXT} | ${TWO} | other`,
  },
  'usage=own': {},
  'usage=last': {},
  'usage=every': {},
  'usage=twice': {},
  'usage=none': { anthropic: 'AnthropicError', 'ai (messages)': 'AI_TypeValidationError' },
  'role=absent': { openai: 'OpenAIError' },
  'role=every': {},
  'id=changing': {},
  'start-twice': { anthropic: 'AnthropicError', gemini: `${TEXT}${TEXT} | ${JOINED} | STOP` },
  'error-first': {
    openai: 'APIError',
    responses: 'APIError',
    anthropic: 'APIError',
    gemini: 'ApiError',
    bedrock: 'InternalServerException',
    'bedrock (invoke)': 'InternalServerException',
    'ai (chat)': 'AI_APICallError',
    'ai (messages)': 'AI_APICallError',
  },
  'type=json': {},
  'type=text': {},
  'bad-crc': { bedrock: 'Error', 'bedrock (invoke)': 'Error' },
  // `fetch` of Node 20 and 22 decodes no zstd.
  'zstd=force': {
    openai: ['OpenAIError', PLAIN.openai!],
    'openai, complete': ['SyntaxError', PLAIN['openai, complete']!],
    responses: ['OpenAIError', PLAIN.responses!],
    anthropic: ['AnthropicError', PLAIN.anthropic!],
    gemini: ['Error', PLAIN.gemini!],
    bedrock: 'Error',
    'bedrock (invoke)': 'Error',
    'ai (chat)': [' |  | interrupted', ' |  | other', PLAIN['ai (chat)']!],
    'ai (messages)': ['AI_APICallError', PLAIN['ai (messages)']!],
  },
  'br=late': {},
  'zstd=late': {},
  'null=details': {},
  'null=tool_calls': {},
  'null=logprobs': {},
  'sequence=zero': {},
  'tools=interleaved': {},
  'tools=same-index': { openai: `${TEXT} | now{"city":"Oslo"}{} | tool_calls` },
  'tools=no-index': { openai: [`${TEXT} |  | tool_calls`, 'OpenAIError'], 'ai (chat)': 'AI_TypeValidationError' },
  'tools=no-id': {},
  'tools=blank-id': {},
  'tools=repeat-id': {},
  'tools=fused': {},
  'tools=late-name': { 'ai (chat)': 'AI_InvalidResponseDataError' },
  'tools=whole': {},
  'tools=empty-args': {
    openai: `${TEXT} | weather{"city":"Oslo"} now | tool_calls`,
    'bedrock (invoke)': `${TEXT} | weather{"city":"Oslo"}now | tool_use`,
  },
  'usage=beside': {},
  'usage=last+null': { anthropic: 'AnthropicError', 'ai (messages)': 'AI_APICallError' },
  'usage=last+strings': { 'ai (chat)': 'AI_TypeValidationError', 'ai (messages)': 'AI_APICallError' },
  'usage=last+bare': {},
  'null=content': { 'openai, complete': `null | ${TWO} | tool_calls`, anthropic: 'AnthropicError' },
  'null=delta': {},
  'null=message': { 'openai, complete': 'TypeError' },
  'null=finish': {
    openai: 'OpenAIError',
    'openai, complete': `${TEXT} | ${TWO} | null`,
    'ai (chat)': [`${TEXT} | ${TWO} | other`, `${TEXT} | ${TWO} | interrupted`],
  },
  'empty-choices': {},
  'done=twice': {},
  'done=early': {
    openai: 'OpenAIError',
    anthropic: `${TEXT} | ${TWO} | null`,
    'ai (messages)': `${TEXT} | ${TWO} | other`,
  },
  'finish=odd': {
    openai: `${TEXT} | ${TWO} | odd`,
    'openai, complete': `${TEXT} | ${TWO} | odd`,
    responses: `${TEXT} | ${TWO} | odd`,
    anthropic: `${TEXT} | ${TWO} | odd`,
    gemini: `${TEXT} | ${JOINED} | odd`,
    bedrock: `${TEXT} | ${JOINED} | odd`,
    'ai (chat)': `${TEXT} | ${TWO} | other`,
    'ai (messages)': `${TEXT} | ${TWO} | other`,
    'bedrock (invoke)': `${TEXT} | ${JOINED} | odd`,
  },
  'huge=100000': {},
  // The client of Bedrock decodes no content coding.
  'gzip=force': { bedrock: 'Error', 'bedrock (invoke)': 'Error' },
  'br=force': { bedrock: 'Error', 'bedrock (invoke)': 'Error' },
  'gzip=late': {},
  'order=swapped': {},
  'sequence=absent': {},
  'id=absent': { responses: [PLAIN.responses!, 'OpenAIError'] },
  'completed=bare': { responses: ' |  | completed' },
  'signature=split': {},
  'error-200': ERROR_200,
}

t.test('every item has a row [STR-31]', async t => {
  const rows = Object.keys(DIFFERENT).map(shape => readShape(shape).shape[0]?.name)
  // Of errors: below.
  t.strictSame(
    NAMES.filter(name => !rows.includes(name)),
    ['error-body'],
  )
})

for (const [shape, different] of [['', {}] as const, ...Object.entries(DIFFERENT)])
  t.test(`${shape || 'plain'} [STR-31]`, async t => {
    const results = Object.entries(readers).map(async ([name, read]) => [name, await read(shape)] as const)
    for (const [name, result] of await Promise.all(results)) {
      // A client that reports the error of Gemini says what it is.
      const wanted =
        name === 'gemini' && shape === 'error-200'
          ? 'ApiError'
          : ((different as Record<string, Made | readonly Made[]>)[name] ?? PLAIN[name]!)
      t.ok([wanted].flat().includes(result), `${name}: ${result}`)
    }
  })

t.test('a call that no model has finished well: Gemini has no parts', async t => {
  t.equal(await readers.gemini!('finish=MALFORMED_FUNCTION_CALL'), ' |  | MALFORMED_FUNCTION_CALL')
})

t.test('other bodies of errors raise errors in every client', async t => {
  for (const body of ['html', 'text', 'empty', 'truncated', 'array'])
    for (const status of ['', 'error-200, ']) {
      const results = Object.entries(readers).map(async ([name, read]) => [
        name,
        await read(`${status}error-body=${body}`),
      ])
      for (const [name, result] of await Promise.all(results)) {
        if (status === '') t.equal(result, PLAIN[name!], `${name}: nothing fails`)
        else t.notMatch(result, TEXT, `${name}: ${body}`)
      }
    }
})

t.test('of a signature in parts the client keeps the last one', async t => {
  const signatureOf = async (shape: string): Promise<string> => {
    const defaultHeaders = {
      'X-Svc-Tokens-Per-Second': '0',
      'X-Svc-Stream-Shape': shape,
      'X-Svc-Reply-Json': '{"reasoning":"Hm.","text":"Yes."}',
    }
    const client = new Anthropic({ baseURL: `${ai}/anthropic`, apiKey: 'k', maxRetries: 0, defaultHeaders })
    const message = await client.messages.stream({ model: 'svc-claude', max_tokens: 99, messages }).finalMessage()
    return message.content.flatMap(block => (block.type === 'thinking' ? [block.signature] : [])).join()
  }
  const [whole, last] = [await signatureOf(''), await signatureOf('signature=split')]
  t.ok(last.length > 0 && last.length < whole.length, `${last.length} of ${whole.length}`)
  t.ok(whole.endsWith(last))
})

t.test('thinking, redacted thinking and calls in an order reach official clients', async t => {
  const blocks = [
    { reasoning: 'First.' },
    { redacted: 'Hidden.' },
    { tool_call: { name: 'now', args: {}, id: 'call_a' } },
    { text: 'Done.' },
  ]
  const defaultHeaders = { 'X-Svc-Tokens-Per-Second': '0', 'X-Svc-Reply-Json': JSON.stringify({ blocks }) }
  const anthropic = new Anthropic({ baseURL: `${ai}/anthropic`, apiKey: 'k', maxRetries: 0, defaultHeaders })
  const message = await anthropic.messages.stream({ model: 'svc-claude', max_tokens: 99, messages }).finalMessage()
  t.strictSame(
    message.content.map(({ type }) => type),
    ['thinking', 'redacted_thinking', 'tool_use', 'text'],
  )
  const openai = new OpenAI({ baseURL: `${ai}/openai/v1`, apiKey: 'k', maxRetries: 0, defaultHeaders })
  const reply = await openai.responses.stream({ model: 'svc-gpt', input: 'hello' }).finalResponse()
  t.strictSame(
    reply.output.map(({ type }) => type),
    ['reasoning', 'reasoning', 'function_call', 'message'],
  )
})

t.test('a directive reaches the mock through clients whose headers do not say anything', async t => {
  const plain = { 'X-Svc-Tokens-Per-Second': '0' }
  const openai = new OpenAI({ baseURL: `${ai}/openai/v1`, apiKey: 'k', maxRetries: 2, defaultHeaders: plain })
  const reply = await openai.chat.completions.create({
    model: 'svc-gpt',
    messages: [{ role: 'user', content: '[svc fail=429; times=1; retry-after=0]\nSay yes.\n[svc reply=Yes.]' }],
  })
  t.equal(reply.choices[0]!.message.content, 'Yes.', 'the client has retried, and is answered')
})
