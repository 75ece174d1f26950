/** Writes sequences of items: server-sent events, JSON lines, and JSON text sequences. */
import { type OutputBudget } from 'svc/plugin'
import { isRecord, trimEndCharacters } from 'svc/toolkit'
import { own, type Json, type JsonObject } from '../document/json.ts'
import { baseType } from '../request/media-types.ts'

/**
 * A value as a sequence, with one entry for each item of a list; undefined for other media types. Texts that are framed
 * already stay as they are. Throws `OutputTooLarge`.
 */
export function writeSequence(value: Json, type: string, output: OutputBudget): string | undefined {
  const entry = entryWriter(baseType(type))
  if (entry === undefined) return undefined
  if (typeof value === 'string' && entry.isFramed(value)) return entry.ended(value)
  const entries: string[] = []
  for (const item of Array.isArray(value) ? value : [value]) {
    const text = entry.write(item)
    output.take(text.length)
    entries.push(text)
  }
  return entries.join('')
}

interface EntryWriter {
  write(item: Json): string
  /** Whether a text is a sequence already. */
  isFramed(text: string): boolean
  /** The text, with the end of its last entry. */
  ended(text: string): string
}

function entryWriter(type: string): EntryWriter | undefined {
  if (type === 'text/event-stream') return EVENTS
  if (/^application\/(?:(?:x-)?ndjson|jsonl)$/.test(type)) return LINES
  return /^application\/(?:.+\+)?json-seq$/.test(type) ? TEXT_SEQUENCE : undefined
}

/** Server-sent events (HTML, 9.2.5). */
const EVENTS: EntryWriter = {
  write: item => {
    const event = eventOf(item)
    const lines = EVENT_FIELDS.flatMap(name => {
      const value = own(event, name)
      if (value === undefined || value === null) return []
      const text = typeof value === 'string' ? value : JSON.stringify(value)
      return text.split(/\r\n|\r|\n/).map(line => `${name}: ${line}\n`)
    })
    return `${lines.join('')}\n`
  },
  isFramed: text => /^\uFEFF?(?:(?:data|event|id|retry)(?::|\r?\n)|:)/.test(text),
  ended: text => (/(?:\r\n|\n|\r){2}$/.test(text) ? text : `${trimEndCharacters(text, '\r\n')}\n\n`),
}

/** The fields of an event, in the order in which they are sent. */
const EVENT_FIELDS = ['event', 'id', 'retry', 'data']

/** An object of fields is an event (OpenAPI 3.2, 4.14.4); anything else is the data of one. */
function eventOf(item: Json): JsonObject {
  const isEvent =
    isRecord(item) && Object.hasOwn(item, 'data') && Object.keys(item).every(name => EVENT_FIELDS.includes(name))
  return isEvent ? item : { data: typeof item === 'string' ? item : JSON.stringify(item) }
}

const LINES: EntryWriter = {
  write: item => `${JSON.stringify(item)}\n`,
  isFramed: () => true,
  ended: text => (text === '' || text.endsWith('\n') ? text : `${text}\n`),
}

/** JSON text sequences (RFC 7464). */
const TEXT_SEQUENCE: EntryWriter = {
  write: item => `\u001E${JSON.stringify(item)}\n`,
  isFramed: text => text.startsWith('\u001E'),
  ended: LINES.ended,
}
