/** Texts, model and format of the body of a request to a model. */
import { isUtf8 } from 'node:buffer'
import type { StepBudget } from 'svc/plugin'
import { isRecord, isTextNestedWithin } from 'svc/toolkit'

const MAX_DEPTH = 100
/** Of an object, member or text. */
const STEPS = 20

/** The JSON object of a body; null for anything else. */
export function jsonOf(body: Buffer): Record<string, unknown> | null {
  const text = jsonText(body)
  if (text === null || !isNested(text)) return null
  try {
    const value: unknown = JSON.parse(text)
    return isRecord(value) ? value : null
  } catch {
    return null
  }
}

/** The text of a body; null if it is not UTF-8. */
export function jsonText(body: Buffer): string | null {
  return isUtf8(body) ? body.toString() : null
}

/** Whether the nesting of a JSON text is within the bound. */
export function isNested(text: string): boolean {
  return isTextNestedWithin(text, MAX_DEPTH)
}

/** All texts of a JSON value, in order. Throws `TooExpensive`. */
export function textsOf(value: unknown, steps: StepBudget): string[] {
  const texts: string[] = []
  const walk = (part: unknown): void => {
    steps.take(STEPS)
    if (typeof part === 'string') texts.push(part)
    else if (Array.isArray(part)) part.forEach(walk)
    else if (isRecord(part)) Object.values(part).forEach(walk)
  }
  walk(value)
  return texts
}

/** Members that have a prompt, in the formats of the known vendors. */
const PROMPT_MEMBERS = ['messages', 'prompt', 'input', 'contents', 'message', 'inputText']
/** Of a part of a prompt. */
const TEXT_MEMBERS = ['content', 'text', 'parts']

/** The text of the prompt; empty without one. Throws `TooExpensive`. */
export function promptOf(body: Record<string, unknown>, steps: StepBudget): string {
  const texts: string[] = []
  const walk = (part: unknown): void => {
    steps.take(STEPS)
    if (typeof part === 'string') texts.push(part)
    else if (Array.isArray(part)) part.forEach(walk)
    else if (isRecord(part)) for (const name of TEXT_MEMBERS) if (Object.hasOwn(part, name)) walk(part[name])
  }
  for (const name of PROMPT_MEMBERS) if (Object.hasOwn(body, name)) walk(body[name])
  return texts.join('\n')
}

export function modelOf(body: Record<string, unknown> | null): string | null {
  const model = body !== null && Object.hasOwn(body, 'model') ? body.model : undefined
  return typeof model === 'string' && model !== '' ? model : null
}

/** Paths of the vendors, and the ids of their formats. */
const FORMATS: readonly [path: RegExp, format: string][] = [
  [/\/openai\/deployments\//, 'azure'],
  [/\/(?:chat\/completions|completions|responses|embeddings|moderations)$/, 'openai'],
  [/\/v1\/messages(?:\/count_tokens)?$/, 'anthropic'],
  [/:(?:generateContent|streamGenerateContent|countTokens|embedContent)$/, 'gemini'],
  [/\/model\/[^/]+\/(?:converse|converse-stream|invoke|invoke-with-response-stream)$/, 'bedrock'],
  [/\/api\/(?:chat|generate|embed)$/, 'ollama'],
  [/\/v[12]\/(?:chat|rerank|embed)$/, 'cohere'],
]

/** The format of a request to a model, by its path, else by its body; null for another request. */
export function formatOf(path: string, body: Record<string, unknown> | null): string | null {
  const found = FORMATS.find(([pattern]) => pattern.test(path))
  if (found !== undefined) return found[1]
  if (body === null) return null
  if (Object.hasOwn(body, 'contents')) return 'gemini'
  if (!Object.hasOwn(body, 'messages')) return null
  return Object.hasOwn(body, 'anthropic_version') ||
    (Object.hasOwn(body, 'max_tokens') && Object.hasOwn(body, 'system'))
    ? 'anthropic'
    : 'openai'
}
