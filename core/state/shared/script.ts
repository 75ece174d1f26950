/** Lua scripts: every change of the state store is one atomic step. */
import { createHash } from 'node:crypto'

export interface Script {
  readonly text: string
  /** SHA-1 of the text, by which the server knows the script. */
  readonly sha: string
}

export function defineScript(...parts: readonly string[]): Script {
  const text = parts.join('\n')
  return { text, sha: createHash('sha1').update(text).digest('hex') }
}
