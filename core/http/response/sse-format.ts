/** The text format of server-sent events (WHATWG HTML, 9.2.5 and 9.2.6). */
import type { SseEvent } from '../../contract/plugin.ts'

/**
 * Formats one event: `id`, `event`, `retry`, `data` and an empty line, all ended by LF. `data` that is not a string is
 * written as JSON (and throws like `JSON.stringify`); text with several lines becomes several `data` lines. Line ends
 * must not inject further fields: an `id` with a line end or NUL (which readers ignore) is omitted, and line ends in
 * `event` are removed. A `retry` that is not a whole number of milliseconds is omitted.
 */
export function formatEvent(event: SseEvent): string {
  const { id, event: name, retry, data } = event
  let text = ''
  if (id !== undefined && isSafeId(id)) text += `id: ${id}\n`
  if (name !== undefined) text += `event: ${withoutLineEnds(name)}\n`
  if (retry !== undefined && Number.isSafeInteger(retry) && retry >= 0) text += `retry: ${retry}\n`
  const content = typeof data === 'string' ? data : JSON.stringify(data)
  // Undefined means no data, or a value that JSON cannot represent. Clients use the id and retry of such an event.
  if (content !== undefined) text += formatLines('data: ', content)
  return text + '\n'
}

/** Formats a comment and an empty line; text with several lines becomes several comment lines. */
export function formatComment(text: string): string {
  return formatLines(': ', text) + '\n'
}

/** Whether a stream that ends with these characters (up to four) is not inside an event. */
export function isBetweenEvents(tail: string): boolean {
  return separatorAfter(tail) === ''
}

/** What must be written so that the next event or comment starts separately. */
export function separatorAfter(tail: string): '' | '\n' | '\n\n' {
  const lines = tail.replace(/\r\n?/g, '\n')
  if (lines === '' || lines.endsWith('\n\n')) return ''
  return lines.endsWith('\n') ? '\n' : '\n\n'
}

function formatLines(prefix: string, text: string): string {
  if (!hasLineEnd(text)) return `${prefix}${text}\n`
  let lines = ''
  for (const line of text.split(/\r\n|\r|\n/)) lines += `${prefix}${line}\n`
  return lines
}

function hasLineEnd(text: string): boolean {
  return text.includes('\n') || text.includes('\r')
}

function isSafeId(id: string | number): boolean {
  return typeof id === 'number' || !(hasLineEnd(id) || id.includes('\0'))
}

function withoutLineEnds(text: string): string {
  return hasLineEnd(text) ? text.replace(/[\r\n]/g, '') : text
}
