/** What the API says of a request that exceeds the context window or the output limit of its model. */
import type { ContextAnswer, ContextFacts } from '../llm/types.ts'

export function contextError({
  model,
  promptTokens: prompt,
  maxTokens,
  requestedTokens: requested,
  window,
  outputLimit,
}: ContextFacts): ContextAnswer {
  if (outputLimit !== null && requested > outputLimit)
    return {
      message: `max_tokens: ${requested} > ${outputLimit}, which is the maximum allowed number of output tokens for ${model}`,
    }
  if (window === null) return 'cut'
  if (prompt > window) return { message: `prompt is too long: ${prompt} tokens > ${window} maximum` }
  if (prompt + maxTokens <= window) return 'cut'
  return {
    message: `input length and \`max_tokens\` exceed context limit: ${prompt} + ${maxTokens} > ${window}, decrease input length or \`max_tokens\` and try again`,
  }
}
