/** What the API says of a request that exceeds the context window of its model. */
import type { ContextAnswer, ContextFacts } from '../../llm/types.ts'

export const CONTEXT_CODE = 'context_length_exceeded'

/** Chat and text completions count the limit of the reply too. */
export function contextError({ promptTokens: prompt, maxTokens, window }: ContextFacts): ContextAnswer {
  if (window === null || prompt + maxTokens <= window) return 'cut'
  const start = `This model's maximum context length is ${window} tokens. However,`
  return {
    param: 'messages',
    code: CONTEXT_CODE,
    message:
      maxTokens === 0
        ? `${start} your messages resulted in ${prompt} tokens. Please reduce the length of the messages.`
        : `${start} you requested ${prompt + maxTokens} tokens (${prompt} in the messages, ${maxTokens} in the completion). Please reduce the length of the messages or completion.`,
  }
}
