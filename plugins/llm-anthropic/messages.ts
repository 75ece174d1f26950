/** `POST /messages`, with and without streaming, and `/messages/count_tokens`. */
import { jsonSerializer } from 'svc/toolkit'
import type {
  Call,
  ChatParsed,
  ChatResult,
  Choice,
  ChoiceBlock,
  CountParsed,
  Documents,
  Engine,
  Finish,
  LlmRoute,
  LlmRouteDescription,
  Pieces,
  RouteInput,
  StreamEvent,
} from '../llm/types.ts'
import { describeFiles } from './files.ts'
import { contextError } from './context-error.ts'
import { conversationOf } from './conversation-digest.ts'
import { markedPrefix } from './prompt-cache.ts'
import { readRequest } from './request.ts'
import type { MessagesOptions } from './types.ts'
import { messagesValidation } from './validation/check.ts'
import { PLATFORMS, type Platform } from './validation/platforms.ts'
import { messageShapes } from './stream-shapes.ts'

interface MessageWire {
  /** Tokens up to the last cache mark with a lifetime of an hour. */
  longTokens: number
  /** Thinking blocks are returned without their text. */
  hidesThinking: boolean
  /** The request, if the model binds its thinking to what came before; null: it does not. */
  bound: Readonly<Record<string, unknown>> | null
}
type Parsed = ChatParsed<MessageWire>

export const finishReasons: Record<Finish, string> = {
  stop: 'end_turn',
  stop_sequence: 'stop_sequence',
  length: 'max_tokens',
  tool_calls: 'tool_use',
  content_filter: 'refusal',
  prompt_filter: 'refusal',
}

const defaultModel = 'svc-claude'

function describeAt(path: string, summary: string, examples: { name: string; body: object }[]): LlmRouteDescription {
  return {
    summary,
    parameters: [
      {
        name: 'anthropic-version',
        in: 'header',
        description: '2026-10-21 rejects sampling parameters; all other values behave like 2023-06-01',
        schema: { type: 'string' },
      },
    ],
    examples: examples.map(({ name, body }) => ({
      name,
      path: `/ai/anthropic/v1${path}`,
      headers: [{ name: 'anthropic-version', value: '2023-06-01' }],
      json: body,
    })),
  }
}

const hello = { model: 'svc-claude', max_tokens: 256, messages: [{ role: 'user', content: 'hello' }] }

/** Providers that offer the format in addition to their own are not checked. */
function validationOf(engine: Engine, platform: Platform | undefined): Pick<LlmRoute, 'validation'> {
  return platform === undefined ? {} : { validation: messagesValidation(engine, PLATFORMS[platform]) }
}

export function createMessages(engine: Engine, options: MessagesOptions = {}): LlmRoute<Parsed> {
  return {
    method: 'POST',
    path: '/v1/messages',
    op: 'chat',
    describe: describeAt('/messages', 'create a message', [
      { name: 'Hello', body: hello },
      { name: 'Stream', body: { ...hello, stream: true } },
    ]),
    framing: 'sse',
    finishReasons,
    ...validationOf(engine, options.platform),
    parse: input => withFiles(engine, options.documents, input, body => parse(engine, input, body)),
    readOnly: input => parse(engine, input, input.json()),
    contextError,
    render: (result, parsed) => ({ body: messageOf(engine, result, parsed, options) }),
    shapes: messageShapes(engine),
    stream: (result, parsed) => streamMessage(engine, result, parsed, options),
  }
}

export function countTokens(engine: Engine, documents?: Documents, platform?: Platform): LlmRoute<CountParsed> {
  return {
    ...validationOf(engine, platform),
    method: 'POST',
    path: '/v1/messages/count_tokens',
    op: 'count',
    describe: describeAt('/messages/count_tokens', 'count tokens', [
      { name: 'Hello', body: { model: hello.model, messages: hello.messages } },
    ]),
    parse: input => withFiles(engine, documents, input, body => parseCount(engine, input, body)),
    readOnly: input => parseCount(engine, input, input.json()),
    render: ({ promptTokens }) => ({ body: { input_tokens: promptTokens } }),
  }
}

function parseCount(engine: Engine, input: RouteInput, body: Record<string, unknown>): CountParsed {
  const model = engine.json.textOf(body.model) ?? input.defaultModel ?? defaultModel
  return {
    op: 'count',
    model,
    request: readRequest(engine, body, { model, version: versionOf(input), needsMaxTokens: false }),
    wire: undefined,
  }
}

function versionOf({ headers }: RouteInput): string | undefined {
  const value = headers['anthropic-version']
  return Array.isArray(value) ? value[0] : value
}

/** Blocks can name uploaded files. Other requests are parsed at once. */
function withFiles<P>(
  engine: Engine,
  documents: Documents | undefined,
  input: RouteInput,
  read: (body: Record<string, unknown>) => P,
): P | Promise<P> {
  const body = input.json()
  if (documents === undefined || !input.body.includes('"file_id"')) return read(body)
  return describeFiles(engine, documents, input, body).then(read)
}

function parse(engine: Engine, input: RouteInput, body: Record<string, unknown>): Parsed {
  const { json } = engine
  const model = json.textOf(body.model) ?? input.defaultModel ?? defaultModel
  const mark = markedPrefix(engine, body)
  return {
    op: 'chat',
    model,
    stream: body.stream === true,
    request: readRequest(engine, body, { model, version: versionOf(input), needsMaxTokens: true }),
    cacheMark: mark,
    wire: {
      longTokens: mark?.longTokens ?? 0,
      hidesThinking: json.own(body.thinking, 'display') === 'omitted',
      bound: engine.modelClasses(model).includes('claude-bound') ? input.json() : null,
    },
  }
}

function usageOf(
  result: ChatResult,
  wire: MessageWire,
  outputTokens = result.completionTokens,
): Record<string, unknown> {
  const { cachedTokens: read = 0, cacheWriteTokens: created = 0 } = result
  const long = result.longCacheWriteTokens ?? Math.min(created, wire.longTokens)
  return {
    input_tokens: result.promptTokens - created - read,
    cache_creation_input_tokens: created,
    cache_read_input_tokens: read,
    cache_creation: { ephemeral_5m_input_tokens: created - long, ephemeral_1h_input_tokens: long },
    output_tokens: outputTokens,
    output_tokens_details: result.reasoningTokens === 0 ? null : { thinking_tokens: result.reasoningTokens },
    server_tool_use: null,
    service_tier: 'standard',
    inference_geo: null,
    speed: null,
  }
}

interface BlockDelta {
  type: 'content_block_delta'
  index: number
  delta: { type: string; text?: string; thinking?: string; signature?: string; partial_json?: string }
}

const text = { type: 'string' } as const

/** Uses a compiled schema, since there is a delta for every token. */
const writeDelta = jsonSerializer<BlockDelta>({
  type: 'object',
  properties: {
    type: { const: 'content_block_delta' },
    index: { type: 'integer' },
    delta: {
      type: 'object',
      properties: { type: text, text, thinking: text, signature: text, partial_json: text },
      required: ['type'],
    },
  },
  required: ['type', 'index', 'delta'],
})

type Block = { type: string } & Record<string, unknown>

/** The text deltas of one member of a block. */
interface Deltas {
  type: 'text_delta' | 'thinking_delta' | 'signature_delta' | 'input_json_delta'
  member: 'text' | 'thinking' | 'signature' | 'partial_json'
  texts: Pieces
  paced: boolean
}

/** A complete block, with the deltas that build it from an empty block. */
interface BuiltBlock {
  whole: Block
  empty: Block
  deltas: Deltas[]
}

interface ThoughtOptions {
  isOmitted: boolean
  /** What came before, if the thought is bound to it. */
  after?: string
}

/** A reply that a filter withheld has no blocks. */
function blocksOf(engine: Engine, choice: Choice, { hidesThinking, bound }: MessageWire): BuiltBlock[] {
  if (choice.finish === 'content_filter' && choice.text === '') return []
  const blocks = engine.blocksOf(choice)
  const binds = bound !== null && blocks.some(({ type }) => type === 'reasoning')
  const conversation = binds ? conversationOf(engine, bound) : null
  return blocks.map(block => {
    const after = conversation?.digest()
    const built = buildBlock(engine, block, { isOmitted: hidesThinking, ...(after === undefined ? {} : { after }) })
    conversation?.add('assistant', built.whole)
    return built
  })
}

function buildBlock(engine: Engine, block: ChoiceBlock, options: ThoughtOptions): BuiltBlock {
  if (block.type === 'call') return callBlock(block.call)
  if (block.type === 'text') return textBlock(block)
  return block.isRedacted === true ? redactedBlock(engine, block, options) : thinkingBlock(engine, block, options)
}

function thinkingBlock(
  engine: Engine,
  { text, pieces }: Extract<ChoiceBlock, { type: 'reasoning' }>,
  { isOmitted, ...binding }: ThoughtOptions,
): BuiltBlock {
  const signature = engine.signThought(text, { isOmitted, ...binding })
  return {
    whole: { type: 'thinking', thinking: isOmitted ? '' : text, signature },
    empty: { type: 'thinking', thinking: '', signature: '' },
    deltas: [
      { type: 'thinking_delta', member: 'thinking', texts: isOmitted ? [] : pieces, paced: true },
      { type: 'signature_delta', member: 'signature', texts: [signature], paced: false },
    ],
  }
}

/** It comes whole: what it says is not for the client. */
function redactedBlock(engine: Engine, { text }: { text: string }, { after }: ThoughtOptions): BuiltBlock {
  const whole = { type: 'redacted_thinking', data: engine.signThought(text, after === undefined ? {} : { after }) }
  return { whole, empty: whole, deltas: [] }
}

function textBlock({ text, pieces }: Extract<ChoiceBlock, { type: 'text' }>): BuiltBlock {
  return {
    whole: { type: 'text', text },
    empty: { type: 'text', text: '' },
    deltas: [{ type: 'text_delta', member: 'text', texts: pieces, paced: true }],
  }
}

function callBlock(call: Call): BuiltBlock {
  const whole = {
    type: 'tool_use',
    id: call.givenId ?? `toolu_${call.id}`,
    name: call.name,
    input: call.args,
    caller: { type: 'direct' },
  }
  const json = { type: 'input_json_delta', member: 'partial_json' } as const
  return {
    whole,
    empty: { ...whole, input: {} },
    deltas: [
      { ...json, texts: [''], paced: false },
      { ...json, texts: call.jsonPieces, paced: true },
    ],
  }
}

function endOf(choice: Choice): { stop_reason: string; stop_sequence: string | null; stop_details: object | null } {
  const isFiltered = choice.finish === 'content_filter'
  return {
    stop_reason: finishReasons[choice.finish],
    stop_sequence: choice.stopSequence,
    stop_details: isFiltered
      ? {
          type: 'refusal',
          category: 'general_harms',
          explanation: choice.isRefusal === true ? choice.text : 'The content filter withheld this reply.',
        }
      : null,
  }
}

function headOf(engine: Engine, parsed: Parsed, { idPrefix = 'msg_' }: MessagesOptions): object {
  return { id: `${idPrefix}${engine.randomId(24)}`, type: 'message', role: 'assistant', model: parsed.model }
}

function messageOf(engine: Engine, result: ChatResult, parsed: Parsed, options: MessagesOptions): object {
  const choice = result.choices[0] as Choice
  return {
    ...headOf(engine, parsed, options),
    content: blocksOf(engine, choice, parsed.wire).map(block => block.whole),
    container: null,
    diagnostics: null,
    ...endOf(choice),
    usage: usageOf(result, parsed.wire),
  }
}

/** Reuses one object for all deltas of a member, since there is one for every token. */
function* deltaEvents(index: number, { type, member, texts, paced }: Deltas): Iterable<StreamEvent> {
  const delta: BlockDelta['delta'] = { type }
  const event: BlockDelta = { type: 'content_block_delta', index, delta }
  for (const text of texts) {
    delta[member] = text
    yield { event: 'content_block_delta', data: writeDelta(event), paced }
  }
}

function* streamMessage(
  engine: Engine,
  result: ChatResult,
  parsed: Parsed,
  options: MessagesOptions,
): Iterable<StreamEvent> {
  const choice = result.choices[0] as Choice
  const emit = (type: string, fields: object): StreamEvent => ({ event: type, data: { type, ...fields } })
  const message = {
    ...headOf(engine, parsed, options),
    content: [],
    container: null,
    diagnostics: null,
    stop_reason: null,
    stop_sequence: null,
    stop_details: null,
    // A reply without any output does not begin with a token either.
    usage: usageOf(result, parsed.wire, Math.min(1, result.completionTokens)),
  }
  yield emit('message_start', { message })
  for (const [index, block] of blocksOf(engine, choice, parsed.wire).entries()) {
    yield emit('content_block_start', { index, content_block: block.empty })
    if (index === 0) yield emit('ping', {})
    for (const deltas of block.deltas) yield* deltaEvents(index, deltas)
    yield emit('content_block_stop', { index })
  }
  const {
    input_tokens,
    cache_creation_input_tokens,
    cache_read_input_tokens,
    output_tokens,
    output_tokens_details,
    server_tool_use,
  } = usageOf(result, parsed.wire)
  yield emit('message_delta', {
    delta: { ...endOf(choice), container: null },
    usage: {
      input_tokens,
      cache_creation_input_tokens,
      cache_read_input_tokens,
      output_tokens,
      output_tokens_details,
      server_tool_use,
    },
  })
  yield emit('message_stop', {})
}
