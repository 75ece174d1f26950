/** `:generateContent` and `:streamGenerateContent`. */
import { isRecord, jsonSerializer } from 'svc/toolkit'
import type {
  ChatParsed,
  ChatResult,
  Call,
  Choice,
  ChoiceBlock,
  CountParsed,
  Engine,
  Finish,
  LlmRoute,
  Pieces,
  RouteInput,
  StreamEvent,
} from '../llm/types.ts'
import { describeAction, modelOf } from './actions.ts'
import type { CacheStore } from './caches/cache-store.ts'
import { namesCache, withCache } from './caches/cached-prompt.ts'
import { field } from './fields.ts'
import { readRequest } from './request.ts'
import { geminiValidation } from './validation/check.ts'
import { generateShapes } from './stream-shapes.ts'

type Parsed = ChatParsed<{ isSse: boolean }>

export const finishReasons: Record<Finish, string> = {
  stop: 'STOP',
  stop_sequence: 'STOP',
  tool_calls: 'STOP',
  length: 'MAX_TOKENS',
  content_filter: 'SAFETY',
  prompt_filter: 'SAFETY',
}

const contentType = 'application/json; charset=UTF-8'
const piecesInChunk = 4
const hello = { contents: [{ role: 'user', parts: [{ text: 'hello' }] }] }

export function generateContent(engine: Engine, caches: CacheStore): LlmRoute<Parsed> {
  return {
    method: 'POST',
    path: '/v1beta/models/{model}:generateContent',
    op: 'chat',
    operation: 'generate_content',
    describe: describeAction('generateContent', 'generate content', hello),
    validation: geminiValidation(engine),
    parse: input => parseWithCache(engine, caches, input, false),
    readOnly: input => parse(engine, input, input.json(), false),
    render: (result, parsed) => ({ body: completeReply(engine, result, parsed), contentType }),
    shapes: generateShapes,
  }
}

export function streamGenerateContent(engine: Engine, caches: CacheStore): LlmRoute<Parsed> {
  return {
    method: 'POST',
    path: '/v1beta/models/{model}:streamGenerateContent',
    op: 'chat',
    operation: 'generate_content',
    describe: describeAction('streamGenerateContent', 'generate content with streaming', hello, '?alt=sse'),
    framingOf: ({ wire }) => (wire.isSse ? 'sse-crlf' : 'json-array'),
    validation: geminiValidation(engine),
    parse: input => parseWithCache(engine, caches, input, true),
    readOnly: input => parse(engine, input, input.json(), true),
    render: (result, parsed) => ({ body: [completeReply(engine, result, parsed)], contentType }),
    shapes: generateShapes,
    stream: (result, parsed) => streamChunks(engine, result, parsed),
  }
}

type CountedParsed = CountParsed<{ cachedTokens: number }>

export function countTokens(engine: Engine, caches: CacheStore): LlmRoute<CountedParsed> {
  return {
    method: 'POST',
    path: '/v1beta/models/{model}:countTokens',
    op: 'count',
    describe: describeAction('countTokens', 'count tokens', hello),
    validation: geminiValidation(engine),
    async parse(input) {
      const asked = { body: countedBody(engine, input), model: modelOf(input) }
      const { body, cachedTokens = 0 } = await withCache(engine, caches, input, asked)
      return countOf(engine, input, body, cachedTokens)
    },
    readOnly: input => countOf(engine, input, countedBody(engine, input), 0),
    render: ({ promptTokens }, { wire }) => ({
      body: {
        totalTokens: promptTokens,
        promptTokensDetails: details(promptTokens),
        ...cacheUsage(Math.min(wire.cachedTokens, promptTokens - 1)),
      },
      contentType,
    }),
  }
}

/** The request whose tokens are counted. */
function countedBody(engine: Engine, input: RouteInput): Record<string, unknown> {
  const body = input.json()
  const inner = field(engine, body, 'generateContentRequest')
  return isRecord(inner) ? inner : body
}

function countOf(
  engine: Engine,
  input: RouteInput,
  body: Record<string, unknown>,
  cachedTokens: number,
): CountedParsed {
  const model = modelOf(input)
  const request = readRequest(engine, body, model, input.limits.choices)
  return { op: 'count', model, request, wire: { cachedTokens } }
}

/** Most requests name no cache, and wait for nothing. */
function parseWithCache(
  engine: Engine,
  caches: CacheStore,
  input: RouteInput,
  stream: boolean,
): Parsed | Promise<Parsed> {
  const body = input.json()
  if (!namesCache(engine, body)) return parse(engine, input, body, stream)
  return withCache(engine, caches, input, { body, model: modelOf(input) }).then(({ body: whole, cachedTokens }) => ({
    ...parse(engine, input, whole, stream),
    ...(cachedTokens === undefined ? {} : { cachedTokens }),
  }))
}

function parse(engine: Engine, input: RouteInput, body: Record<string, unknown>, stream: boolean): Parsed {
  const model = modelOf(input)
  return {
    op: 'chat',
    model,
    stream,
    request: readRequest(engine, body, model, input.limits.choices),
    wire: { isSse: input.query.get('alt') === 'sse' },
  }
}

function details(tokens: number): object[] {
  return [{ modality: 'TEXT', tokenCount: tokens }]
}

function cacheUsage(tokens: number): object {
  return tokens === 0 ? {} : { cachedContentTokenCount: tokens, cacheTokensDetails: details(tokens) }
}

function usageOf({ promptTokens, completionTokens, reasoningTokens, cachedTokens = 0 }: ChatResult): object {
  return {
    promptTokenCount: promptTokens,
    candidatesTokenCount: completionTokens - reasoningTokens,
    ...(reasoningTokens === 0 ? {} : { thoughtsTokenCount: reasoningTokens }),
    totalTokenCount: promptTokens + completionTokens,
    promptTokensDetails: details(promptTokens),
    ...cacheUsage(cachedTokens),
  }
}

/** The four categories; only hate speech is ever detected. */
function safetyRatings(isHit: boolean): object[] {
  return ['HARASSMENT', 'HATE_SPEECH', 'SEXUALLY_EXPLICIT', 'DANGEROUS_CONTENT'].map(name => ({
    category: `HARM_CATEGORY_${name}`,
    ...(isHit && name === 'HATE_SPEECH' ? { probability: 'HIGH', blocked: true } : { probability: 'NEGLIGIBLE' }),
  }))
}

/** A complete candidate. */
function candidate(choice: Choice, parts: object[]): object {
  const isFiltered = choice.finish === 'content_filter'
  const ended: Record<string, unknown> = {
    content: { parts: isFiltered && choice.text === '' ? [] : parts, role: 'model' },
    finishReason: finishReasons[choice.finish],
    index: choice.index,
  }
  if (isFiltered) ended.safetyRatings = safetyRatings(true)
  return ended
}

/** The reply to a blocked prompt: no candidates. */
function blockedPrompt({ promptTokens }: ChatResult, head: object): object {
  return {
    promptFeedback: { blockReason: 'SAFETY', safetyRatings: safetyRatings(true) },
    usageMetadata: { promptTokenCount: promptTokens, totalTokenCount: promptTokens },
    ...head,
  }
}

function headOf(engine: Engine, parsed: Parsed): Head {
  return { modelVersion: parsed.model, responseId: engine.randomId(24) }
}

/** Whether parts of the reply have a thought signature. */
function isSigned(engine: Engine, { model, request }: Parsed): boolean {
  return request.reasoning !== undefined || engine.modelClasses(model).includes('gemini-3')
}

/** The first call has the signature, or the last part of a reply without calls. */
function signParts(engine: Engine, parts: object[], choice: Choice): object[] {
  const at =
    choice.calls.length === 0
      ? parts.findLastIndex(part => !('thought' in part))
      : parts.findIndex(part => 'functionCall' in part)
  return parts.map((part, place) =>
    place === at ? { ...part, thoughtSignature: engine.signThought(JSON.stringify(part)) } : part,
  )
}

function callPart(call: Call): object {
  const id = call.givenId === undefined ? {} : { id: call.givenId }
  return { functionCall: { ...id, name: call.name, args: call.args } }
}

function partOf(block: ChoiceBlock): object {
  if (block.type === 'call') return callPart(block.call)
  return block.type === 'text' ? { text: block.text } : { text: block.text, thought: true }
}

function completeReply(engine: Engine, result: ChatResult, parsed: Parsed): object {
  const head = headOf(engine, parsed)
  if (result.choices[0]?.finish === 'prompt_filter') return blockedPrompt(result, head)
  const signs = isSigned(engine, parsed)
  return {
    candidates: result.choices.map(choice => {
      const parts = engine.blocksOf(choice).map(partOf)
      return candidate(choice, signs ? signParts(engine, parts, choice) : parts)
    }),
    usageMetadata: usageOf(result),
    ...head,
  }
}

interface Head {
  modelVersion: string
  responseId: string
}
interface ChunkPart {
  text: string
  thought?: true
}
/** A chunk before the last one. */
interface Chunk extends Head {
  candidates: { content: { parts: ChunkPart[]; role: 'model' }; index: number }[]
  usageMetadata: { promptTokenCount: number; totalTokenCount: number }
}

const count = { type: 'integer' } as const

/** Uses a compiled schema, since there are many chunks. */
const writeChunk = jsonSerializer<Chunk>({
  type: 'object',
  properties: {
    candidates: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          content: {
            type: 'object',
            properties: {
              parts: {
                type: 'array',
                items: {
                  type: 'object',
                  properties: { text: { type: 'string' }, thought: { type: 'boolean' } },
                  required: ['text'],
                },
              },
              role: { const: 'model' },
            },
            required: ['parts', 'role'],
          },
          index: count,
        },
        required: ['content', 'index'],
      },
    },
    usageMetadata: {
      type: 'object',
      properties: { promptTokenCount: count, totalTokenCount: count },
      required: ['promptTokenCount', 'totalTokenCount'],
    },
    modelVersion: { type: 'string' },
    responseId: { type: 'string' },
  },
  required: ['candidates', 'usageMetadata', 'modelVersion', 'responseId'],
})

/** Streams only the first candidate; the last chunk contains the complete calls. */
function* streamChunks(engine: Engine, result: ChatResult, parsed: Parsed): Iterable<StreamEvent> {
  const head = headOf(engine, parsed)
  const choice = result.choices[0] as Choice
  if (choice.finish === 'prompt_filter') return yield { data: blockedPrompt(result, head) }
  const part: ChunkPart = { text: '' }
  const event: Chunk = {
    candidates: [{ content: { parts: [part], role: 'model' }, index: choice.index }],
    usageMetadata: { promptTokenCount: result.promptTokens, totalTokenCount: result.promptTokens },
    ...head,
  }
  const chunk = (pieces: readonly string[]): StreamEvent => {
    part.text = pieces.join('')
    return { data: writeChunk(event), paced: pieces.length }
  }
  const signs = isSigned(engine, parsed)
  const sign = (parts: object[]): object[] => (signs && parts.length > 0 ? signParts(engine, parts, choice) : parts)
  const last = (parts: object[], paced: number, signsThem = true): StreamEvent => ({
    data: {
      candidates: [candidate(choice, signsThem ? sign(parts) : parts)],
      usageMetadata: usageOf(result),
      ...head,
    },
    paced,
  })
  if (choice.finish === 'content_filter' && choice.text === '') return yield last([], 0)
  let hasSigned = false
  const segments = segmentsOf(engine.blocksOf(choice))
  for (const [place, segment] of segments.entries()) {
    const isEnd = place === segments.length - 1
    if (segment.type === 'calls') {
      const tokens = segment.calls.reduce((sum, call) => sum + call.jsonPieces.length, 0)
      const parts = segment.calls.map(callPart)
      if (isEnd) return yield last(parts, tokens, !hasSigned)
      const content = { parts: hasSigned ? parts : sign(parts), role: 'model' }
      hasSigned = true
      yield { data: { ...event, candidates: [{ content, index: choice.index }] }, paced: tokens }
      continue
    }
    if (segment.type === 'reasoning') part.thought = true
    else delete part.thought
    const endsHere = isEnd && segment.type === 'text'
    for (const { pieces, isLast } of chunked(segment.pieces)) {
      if (endsHere && isLast) return yield last([{ text: pieces.join('') }], pieces.length)
      yield chunk(pieces)
    }
  }
  yield last([{ text: '' }], 0)
}

type Segment = Exclude<ChoiceBlock, { type: 'call' }> | { type: 'calls'; calls: Call[] }

/** Calls in a row are in one chunk. */
function segmentsOf(blocks: readonly ChoiceBlock[]): Segment[] {
  const segments: Segment[] = []
  for (const block of blocks) {
    const latest = segments.at(-1)
    if (block.type !== 'call') segments.push(block)
    else if (latest?.type === 'calls') latest.calls.push(block.call)
    else segments.push({ type: 'calls', calls: [block.call] })
  }
  return segments
}

function* chunked(all: Pieces): Iterable<{ pieces: string[]; isLast: boolean }> {
  let left = all.length
  let pieces: string[] = []
  for (const piece of all) {
    pieces.push(piece)
    left -= 1
    if (pieces.length < piecesInChunk && left > 0) continue
    yield { pieces, isLast: left === 0 }
    pieces = []
  }
}
