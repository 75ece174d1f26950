/** Members that gateways add to messages of chat completions for what the wire has no word for. */
import type { Part, Usage } from '../types.ts'
import { firstOf, isEqual, listOf, member, membersOf, numberOf, textOf, type Members } from '../values.ts'

/** Thinking of a message: of LiteLLM, OpenRouter, DeepSeek and others. */
export function thinkingOf(message: Members): Part[] {
  const blocks = listOf(message.thinking_blocks).flatMap(readBlock)
  if (blocks.length > 0) return blocks
  const details = listOf(message.reasoning_details).flatMap(readDetail)
  if (details.length > 0) return details
  const text = textOf(firstOf(message.reasoning_content, message.reasoning))
  return text === null || text === '' ? [] : [{ type: 'thinking', text, signature: null }]
}

function readBlock(block: unknown): Part[] {
  const { type, thinking, signature, data } = membersOf(block)
  if (type === 'redacted_thinking') return [{ type: 'redacted', data: textOf(data) ?? '' }]
  if (type !== 'thinking') return []
  return [{ type: 'thinking', text: textOf(thinking) ?? '', signature: given(signature) }]
}

function readDetail(detail: unknown): Part[] {
  const { type, text, summary, signature, data } = membersOf(detail)
  if (type === 'reasoning.encrypted') return [{ type: 'redacted', data: textOf(data) ?? '' }]
  if (type !== 'reasoning.text' && type !== 'reasoning.summary') return []
  return [{ type: 'thinking', text: textOf(firstOf(text, summary)) ?? '', signature: given(signature) }]
}

/** The signature that a call has itself. */
export function signatureOfCall(call: unknown): string | null {
  return given(
    firstOf(
      member(call, 'extra_content', 'google', 'thought_signature'),
      member(call, 'provider_specific_fields', 'thought_signature'),
      member(call, 'function', 'provider_specific_fields', 'thought_signature'),
      member(call, 'thought_signature'),
    ),
  )
}

function given(value: unknown): string | null {
  return value === '' ? null : textOf(value)
}

export function readChatUsage(usage: unknown): Usage | null {
  if (usage === null || usage === undefined) return null
  const input = membersOf(member(usage, 'prompt_tokens_details'))
  const lifetimes = firstOf(
    input.cache_creation_token_details,
    member(usage, 'cache_creation'),
    member(usage, 'cache_creation_token_details'),
  )
  return {
    input: numberOf(member(usage, 'prompt_tokens')),
    cached: numberOf(firstOf(input.cached_tokens, member(usage, 'cache_read_input_tokens'))),
    write: numberOf(
      firstOf(input.cache_write_tokens, input.cache_creation_tokens, member(usage, 'cache_creation_input_tokens')),
    ),
    write_1h: numberOf(member(lifetimes, 'ephemeral_1h_input_tokens')),
    output: numberOf(member(usage, 'completion_tokens')),
    reasoning: numberOf(member(usage, 'completion_tokens_details', 'reasoning_tokens')),
  }
}

/** Members of a message that its deltas build and that the SDK has words for. */
const KNOWN = new Set(['role', 'content', 'refusal', 'tool_calls', 'function_call', 'index'])

/** Adds what a delta has beyond that: texts are joined, lists appended, other values replaced. */
export function addUnknownMembers(message: Members, delta: Members): void {
  for (const [name, value] of Object.entries(delta)) {
    if (KNOWN.has(name) || value === null || value === undefined) continue
    const before = message[name]
    if (typeof before === 'string' && typeof value === 'string') message[name] = before + value
    else if (Array.isArray(value))
      message[name] = name === 'thinking_blocks' ? joinedBlocks(listOf(before), value) : [...listOf(before), ...value]
    else message[name] = value
  }
}

/** Entries are joined until one has a signature. */
function joinedBlocks(before: readonly unknown[], added: readonly unknown[]): unknown[] {
  const blocks = [...before]
  for (const block of added) {
    const last = blocks.at(-1)
    const { type, thinking, signature } = membersOf(block)
    const isOpen = member(last, 'type') === 'thinking' && given(member(last, 'signature')) === null
    if (type === 'thinking' && isOpen && !isEqual(last, block))
      blocks[blocks.length - 1] = {
        ...membersOf(last),
        thinking: (textOf(member(last, 'thinking')) ?? '') + (textOf(thinking) ?? ''),
        ...(given(signature) === null ? {} : { signature }),
      }
    else blocks.push(block)
  }
  return blocks
}
