/** What a request marks for the prompt cache with `cache_control`. */
import { isRecord } from 'svc/toolkit'
import type { Engine } from '../llm/types.ts'

const SHORT_MS = 300_000
const LONG_MS = 3_600_000

/** The prefix up to the last mark. */
export interface MarkedPrefix {
  prefix: string
  ttlMs: number
  /** Tokens up to the last mark with the lifetime `1h`. */
  longTokens: number
}

/**
 * The text of tools, system and messages up to the last block with `cache_control`, which is the last of all blocks if the
 * request itself has `cache_control`. Null if nothing is marked.
 */
export function markedPrefix(engine: Engine, body: Record<string, unknown>): MarkedPrefix | null {
  const { json } = engine
  const isWhole = isRecord(body.cache_control)
  const blocks = [
    ...json.listOf(body.tools),
    ...blocksOf(engine, body.system, isWhole),
    ...json.listOf(body.messages).flatMap(message => blocksOf(engine, json.own(message, 'content'), isWhole)),
  ]
  const marks = blocks.map(block => json.own(block, 'cache_control'))
  if (isWhole && marks.length > 0) marks[marks.length - 1] = body.cache_control
  const last = marks.findLastIndex(mark => isRecord(mark))
  if (last < 0) return null
  const textUpTo = (end: number): string =>
    blocks
      .slice(0, end + 1)
      .map(block => textOf(engine, json.objectOf(block)))
      .join('\n')
  const isLong = (mark: unknown): boolean => json.own(mark, 'ttl') === '1h'
  const lastLong = marks.findLastIndex(isLong)
  return {
    prefix: textUpTo(last),
    ttlMs: isLong(marks[last]) ? LONG_MS : SHORT_MS,
    longTokens: lastLong < 0 ? 0 : engine.count(textUpTo(lastLong)),
  }
}

/** A text that is not in blocks can't be marked itself, so it only counts where the whole request is. */
function blocksOf({ json }: Engine, content: unknown, isWhole: boolean): unknown[] {
  return isWhole && typeof content === 'string' ? [{ type: 'text', text: content }] : json.listOf(content)
}

/** Text unchanged; other blocks as JSON without `cache_control`, which may be on another block in the next turn. */
function textOf(engine: Engine, { cache_control: _mark, ...block }: Record<string, unknown>): string {
  return typeof block.text === 'string' ? engine.withoutDirectives(block.text) : JSON.stringify(block)
}
