/** What `X-Svc-Stream-Shape` can change about a stream of candidates. */
import type { ChatResult, StreamShapes, UsageMode, WireEvent } from '../llm/types.ts'

/** Streams end without a terminator; a JSON array has its bracket. */
export const generateShapes: StreamShapes = {
  isFinish: ({ data }) => hasFinish(data),
  idMember: 'responseId',
  usage: { modes: ['last', 'every', 'none'], rewrite },
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
