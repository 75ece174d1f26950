/** What errors of all wires have in common. */
import type { WireAnswer, WireError } from './types.ts'
import { fieldOf, member, parseJson, textOf } from './values.ts'

const LIMIT_WORDS = /rate.?limit|too.?many|throttl|quota|resource.?exhausted/i
const CLIENT_WORDS =
  /invalid|bad.?request|not.?found|permission|authenticat|unauthor|forbidden|denied|validation|too.?large|context.?length|unprocessable/i
const LONG_WORDS =
  /too long|maximum context|exceeds the maximum|context length|context window|too many tokens|input is too long/i

/** From the status; below 400, from the words of the error. */
export function classOf(status: number, words: string): WireError['class'] {
  if (status === 429) return 'limit'
  if (status === 408 || status === 424 || status >= 500) return 'server'
  if (status >= 400) return 'client'
  if (LIMIT_WORDS.test(words)) return 'limit'
  return CLIENT_WORDS.test(words) ? 'client' : 'server'
}

/** What a wire finds in its error. */
export interface FoundError {
  type?: unknown
  code?: unknown
  message?: unknown
}

export function wireError(
  { status, fields }: Pick<WireAnswer, 'status' | 'fields'>,
  { type, code, message }: FoundError,
  { isOfWire = true, isRaised = true } = {},
): WireError {
  const typeText = wordOf(type)
  const codeText = wordOf(code)
  const words = `${typeText ?? ''} ${codeText ?? ''} ${textOf(message) ?? ''}`
  return {
    status,
    class: classOf(status, words),
    type: typeText,
    code: codeText,
    message: textOf(message) ?? '',
    retryAfter: fieldOf(fields, 'retry-after'),
    isOfWire,
    isRaised,
    isContextLength: codeText === 'context_length_exceeded' || LONG_WORDS.test(textOf(message) ?? ''),
  }
}

function wordOf(value: unknown): string | null {
  return typeof value === 'number' ? String(value) : textOf(value)
}

/**
 * The error of an answer that is one: by its status, or because the wire finds an error in a 2xx. A body that is not of the wire
 * gives its text.
 */
export function errorOfAnswer(answer: WireAnswer, find: (body: unknown) => FoundError | null): WireError | null {
  const text = answer.body.toString('utf8')
  const body = parseJson(text)
  const found = find(body)
  if (answer.status < 400) return found === null ? null : wireError(answer, found, { isRaised: false })
  if (found !== null) return wireError(answer, found)
  const message = textOf(member(body, 'message')) ?? textOf(member(body, 'error')) ?? text.slice(0, 2_000)
  return wireError(answer, { message }, { isOfWire: false })
}
