/** Owns the text form of server-sent events (WHATWG HTML, 9.2.5 and 9.2.6). */
import type { SseEvent } from '../../contract/plugin.ts'

/**
 * One event: `id`, `event`, `retry`, `data` and an empty line, all ended by LF. `data` that is no string is written as
 * JSON (and throws as `JSON.stringify` does); text of several lines becomes several `data` lines. Line ends must not
 * smuggle in further fields: an `id` with one, or with NUL (the standard has readers ignore such), is left out, an
 * `event` loses them. A `retry` that is not a whole number of milliseconds is left out.
 */
export function formatEvent(event: SseEvent): string {
  const { id, event: name, retry, data } = event
  let text = ''
  if (id !== undefined && isSafeId(id)) text += `id: ${id}\n`
  if (name !== undefined) text += `event: ${withoutLineEnds(name)}\n`
  if (retry !== undefined && Number.isSafeInteger(retry) && retry >= 0) text += `retry: ${retry}\n`
  const content = typeof data === 'string' ? data : JSON.stringify(data)
  // Undefined: no data, or something that JSON has no form for. Readers take the id and retry of such an event.
  if (content !== undefined) text += formatLines('data: ', content)
  return text + '\n'
}

/** A comment and an empty line; text of several lines becomes several comment lines. */
export function formatComment(text: string): string {
  return formatLines(': ', text) + '\n'
}

/** Whether a stream whose last (up to four) characters are these has no event begun. */
export function isBetweenEvents(tail: string): boolean {
  return separatorAfter(tail) === ''
}

/** What must be written for the next event or comment to stand alone. */
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
