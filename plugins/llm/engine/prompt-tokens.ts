/** The tokens of a parsed request, before it is computed. */
import { promptTokens, render } from './prompt.ts'
import { RULE } from './tokenizer.ts'
import type { Parsed } from '../contract/parsed.ts'

export function promptTokensOf(parsed: Parsed): number {
  switch (parsed.op) {
    case 'chat': {
      const requests = [parsed.request, ...(parsed.also ?? [])]
      return parsed.promptTokens ?? requests.reduce((sum, request) => sum + promptTokens(request, render(request)), 0)
    }
    case 'count':
      return promptTokens(parsed.request, render(parsed.request))
    case 'embed': {
      const { count } = parsed.tokenizer ?? RULE
      return parsed.inputs.reduce((sum, input) => sum + (typeof input === 'string' ? count(input) : input.length), 0)
    }
    case 'rerank': {
      const { count } = parsed.tokenizer ?? RULE
      return parsed.documents.reduce((sum, text) => sum + count(text), count(parsed.query))
    }
    case 'own':
      return parsed.promptTokens
    case 'models':
      return 0
  }
}

/** The limit of the reply that the request names; 0 without one. */
export function maxTokensOf(parsed: Parsed): number {
  return parsed.op === 'chat' ? (parsed.request.maxTokens ?? 0) : 0
}
