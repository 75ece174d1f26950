/** What the API says of a response that exceeds the context window of its model. */
import type { ChatParsed, ContextAnswer, ContextFacts } from '../../llm/types.ts'
import { CONTEXT_CODE } from '../format/context-error.ts'
import type { ResponsesWire } from './request.ts'

/** With `truncation: "auto"`, the oldest messages are dropped. */
export function responsesContextError(
  { promptTokens: prompt, window, isShortened }: ContextFacts,
  { wire }: ChatParsed<ResponsesWire>,
): ContextAnswer {
  if (window === null || prompt <= window) return 'cut'
  if (wire.head.body.truncation === 'auto' && !isShortened) return 'drop'
  return {
    param: 'input',
    code: CONTEXT_CODE,
    message: 'Your input exceeds the context window of this model. Please adjust your input and try again.',
  }
}
