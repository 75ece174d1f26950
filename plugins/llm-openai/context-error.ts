/** What the API says of a request that exceeds the context window of its model. */
import type { ChatParsed, ContextAnswer, ContextFacts } from '../llm/types.ts'
import type { ResponsesWire } from './responses/request.ts'

const CODE = 'context_length_exceeded'

/** Chat and text completions count the limit of the reply too. */
export function contextError({ promptTokens: prompt, maxTokens, window }: ContextFacts): ContextAnswer {
  if (window === null || prompt + maxTokens <= window) return 'cut'
  const start = `This model's maximum context length is ${window} tokens. However,`
  return {
    param: 'messages',
    code: CODE,
    message:
      maxTokens === 0
        ? `${start} your messages resulted in ${prompt} tokens. Please reduce the length of the messages.`
        : `${start} you requested ${prompt + maxTokens} tokens (${prompt} in the messages, ${maxTokens} in the completion). Please reduce the length of the messages or completion.`,
  }
}

/** With `truncation: "auto"`, the oldest messages are dropped. */
export function responsesContextError(
  { promptTokens: prompt, window, isShortened }: ContextFacts,
  { wire }: ChatParsed<ResponsesWire>,
): ContextAnswer {
  if (window === null || prompt <= window) return 'cut'
  if (wire.head.body.truncation === 'auto' && !isShortened) return 'drop'
  return {
    param: 'input',
    code: CODE,
    message: 'Your input exceeds the context window of this model. Please adjust your input and try again.',
  }
}
