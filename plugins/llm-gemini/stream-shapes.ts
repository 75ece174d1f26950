/** What `X-Svc-Stream-Shape` can change about a stream of candidates. */
import { isRecord } from 'svc/toolkit'
import type { ChatResult, StreamShapes, UsageMode, WireEvent } from '../llm/types.ts'

/** Streams end without a terminator; a JSON array has its bracket. */
export const generateShapes: StreamShapes = {
  isFinish: ({ data }) => hasFinish(data),
  idMember: 'responseId',
  usage: { modes: ['last', 'every', 'none'], rewrite, member: 'usageMetadata' },
  changes: {
    null: { values: ['content'], events: withNullContent, whole: nullContent },
    finish: { events: withFinish, whole: (body, [word]) => finishAs(body, word!) },
  },
}

function hasFinish(data: Record<string, unknown> | null): boolean {
  const candidates = data?.candidates
  return Array.isArray(candidates) && candidates.some(candidate => 'finishReason' in (candidate as object))
}

/** Each chunk has `usageMetadata`: only the last reports the reply's tokens, unless every one does, or none. */
function* rewrite(events: Iterable<WireEvent>, mode: UsageMode, result: ChatResult): Iterable<WireEvent> {
  let tokens = 0
  for (const item of events) {
    const { event, data } = item
    tokens += event.paced === true ? 1 : event.paced || 0
    if (data !== null && mode === 'none') delete data.usageMetadata
    if (data !== null && mode === 'every' && !hasFinish(data)) {
      const thoughts = Math.min(result.reasoningTokens, tokens)
      data.usageMetadata = {
        promptTokenCount: result.promptTokens,
        candidatesTokenCount: tokens - thoughts,
        ...(thoughts === 0 ? {} : { thoughtsTokenCount: thoughts }),
        totalTokenCount: result.promptTokens + tokens,
      }
    }
    yield item
  }
}

type Body = Record<string, unknown>

function candidatesOf({ candidates }: Body): Body[] {
  return Array.isArray(candidates) ? candidates.filter(isRecord) : []
}

function nullContent(body: Body): void {
  for (const candidate of candidatesOf(body)) candidate.content = null
}

/** The end of a candidate is a chunk of its own, without content. */
function* withNullContent(events: Iterable<WireEvent>): Iterable<WireEvent> {
  for (const item of events) {
    const { event, data } = item
    if (!hasFinish(data)) {
      yield item
      continue
    }
    const end = structuredClone(data!)
    for (const candidate of candidatesOf(data!)) delete candidate.finishReason
    yield item
    nullContent(end)
    yield { event: { ...event, paced: false }, data: end }
  }
}

/** Reasons that replace a call which the model has not made well. */
const FAILED_CALLS: Readonly<Record<string, string>> = {
  MALFORMED_FUNCTION_CALL: 'Malformed function call: print(default_api.',
  UNEXPECTED_TOOL_CALL: 'Unexpected tool call: the model called a tool that is not enabled.',
}

function* withFinish(events: Iterable<WireEvent>, [word]: readonly string[]): Iterable<WireEvent> {
  for (const item of events) {
    if (item.data !== null) finishAs(item.data, word!)
    yield item
  }
}

function finishAs(body: Body, word: string): void {
  const finishMessage = Object.hasOwn(FAILED_CALLS, word) ? FAILED_CALLS[word] : undefined
  for (const candidate of candidatesOf(body)) {
    if (finishMessage !== undefined) candidate.content = { role: 'model', parts: [] }
    if (!('finishReason' in candidate)) continue
    candidate.finishReason = word
    if (finishMessage !== undefined) candidate.finishMessage = finishMessage
  }
}
