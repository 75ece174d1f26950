/** Reads JSON of a bridged server, within bounds of what it becomes in memory. */
import { CODES, RpcError, shorten } from '../errors.ts'

/** `[{},{},…]` takes twenty times its bytes in memory, and deep values end recursive functions. */
const MAX_VALUES = 100_000
const MAX_LEVELS = 100
const QUOTE = 0x22
const BACKSLASH = 0x5c

/** Throws an `RpcError` for a text that is not JSON, or has too many values or levels. */
export function parseForeignJson(text: string): unknown {
  const problem = problemOf(text)
  if (problem !== null) throw new RpcError(CODES.internal, `the server sent JSON with ${problem}`)
  try {
    return JSON.parse(text)
  } catch {
    throw new RpcError(CODES.internal, `the server sent invalid JSON: ${shorten(text.slice(0, 60))}`)
  }
}

/** Counts what begins a value, outside of strings; the result for invalid JSON is unspecified. */
function problemOf(text: string): string | null {
  if (text.length <= MAX_LEVELS) return null
  let values = 0
  let level = 0
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (code === QUOTE) index = endOfString(text, index)
    else if (code === 0x7d || code === 0x5d) level--
    else if (code === 0x2c) values++
    else if (code === 0x7b || code === 0x5b) {
      values++
      if (++level > MAX_LEVELS) return `more than ${MAX_LEVELS} levels`
    }
    if (values > MAX_VALUES) return `more than ${MAX_VALUES} values`
  }
  return null
}

/** The index of the closing quotation mark; the end of the text if there is none. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let slashes = 0
    while (text.charCodeAt(end - 1 - slashes) === BACKSLASH) slashes++
    if (slashes % 2 === 0) return end
  }
  return text.length
}
