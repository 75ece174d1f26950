/** `Converse` and `ConverseStream`. */
import type {
  ChatParsed,
  ChatResult,
  Choice,
  ChoiceBlock,
  Engine,
  Finish,
  LlmRoute,
  RouteInput,
  RouteValidation,
  StreamEvent,
} from '../llm/types.ts'
import type { BedrockGuardrails } from '../guardrails/types.ts'
import { guardConverse } from './converse-guardrail.ts'
import { tokensUpToCachePoint } from './cache-point.ts'
import { readConverse } from './converse-request.ts'
import { describeOperation } from './describe.ts'
import type { Family } from './families.ts'
import { readResponseFields, responseFieldsOf, type ResponseFields } from './response-fields.ts'
import { converseShapes } from './stream-shapes.ts'

type Parsed = ChatParsed<ResponseFields | undefined>

export const finishReasons: Record<Finish, string> = {
  stop: 'end_turn',
  stop_sequence: 'stop_sequence',
  length: 'max_tokens',
  tool_calls: 'tool_use',
  content_filter: 'content_filtered',
  prompt_filter: 'content_filtered',
}

const hello = { messages: [{ role: 'user', content: [{ text: 'hello' }] }] }
const model = 'anthropic.claude-sonnet-4-5-20250929-v1:0'
const metrics = { latencyMs: 42 }

export function converse(
  engine: Engine,
  families: readonly Family[],
  validation: RouteValidation,
  guardrails?: BedrockGuardrails,
): LlmRoute<Parsed> {
  return {
    validation,
    method: 'POST',
    path: '/model/{*modelId}/converse',
    op: 'chat',
    describe: describeOperation('converse', model, 'converse', hello),
    parse: input => parse(engine, families, guardrails, input, false),
    reportsCacheWrites: true,
    render: (result, { wire }, context) => ({
      body: {
        ...outputOf(engine, result),
        usage: usageWithCache(result),
        ...responseFieldsOf(wire, result, context),
        metrics,
        ...traceOf(result),
      },
    }),
    shapes: converseShapes,
  }
}

export function converseStream(
  engine: Engine,
  families: readonly Family[],
  validation: RouteValidation,
  guardrails?: BedrockGuardrails,
): LlmRoute<Parsed> {
  return {
    validation,
    method: 'POST',
    path: '/model/{*modelId}/converse-stream',
    op: 'chat',
    describe: describeOperation('converse-stream', model, 'converse with streaming', hello),
    framing: 'aws-eventstream',
    parse: input => parse(engine, families, guardrails, input, true),
    reportsCacheWrites: true,
    render: result => ({ body: outputOf(engine, result) }),
    shapes: converseShapes,
    stream: (result, { wire }, context) => converseEvents(engine, result, responseFieldsOf(wire, result, context)),
  }
}

/** Applies the guardrail first, so that the model receives masked text. */
async function parse(
  engine: Engine,
  families: readonly Family[],
  guardrails: BedrockGuardrails | undefined,
  input: RouteInput,
  stream: boolean,
): Promise<Parsed> {
  const id = input.params.modelId ?? ''
  const body = input.json()
  const guardrail = guardConverse(engine, guardrails, body)
  const cacheUpTo = tokensUpToCachePoint(engine, body)
  return {
    op: 'chat',
    model: id,
    stream,
    request: readConverse(engine, body, id),
    wire: await readResponseFields(engine, families, input, body, id),
    ...(guardrail && { guardrail }),
    ...(cacheUpTo === null ? {} : { cacheUpTo }),
  }
}

function traceOf({ guardrail }: ChatResult): object {
  return guardrail?.trace === undefined ? {} : { trace: guardrail.trace }
}

function stopReasonOf({ guardrail }: ChatResult, choice: Choice): string {
  return guardrail?.finishReason ?? finishReasons[choice.finish]
}

/** The tokens of the prompt that were neither read from the cache nor written to it. */
export function uncachedTokens({ promptTokens, cachedTokens = 0, cacheWriteTokens = 0 }: ChatResult): number {
  return promptTokens - cachedTokens - cacheWriteTokens
}

export function usageOf(result: ChatResult): object {
  const { promptTokens, completionTokens } = result
  return {
    inputTokens: uncachedTokens(result),
    outputTokens: completionTokens,
    totalTokens: promptTokens + completionTokens,
  }
}

function usageWithCache(result: ChatResult): object {
  const { cachedTokens = 0, cacheWriteTokens = 0, longCacheWriteTokens: long } = result
  return {
    ...usageOf(result),
    cacheReadInputTokens: cachedTokens,
    cacheWriteInputTokens: cacheWriteTokens,
    ...(long === undefined
      ? {}
      : {
          cacheDetails: [
            { ttl: '1h', inputTokens: long },
            { ttl: '5m', inputTokens: cacheWriteTokens - long },
          ],
        }),
  }
}

/** The parts of a reply. Empty texts are left out, since Bedrock refuses them when they are sent back. */
function blocksOf(engine: Engine, choice: Choice): ChoiceBlock[] {
  return engine.blocksOf(choice).filter(block => block.type !== 'text' || block.text !== '')
}

function contentOf(engine: Engine, block: ChoiceBlock): object {
  if (block.type === 'text') return { text: block.text }
  if (block.type === 'call') {
    const { call } = block
    return { toolUse: { toolUseId: call.givenId ?? `tooluse_${call.id}`, name: call.name, input: call.args } }
  }
  const signature = engine.signThought(block.text)
  return {
    reasoningContent:
      block.isRedacted === true ? { redactedContent: signature } : { reasoningText: { text: block.text, signature } },
  }
}

/** The message and its stop reason. */
export function outputOf(engine: Engine, result: ChatResult): object {
  const choice = result.choices[0] as Choice
  const content = blocksOf(engine, choice).map(block => contentOf(engine, block))
  return { output: { message: { role: 'assistant', content } }, stopReason: stopReasonOf(result, choice) }
}

type ConverseEvent = StreamEvent & { event: string; data: object }

/** The events of one turn; text blocks have no start event. */
export function* converseEvents(
  engine: Engine,
  result: ChatResult,
  fields: { additionalModelResponseFields?: object } = {},
): Iterable<ConverseEvent> {
  const choice = result.choices[0] as Choice
  let index = 0
  const delta = (value: object, paced = true): ConverseEvent => ({
    event: 'contentBlockDelta',
    data: { contentBlockIndex: index, delta: value },
    paced,
  })
  const stop = (): ConverseEvent => ({
    event: 'contentBlockStop',
    data: { contentBlockIndex: index++ },
  })
  yield { event: 'messageStart', data: { role: 'assistant' } }
  for (const block of blocksOf(engine, choice)) {
    if (block.type === 'text') for (const text of block.pieces) yield delta({ text })
    else if (block.type === 'call') {
      const { call } = block
      const toolUse = { toolUseId: call.givenId ?? `tooluse_${call.id}`, name: call.name }
      yield { event: 'contentBlockStart', data: { contentBlockIndex: index, start: { toolUse } } }
      for (const input of call.jsonPieces) yield delta({ toolUse: { input } })
    } else if (block.isRedacted === true)
      yield delta({ reasoningContent: { redactedContent: engine.signThought(block.text) } }, false)
    else {
      for (const text of block.pieces) yield delta({ reasoningContent: { text } })
      yield delta({ reasoningContent: { signature: engine.signThought(block.text) } }, false)
    }
    yield stop()
  }
  yield { event: 'messageStop', data: { stopReason: stopReasonOf(result, choice), ...fields } }
  yield { event: 'metadata', data: { usage: usageWithCache(result), metrics, ...traceOf(result) } }
}
