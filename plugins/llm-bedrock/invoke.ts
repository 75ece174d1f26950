/** `InvokeModel` and `InvokeModelWithResponseStream`, in the format of the model family. */
import { isRecord } from 'svc/toolkit'
import type {
  ChatParsed,
  CountParsed,
  EmbedParsed,
  Engine,
  LlmRoute,
  LlmRouteDescription,
  NeutralRequest,
  OwnParsed,
  RenderContext,
  RerankParsed,
  RouteInput,
  StreamEvent,
  StreamShapes,
} from '../llm/types.ts'
import type { BedrockGuardrails } from '../guardrails/types.ts'
import { uncachedTokens } from './converse.ts'
import { readConverse } from './converse-request.ts'
import { describeOperation, familyId } from './describe.ts'
import type { Family, FamilyParsed, FamilyResult } from './families.ts'
import { actionMember, guardInvoke, guardrailParameters, traceMember } from './invoke-guardrail.ts'
import { frame, type Chunk } from './invoke-frame.ts'
import { invokeShapes } from './stream-shapes.ts'

/** The model family, and the request that it has parsed. */
interface InvokeWire {
  family: Family
  inner: FamilyParsed
}
type Parsed = ChatParsed<InvokeWire> | EmbedParsed<InvokeWire> | RerankParsed<InvokeWire> | OwnParsed<InvokeWire>

const latencyMs = 42
const firstByteMs = 10
const titan = 'amazon.titan-text-express-v1'

export function invoke(engine: Engine, families: readonly Family[], guardrails?: BedrockGuardrails): LlmRoute<Parsed> {
  return {
    method: 'POST',
    path: '/model/{*modelId}/invoke',
    op: 'chat',
    describe: describeInvoke('invoke', 'invoke a model'),
    parse: input => parse(engine, families, guardrails, input, false),
    shapesOf: ({ wire }) => wire.family.shapes ?? {},
    render: (result, { wire }, context) => ({
      body: completeReply(result, wire, context),
      headers: tokenHeaders(result, wire.inner),
    }),
  }
}

export function invokeStream(
  engine: Engine,
  families: readonly Family[],
  guardrails?: BedrockGuardrails,
): LlmRoute<Parsed> {
  return {
    method: 'POST',
    path: '/model/{*modelId}/invoke-with-response-stream',
    op: 'chat',
    describe: describeInvoke('invoke-with-response-stream', 'invoke a model with streaming'),
    framing: 'aws-eventstream',
    parse: input => parse(engine, families, guardrails, input, true),
    render: (result, { wire }, context) => ({ body: completeReply(result, wire, context) }),
    shapesOf: ({ wire }) => shapesOf(wire.family),
    stream: (result, { wire }, context) =>
      frames(
        result,
        wire.inner,
        wire.family.chunks?.(result, wire.inner, context) ?? [{ data: wire.family.reply(result, wire.inner, context) }],
      ),
    streamHeaders: () => ({ 'x-amzn-bedrock-content-type': 'application/json' }),
  }
}

/** A family that is not streamed sends its complete reply in one frame. */
function shapesOf({ chunks, shapes = {}, isNamed }: Family): StreamShapes {
  return invokeShapes({ shapes: chunks === undefined ? {} : shapes, isNamed: isNamed === true })
}

function describeInvoke(operation: string, summary: string): LlmRouteDescription {
  const description = describeOperation(operation, titan, summary, { inputText: 'hello' })
  return { ...description, parameters: [...(description.parameters ?? []), ...guardrailParameters] }
}

/** Applies the guardrail first, so that the model receives masked text. */
async function parse(
  engine: Engine,
  families: readonly Family[],
  guardrails: BedrockGuardrails | undefined,
  input: RouteInput,
  stream: boolean,
): Promise<Parsed> {
  const body = input.json()
  const guardrail = guardInvoke(engine, guardrails, input, body)
  const inner = await readBody(engine, families, input, body)
  if (guardrail !== undefined && inner.parsed.op !== 'chat')
    throw engine.badInput('Guardrails can only be applied to models that generate text.')
  return {
    ...inner.parsed,
    ...(guardrail && { guardrail }),
    stream,
    wire: { family: inner.family, inner: inner.parsed },
  }
}

/** The reply in the family's format, with the guardrail members. */
function completeReply(result: FamilyResult, { family, inner }: InvokeWire, context: RenderContext): object | string {
  const reply = family.reply(result, inner, context)
  return result.op === 'chat' && result.guardrail !== undefined
    ? { ...valueOf(reply), ...actionMember(result), ...traceMember(result) }
    : reply
}

function valueOf(data: object | string): object {
  return typeof data === 'string' ? (JSON.parse(data) as object) : data
}

async function readBody(
  engine: Engine,
  families: readonly Family[],
  input: RouteInput,
  body: Record<string, unknown>,
): Promise<{ family: Family; parsed: FamilyParsed }> {
  const modelId = input.params.modelId ?? ''
  const id = familyId(modelId)
  const family = families.find(candidate => candidate.matches(body, id))
  if (family === undefined)
    throw engine.badInput(
      `Malformed input request: the body matches no known model family (model ${modelId.slice(0, 200)}).`,
    )
  return { family, parsed: await family.parse(input, body, modelId) }
}

/** Tokens that are read from the cache or written to it are not among those of the input. */
interface Tokens {
  input: number
  output: number
  /** Absent: the operation has no prompt cache. */
  cache?: { read: number; written: number }
}

function tokensOf(result: FamilyResult, inner: FamilyParsed): Tokens {
  if (inner.op === 'own') return { input: inner.promptTokens, output: inner.completionTokens }
  if (result.op !== 'chat') return { input: result.op === 'own' ? 0 : result.promptTokens, output: 0 }
  const { cachedTokens = 0, cacheWriteTokens = 0 } = result
  return {
    input: uncachedTokens(result),
    output: result.completionTokens,
    cache: { read: cachedTokens, written: cacheWriteTokens },
  }
}

function tokenHeaders(result: FamilyResult, inner: FamilyParsed): Record<string, string> {
  const { input, output, cache } = tokensOf(result, inner)
  return {
    'x-amzn-bedrock-input-token-count': String(input),
    'x-amzn-bedrock-output-token-count': String(output),
    ...(cache && {
      'x-amzn-bedrock-cache-read-input-token-count': String(cache.read),
      'x-amzn-bedrock-cache-write-input-token-count': String(cache.written),
    }),
    'x-amzn-bedrock-invocation-latency': String(latencyMs),
  }
}

/** Each chunk as base64 in JSON, with the guardrail action; the last one also has the metrics and the assessments. */
function* frames(result: FamilyResult, inner: FamilyParsed, chunks: Iterable<Chunk>): Iterable<StreamEvent> {
  const { input, output, cache } = tokensOf(result, inner)
  const guarded = result.op === 'chat' && result.guardrail !== undefined ? result : undefined
  const action = guarded && actionMember(guarded)
  let held: Chunk | undefined
  for (const chunk of chunks) {
    if (held !== undefined) yield frame(held)
    held = action === undefined ? chunk : { ...chunk, data: { ...valueOf(chunk.data), ...action } }
  }
  const figures = {
    'amazon-bedrock-invocationMetrics': {
      inputTokenCount: input,
      outputTokenCount: output,
      invocationLatency: latencyMs,
      firstByteLatency: firstByteMs,
      ...(cache && { cacheReadInputTokenCount: cache.read, cacheWriteInputTokenCount: cache.written }),
    },
  }
  if (held === undefined) return
  yield frame({ ...held, data: { ...valueOf(held.data), ...(guarded && traceMember(guarded)), ...figures } })
}

/** `CountTokens` for a Converse request or an `InvokeModel` body. */
export function countTokens(engine: Engine, families: readonly Family[]): LlmRoute<CountParsed> {
  const { json } = engine
  return {
    method: 'POST',
    path: '/model/{*modelId}/count-tokens',
    op: 'count',
    describe: describeOperation('count-tokens', 'anthropic.claude-sonnet-4-5-20250929-v1:0', 'count tokens', {
      input: { converse: { messages: [{ role: 'user', content: [{ text: 'hello' }] }] } },
    }),
    async parse(input) {
      const model = input.params.modelId ?? ''
      const given = json.own(input.json(), 'input')
      const converse = json.own(given, 'converse')
      if (isRecord(converse))
        return { op: 'count', model, request: readConverse(engine, converse, model), wire: undefined }
      const bytes = json.textOf(json.own(json.own(given, 'invokeModel'), 'body'))
      const body = bytes === undefined ? undefined : json.argumentsOf(Buffer.from(bytes, 'base64').toString('utf8'))
      if (!isRecord(body))
        throw engine.badInput('input must have converse, or invokeModel with a base64-encoded JSON body.')
      const { parsed } = await readBody(engine, families, input, body)
      return { op: 'count', model, request: requestOf(engine, model, parsed), wire: undefined }
    },
    render: ({ promptTokens }) => ({ body: { inputTokens: promptTokens } }),
  }
}

function requestOf(engine: Engine, model: string, parsed: FamilyParsed): NeutralRequest {
  if (parsed.op === 'chat') return parsed.request
  if (parsed.op === 'embed') return textRequest(model, parsed.inputs)
  throw engine.badInput('input: counting tokens is not supported for this operation.')
}

function textRequest(model: string, inputs: EmbedParsed['inputs']): NeutralRequest {
  return {
    model,
    system: [],
    messages: [{ role: 'user', parts: [{ type: 'text', text: inputs.join('\n') }] }],
    tools: [],
    toolChoice: 'none',
    format: { type: 'none' },
    stop: [],
    n: 1,
  }
}
