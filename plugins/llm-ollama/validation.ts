/** What Ollama's chat refuses: it ignores unknown members, but not values of other types. */
import { isRecord } from 'svc/toolkit'
import type { RouteValidation, RuleSource } from '../llm/types.ts'

const SOURCES: readonly RuleSource[] = [
  {
    title: 'Types of the API in ollama/ollama, api/types.go',
    url: 'https://github.com/ollama/ollama/blob/main/api/types.go',
    kind: 'definition',
    read: '2026-11-27',
  },
]
const BASE64 = /[A-Za-z0-9+/=]/
/** Characters of an image that are checked. */
const CHECKED = 256

export const OLLAMA_CHAT: RouteValidation = {
  flavour: 'ollama',
  rules: [
    {
      rule: 'ollama.content-text',
      phase: 'shape',
      confidence: 'reported',
      condition: 'The content of a message is a list.',
      message: 'json: cannot unmarshal array into Go struct field ChatRequest.messages.content of type string',
      sources: SOURCES,
    },
    {
      rule: 'ollama.arguments-object',
      phase: 'shape',
      confidence: 'reported',
      condition: 'The arguments of an earlier call are a text.',
      message:
        'json: cannot unmarshal string into Go struct field ChatRequest.messages.tool_calls.function.arguments of type api.ToolCallFunctionArguments',
      sources: SOURCES,
    },
    {
      rule: 'ollama.image-base64',
      phase: 'shape',
      confidence: 'reported',
      condition: 'An image is a data URL, or not base64.',
      message: 'illegal base64 data at input byte {n}',
      sources: SOURCES,
    },
  ],
  check({ body }, report) {
    if (!Array.isArray(body.messages)) return
    body.messages.forEach((message: unknown, index) => {
      if (!isRecord(message)) return
      if (Array.isArray(message.content)) report('ollama.content-text', `messages.${index}.content`)
      for (const call of Array.isArray(message.tool_calls) ? message.tool_calls : []) {
        const called: unknown = isRecord(call) ? call.function : undefined
        if (isRecord(called) && typeof called.arguments === 'string')
          report('ollama.arguments-object', `messages.${index}.tool_calls`)
      }
      for (const image of Array.isArray(message.images) ? message.images : []) {
        const wrong = typeof image === 'string' ? firstWrong(image.slice(0, CHECKED)) : -1
        if (wrong >= 0) report('ollama.image-base64', `messages.${index}.images`, { n: wrong })
      }
    })
  },
}

/** The place of the first character that is not base64; -1: all are. */
function firstWrong(text: string): number {
  return [...text].findIndex(character => !BASE64.test(character) && character !== '\n' && character !== '\r')
}
