/** `cachePoint` blocks of Converse requests: what precedes the last one is cached. */
import type { Engine } from '../llm/types.ts'
import { readConverse } from './converse-request.ts'

/** Prompt tokens before the last `cachePoint`; null if the request has none. */
export function tokensUpToCachePoint(engine: Engine, body: Record<string, unknown>): number | null {
  const { json } = engine
  const tools = json.listOf(json.own(body.toolConfig, 'tools'))
  const system = json.listOf(body.system)
  const messages = json.listOf(body.messages)
  const contents = messages.map(message => json.listOf(json.own(message, 'content')))
  const lastIn = (blocks: readonly unknown[]): number =>
    blocks.findLastIndex(block => json.own(block, 'cachePoint') !== undefined)
  const lastMessage = contents.findLastIndex(blocks => lastIn(blocks) >= 0)
  if (lastMessage >= 0) {
    const blocks = contents[lastMessage]!
    const cut = { ...json.objectOf(messages[lastMessage]), content: blocks.slice(0, lastIn(blocks)) }
    return count(engine, { ...body, messages: [...messages.slice(0, lastMessage), cut] })
  }
  if (lastIn(system) >= 0) return count(engine, { ...body, system: system.slice(0, lastIn(system)), messages: [] })
  if (lastIn(tools) < 0) return null
  return count(engine, { toolConfig: { tools: tools.slice(0, lastIn(tools)) }, messages: [] })
}

/** A request may end before its first message. */
function count(engine: Engine, body: Record<string, unknown>): number {
  const isEmpty = engine.json.listOf(body.messages).length === 0
  const request = readConverse(engine, isEmpty ? { ...body, messages: [{ role: 'user', content: [] }] } : body, '')
  return engine.promptTokens(request)
}
