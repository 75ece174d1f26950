/** Adds what the request and its reply were to the span of the request. Never prompts or replies. */
import { type SpanAttributeValue } from 'svc/plugin'
import { isRecord } from 'svc/toolkit'
import type { ModelCall } from '../call/model-call.ts'
import type { StreamEvent } from '../contract/stream.ts'
import type { Rendered } from '../contract/route.ts'
import type { EndedCall } from '../usage/call.ts'
import { idsOf } from '../validation/violations.ts'
import type { Outcome } from './ended-call.ts'
import { operationOf, providerNameOf } from '../telemetry/operation.ts'

type Attributes = Record<string, SpanAttributeValue | undefined>

/** `ended` is null if the request is not a call of the model. Does nothing if no span is recorded. */
export function describeSpan(call: ModelCall, outcome: Outcome, ended: EndedCall | null): void {
  const { span } = call
  const operation = operationOf(call.route)
  if (span === null || operation === null) return
  const model = call.model ?? undefined
  span.rename(model === undefined ? operation : `${operation} ${model}`)
  span.set({
    'gen_ai.operation.name': operation,
    'gen_ai.provider.name': providerNameOf(call.instance.format),
    'gen_ai.request.model': model,
    'svc.llm.violations': violationsOf(call),
    'error.type': outcome.errorType ?? (ended === null ? undefined : cutOf(ended)),
    ...(outcome.reply === 'none' ? {} : ofRequest(call, outcome)),
    ...(outcome.reply === 'none' || ended === null ? {} : ofReply(call, ended)),
  })
}

function violationsOf({ validation }: ModelCall): readonly string[] | undefined {
  return validation === null || validation.violations.length === 0 ? undefined : idsOf(validation.violations)
}

function cutOf({ cut, fault }: EndedCall): string | undefined {
  if (cut === null) return undefined
  if (cut.by === 'client') return 'client_gone'
  return cut.by === 'fault' ? (fault ?? 'fault') : 'server_error'
}

function ofRequest(call: ModelCall, { stream }: Outcome): Attributes {
  const { parsed } = call
  const sampling = samplingOf(call)
  return {
    'gen_ai.request.max_tokens': parsed?.op === 'chat' ? parsed.request.maxTokens : undefined,
    'gen_ai.request.temperature': numberOf(sampling.temperature),
    'gen_ai.request.top_p': numberOf(sampling.topP),
    'gen_ai.request.stream': stream !== undefined,
    'gen_ai.conversation.id': parsed?.conversation,
  }
}

function samplingOf({ instance, readText }: ModelCall): { temperature?: unknown; topP?: unknown } {
  const body = objectOf(readText)
  if (body === null) return {}
  return instance.format.telemetry?.sampling?.(body) ?? { temperature: body.temperature, topP: body.top_p }
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined
}

function ofReply({ parsed, result, finishReasons: words, replyId }: ModelCall, ended: EndedCall): Attributes {
  const chat = result?.op === 'chat' ? result : null
  return {
    'gen_ai.response.model': parsed?.model,
    'gen_ai.response.id': replyId ?? undefined,
    'gen_ai.response.finish_reasons':
      chat === null || ended.cut !== null ? undefined : chat.choices.map(({ finish }) => words[finish]),
    'gen_ai.usage.input_tokens': ended.prompt_tokens,
    'gen_ai.usage.output_tokens': ended.completion_tokens,
    ...(chat === null
      ? {}
      : {
          'gen_ai.usage.cache_read.input_tokens': ended.cached_tokens,
          'gen_ai.usage.cache_creation.input_tokens': ended.cache_write_tokens,
          'gen_ai.usage.reasoning.output_tokens': ended.reasoning_tokens,
        }),
  }
}

/** Remembers the id in a reply, if a span is recorded. */
export function noteReply(call: ModelCall, { body }: Rendered): void {
  if (call.span !== null && !Buffer.isBuffer(body)) note(call, body)
}

/** Remembers the id in the first event of a stream, if a span is recorded. */
export function noteEvents(call: ModelCall, events: Iterable<StreamEvent>): Iterable<StreamEvent> {
  return call.span === null ? events : noting(call, events)
}

function* noting(call: ModelCall, events: Iterable<StreamEvent>): Iterable<StreamEvent> {
  let isFirst = true
  for (const event of events) {
    if (isFirst) note(call, event.data)
    isFirst = false
    yield event
  }
}

/** Characters of a reply that is not parsed only to find its id. */
const MAX_PARSED = 65_536

function note(call: ModelCall, reply: unknown): void {
  if (typeof reply === 'string' && reply.length > MAX_PARSED) return
  const body = objectOf(reply)
  if (body === null) return
  const { telemetry } = call.instance.format
  const id = telemetry?.replyId === undefined ? usualId(body) : telemetry.replyId(body)
  if (typeof id === 'string') call.replyId = id
}

/** In a stream, the first event of some formats contains the beginning of the reply. */
function usualId(body: Readonly<Record<string, unknown>>): unknown {
  const whole = [body.message, body.response].find(isRecord) ?? body
  return whole.id ?? body.id
}

function objectOf(value: unknown): Record<string, unknown> | null {
  if (typeof value !== 'string') return isRecord(value) ? value : null
  try {
    const parsed: unknown = JSON.parse(value)
    return isRecord(parsed) ? parsed : null
  } catch {
    return null
  }
}
