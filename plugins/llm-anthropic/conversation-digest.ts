/**
 * What came before a thought, as a digest: the same for other JSON of the same meaning, and without marks of the cache,
 * directives and earlier thoughts.
 */
import { createHash } from 'node:crypto'
import { canonicalJson, isRecord } from 'svc/toolkit'
import type { Engine } from '../llm/types.ts'

type Body = Readonly<Record<string, unknown>>

export interface Conversation {
  /** Adds a block of a message. */
  add(role: unknown, block: Body): void
  /** Of all blocks so far. */
  digest(): string
}

/** A conversation with the tools and the system of a request, and no messages. */
export function startConversation(engine: Engine, { tools, system }: Body): Conversation {
  const hash = createHash('sha256')
  const add = (role: unknown, block: Body): void => {
    const { type } = block
    // Messages without thoughts are the same conversation.
    if (type === 'thinking' || type === 'redacted_thinking') return
    hash.update(`${String(role)} ${textOf(engine, block)}\n`)
  }
  // The model has not read tools that are loaded later.
  for (const tool of listOf(tools)) if (tool.defer_loading !== true) add('tool', tool)
  for (const block of blocksOf(system)) add('system', block)
  return { add, digest: () => hash.copy().digest('hex') }
}

/** A conversation with all messages of a request. */
export function conversationOf(engine: Engine, body: Body): Conversation {
  const conversation = startConversation(engine, body)
  for (const { role, content } of listOf(body.messages))
    for (const block of blocksOf(content)) conversation.add(role, block)
  return conversation
}

function textOf(engine: Engine, block: Body): string {
  const { type } = block
  if (type === 'text') return `text ${engine.withoutDirectives(typeof block.text === 'string' ? block.text : '')}`
  if (type === 'tool_use') return canonicalJson([type, block.id, block.name, block.input])
  if (type === 'tool_result')
    return canonicalJson([
      type,
      block.tool_use_id,
      block.is_error === true,
      blocksOf(block.content).map(part => textOf(engine, part)),
    ])
  const { cache_control: _mark, ...rest } = block
  return canonicalJson(rest)
}

/** A text is a list of one block. */
function blocksOf(content: unknown): readonly Body[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : listOf(content)
}

function listOf(value: unknown): readonly Body[] {
  return Array.isArray(value) ? value.filter(item => isRecord(item)) : []
}
