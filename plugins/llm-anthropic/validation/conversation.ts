/** The order of a conversation: calls and their results, and thinking that is sent back. */
import { isRecord } from 'svc/toolkit'
import type { Engine, Report } from '../../llm/types.ts'
import { startConversation } from '../conversation-digest.ts'
import type { Body } from './members.ts'

interface Block {
  block: Body
  /** `messages.1.content.0` */
  at: string
  /** Place of its message. */
  index: number
}
interface Turn {
  role: unknown
  blocks: Block[]
}

const BOUND = 'claude-bound'

export function checkConversation(engine: Engine, body: Body, model: unknown, report: Report): void {
  const turns = blockTurns(engine, body)
  // The vendor keeps what came before.
  const isContinued = body.thread !== undefined && body.thread !== null
  if (!isContinued) checkCalls(sinceCompaction(turns), report)
  checkSignatures(engine, turns, report)
  if (!isContinued) checkBound(engine, body, model, report)
  if (!isContinued && isRecord(body.thinking) && body.thinking.type === 'enabled') checkBeginning(turns, report)
}

/** Messages of the system are between the turns, and are not part of them. */
function blockTurns(engine: Engine, { messages }: Body): Turn[] {
  if (!Array.isArray(messages)) return []
  const places = messages.flatMap((message: unknown, index) =>
    isRecord(message) && message.role !== 'system' ? [{ message, index }] : [],
  )
  return engine.turns(places.map(({ message }) => message)).map(({ role, messages: ofTurn }) => ({
    role,
    blocks: ofTurn.flatMap(({ message, index: place }) => blocksOf(message, places[place]!.index)),
  }))
}

function blocksOf({ content }: Body, index: number): Block[] {
  if (typeof content === 'string')
    return [{ block: { type: 'text', text: content }, at: `messages.${index}.content.0`, index }]
  if (!Array.isArray(content)) return []
  return content.flatMap((block: unknown, place) =>
    isRecord(block) ? [{ block, at: `messages.${index}.content.${place}`, index }] : [],
  )
}

/** The vendor leaves out what came before the last summary, so calls and results there need not match. */
function sinceCompaction(turns: readonly Turn[]): readonly Turn[] {
  const last = turns.findLastIndex(({ blocks }) => blocks.some(({ block }) => block.type === 'compaction'))
  return last < 0 ? turns : turns.slice(last)
}

function checkCalls(turns: readonly Turn[], report: Report): void {
  const seen = new Set<unknown>()
  turns.forEach(({ role, blocks }, place) => {
    if (role !== 'assistant') return checkResults(blocks, callsOf(turns[place - 1]), report)
    const results = new Set(resultsOf(turns[place + 1]).map(({ block }) => block.tool_use_id))
    const missing: Block[] = []
    for (const found of callsOf({ role, blocks })) {
      const { id } = found.block
      if (typeof id !== 'string') continue
      if (seen.has(id)) report('anthropic.use-duplicate', found.at)
      seen.add(id)
      if (!results.has(id)) missing.push(found)
    }
    if (missing.length > 0)
      report('anthropic.use-unanswered', `messages.${missing[0]!.index}`, {
        ids: missing.map(({ block }) => block.id).join(', '),
      })
  })
}

function callsOf(turn: Turn | undefined): Block[] {
  return turn?.role === 'assistant' ? turn.blocks.filter(({ block }) => block.type === 'tool_use') : []
}

function resultsOf(turn: Turn | undefined): Block[] {
  return turn === undefined ? [] : turn.blocks.filter(({ block }) => block.type === 'tool_result')
}

function checkResults(blocks: readonly Block[], calls: readonly Block[], report: Report): void {
  const ids = new Set(calls.map(({ block }) => block.id))
  const answered = new Set<unknown>()
  for (const { block, at } of blocks) {
    const { type, tool_use_id: id } = block
    if (type !== 'tool_result' || typeof id !== 'string') continue
    if (!ids.has(id)) report('anthropic.result-orphan', at, { id })
    else if (answered.has(id)) report('anthropic.result-twice', at, { id })
    answered.add(id)
  }
}

function checkSignatures(engine: Engine, turns: readonly Turn[], report: Report): void {
  const latest = turns.findLastIndex(({ role }) => role === 'assistant')
  turns.forEach(({ role, blocks }, place) => {
    if (role !== 'assistant') return
    for (const { block, at } of blocks) {
      if (block.type === 'redacted_thinking') checkRedacted(engine, block, at, report)
      if (block.type === 'thinking') checkThinking(engine, block, { at, isLatest: place === latest }, report)
    }
  })
}

function checkRedacted(engine: Engine, { data }: Body, at: string, report: Report): void {
  if (typeof data === 'string' && engine.readThought(data) === null)
    report('anthropic.signature', at, { form: 'redacted' })
}

function checkThinking(
  engine: Engine,
  { signature, thinking }: Body,
  { at, isLatest }: { at: string; isLatest: boolean },
  report: Report,
): void {
  if (signature === undefined || signature === null) return report('anthropic.signature-missing', at)
  if (typeof signature !== 'string') return
  const read = engine.readThought(signature)
  if (read === null) return report('anthropic.signature', at)
  if (read.isOmitted || typeof thinking !== 'string' || read.isOf(thinking)) return
  report(isLatest ? 'anthropic.thinking-modified' : 'anthropic.signature', at)
}

/** Some models read thinking only after what it came after, unless the request says that other thinking is dropped. */
function checkBound(engine: Engine, body: Body, model: unknown, report: Report): void {
  const { thinking, messages } = body
  const binding = isRecord(thinking) ? thinking.block_binding : undefined
  if (isRecord(binding) && binding.prefix_mismatch_behavior === 'drop_block') return
  if (!Array.isArray(messages) || !engine.modelClasses(typeof model === 'string' ? model : undefined).includes(BOUND))
    return
  const blocks = messages.flatMap((message: unknown, index) => (isRecord(message) ? blocksOf(message, index) : []))
  if (!blocks.some(({ block }) => block.type === 'thinking' || block.type === 'redacted_thinking')) return
  const conversation = startConversation(engine, body)
  for (const { block, at, index } of blocks) {
    const signature =
      block.type === 'thinking' ? block.signature : block.type === 'redacted_thinking' ? block.data : null
    const read = typeof signature === 'string' ? engine.readThought(signature) : null
    if (read !== null && read.isBound && !read.isAfter(conversation.digest())) report('anthropic.thinking-bound', at)
    conversation.add((messages[index] as Body).role, block)
  }
}

/** With thinking, the assistant thinks before the calls whose results end the conversation. */
function checkBeginning(turns: readonly Turn[], report: Report): void {
  const last = turns.at(-1)
  if (last === undefined || last.role !== 'user' || !isResults(last)) return
  const start = turns.findLastIndex(turn => turn.role === 'user' && !isResults(turn))
  const first = turns.slice(start + 1).find(({ role }) => role === 'assistant')?.blocks[0]
  if (first === undefined) return
  const { type } = first.block
  if (type !== 'thinking' && type !== 'redacted_thinking') report('anthropic.thinking-first', first.at, { type })
}

function isResults({ blocks }: Turn): boolean {
  return blocks.length > 0 && blocks.every(({ block }) => block.type === 'tool_result')
}
