/** Renders a request as text, counts its tokens, and finds the last user text and the trailing tool results. */
import type { Message, NeutralRequest, Part } from '../contract/neutral.ts'
import { flatName } from './tool-names.ts'
import { count } from './tokens.ts'

const describedCharacters = 60
const imageTokens = 85
const resultCharacters = 300

/** The request as text, one line per item. The mode `echo` returns it, and prompt tokens are counted from it. */
export function render(request: NeutralRequest): string {
  const lines = request.system.map(text => `system: ${text}`)
  if (request.tools.length > 0) lines.push(`tools: ${request.tools.map(flatName).join(', ')}`)
  for (const message of request.messages) {
    for (const part of message.parts) lines.push(renderPart(message.role, part))
  }
  return lines.join('\n')
}

function renderPart(role: Message['role'], part: Part): string {
  if (part.type === 'text') return `${role}: ${part.text}`
  if (part.type === 'call') return `assistant: [tool_call ${flatName(part)}] ${compact(part.args)}`
  if (part.type === 'result') return `tool (${part.name ?? 'result'}): ${part.content}`
  return `${role}: [${part.type} ${part.description.slice(0, describedCharacters)}]`
}

/** Compact JSON; strings that are not JSON are unchanged. */
function compact(args: unknown): string {
  return typeof args === 'string' ? args : (JSON.stringify(args) ?? 'null')
}

/** Prompt tokens of a request with the rendered text `prompt`: the text, its tools, and 85 per image; at least 1. */
export function promptTokens(request: NeutralRequest, prompt: string): number {
  const own = request.tokenizer?.promptTokens?.(request)
  if (own !== undefined) return own
  let tokens = count(prompt)
  for (const tool of request.tools)
    tokens += count(`${tool.name} ${tool.description} ${JSON.stringify(tool.schema) ?? ''}`)
  for (const message of request.messages) {
    for (const part of message.parts) if (part.type === 'image') tokens += imageTokens
  }
  return Math.max(1, tokens)
}

/** By how many prompt tokens a request has more with each of its messages. */
export function tokensOfMessages(request: NeutralRequest): number[] {
  const { messages, tokenizer } = request
  const ownTokens = tokenizer?.promptTokens?.bind(tokenizer)
  if (ownTokens !== undefined) {
    const without = { ...request, system: [], tools: [], messages: [] }
    const base = ownTokens(without)
    return messages.map(message => ownTokens({ ...without, messages: [message] }) - base)
  }
  return messages.map(({ role, parts }) =>
    parts.reduce(
      // Space at the end of a line belongs to the first token of the next one.
      (sum, part) => sum + count(renderPart(role, part).trimEnd()) + (part.type === 'image' ? imageTokens : 0),
      0,
    ),
  )
}

/** The text parts, joined with newlines. */
export function textOfParts(parts: readonly Part[]): string {
  let text: string | undefined
  for (const part of parts) {
    if (part.type === 'text') text = text === undefined ? part.text : `${text}\n${part.text}`
  }
  return text ?? ''
}

/** The text of the last user message, its parts joined with newlines; empty if there is no user message. */
export function lastUserText(request: NeutralRequest): string {
  return textOfParts(lastUserParts(request))
}

/**
 * What the user asks for: the last text part of the last user message, without the blocks `<tag>…</tag>` at its start in
 * which coding agents describe the machine, the date and the files.
 */
export function askedText(request: NeutralRequest): string {
  const texts = lastUserParts(request).flatMap(part => (part.type === 'text' ? [part.text] : []))
  return withoutContext(texts.at(-1) ?? '')
}

const OPENING_TAG = /\s*<([A-Za-z][\w.:-]{0,100})(?:\s[^<>]{0,1000})?>/y

function withoutContext(text: string): string {
  let start = 0
  for (;;) {
    OPENING_TAG.lastIndex = start
    const name = OPENING_TAG.exec(text)?.[1]
    if (name === undefined) return text.slice(start)
    const closing = `</${name}>`
    const end = text.indexOf(closing, OPENING_TAG.lastIndex)
    if (end < 0) return text.slice(start)
    start = end + closing.length
  }
}

function lastUserParts(request: NeutralRequest): readonly Part[] {
  for (let i = request.messages.length - 1; i >= 0; i--) {
    const message = request.messages[i]
    if (message?.role !== 'user' || (message.parts.length > 0 && message.parts.every(part => part.type === 'result')))
      continue
    return message.parts
  }
  return []
}

/** The reply to the tool results at the end of a request; null if it does not end with tool results. */
export function replyToToolResults(request: NeutralRequest): string | null {
  const results: string[][] = []
  let names: ReadonlyMap<string, string> | undefined
  for (let i = request.messages.length - 1; i >= 0; i--) {
    const message = request.messages[i]
    if (message === undefined || message.role === 'assistant') break
    const own = message.parts.filter(part => part.type === 'result')
    if (own.length === 0) {
      if (message.role === 'user') break
      continue
    }
    results.push(
      own.map(part => {
        const name = part.name ?? (names ??= namesOfCalls(request)).get(part.id) ?? 'tool'
        return `${name} returned ${shorten(part.content)}`
      }),
    )
  }
  return results.length === 0
    ? null
    : `Based on the tool results: ${results.reverse().flat().join('; ')}. Let me know if you need anything else.`
}

/** The names of all calls, by id; the first call with an id counts. */
function namesOfCalls(request: NeutralRequest): Map<string, string> {
  const names = new Map<string, string>()
  for (const { parts } of request.messages)
    for (const part of parts) if (part.type === 'call' && !names.has(part.id)) names.set(part.id, flatName(part))
  return names
}

function shorten(content: string): string {
  const trimmed = content.trim()
  return trimmed.length > resultCharacters ? `${trimmed.slice(0, resultCharacters)}...` : trimmed
}
