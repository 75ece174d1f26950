/** The prefix of a prompt as a chain of blocks: the key of each depends on all before it. */
import { createHash } from 'node:crypto'
import { render } from '../engine/prompt.ts'
import { eachPiece } from '../engine/tokens.ts'
import type { NeutralRequest } from '../contract/neutral.ts'

/** Hexadecimal digits of a key. */
const DIGITS = 32

/** The text whose prefixes are cached: the tools, then the rendered prompt. */
export function cachedText(request: NeutralRequest): string {
  const tools = request.tools.map(tool => `${tool.name} ${tool.description} ${JSON.stringify(tool.schema) ?? ''}`)
  return [...tools, render(request)].join('\n')
}

/** Keys of the complete blocks, at most `maxBlocks`. */
export function blockKeys(
  text: string,
  { scope, block, maxBlocks }: { scope: string; block: number; maxBlocks: number },
): string[] {
  const keys: string[] = []
  let key = scope
  let start = 0
  let pieces = 0
  eachPiece(text, end => {
    pieces += 1
    if (pieces < block) return true
    key = createHash('sha256').update(key).update('\0').update(text.slice(start, end)).digest('hex').slice(0, DIGITS)
    keys.push(key)
    start = end
    pieces = 0
    return keys.length < maxBlocks
  })
  return keys
}
