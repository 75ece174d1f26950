/** Finds the directives of a request, and takes them out of what the model sees. */
import type { Message, NeutralRequest, Part } from '../contract/neutral.ts'
import type { EmbedParsed, Parsed } from '../contract/parsed.ts'
import { isEscaped, MARK, readLine, type DirectiveLine } from './line.ts'

/** A directive, with what decides whether it acts. */
export interface PlacedDirective {
  line: DirectiveLine
  /** Those of the user win over those of a system text. */
  isOfUser: boolean
  /** Its message is newer than the last one of the assistant. */
  isNew: boolean
}

export interface ReadDirectives {
  /** The request as the model sees it. */
  parsed: Parsed
  /** The directives of the last user message, or of the first input, and those of the first system text. */
  found: readonly PlacedDirective[]
  /** The number of assistant messages. */
  turn: number
}

const NONE: readonly PlacedDirective[] = []

/** Only chats, counts of tokens and embeddings have directives. */
export function readDirectives(parsed: Parsed): ReadDirectives {
  if (parsed.op === 'embed') return ofInputs(parsed)
  if (parsed.op !== 'chat' && parsed.op !== 'count') return { parsed, found: NONE, turn: 0 }
  const read = ofRequest(parsed.request)
  const also = parsed.op === 'chat' ? parsed.also : undefined
  if (read === null && also === undefined) return { parsed, found: NONE, turn: 0 }
  const { request, found, turn } = read ?? { request: parsed.request, found: NONE, turn: 0 }
  if (parsed.op === 'count' || also === undefined) return { parsed: { ...parsed, request }, found, turn }
  return { parsed: { ...parsed, request, also: also.map(other => ofRequest(other)?.request ?? other) }, found, turn }
}

/** A text without directives in its first and last line, or a request without those of all its texts. */
export function withoutDirectives<T extends string | NeutralRequest>(value: T): T {
  if (typeof value !== 'string') return (ofRequest(value)?.request ?? value) as T
  return value.includes(MARK) ? (editTexts([value]).texts[0] as T) : value
}

function ofInputs(parsed: EmbedParsed): ReadDirectives {
  const [first, ...others] = parsed.inputs
  if (typeof first !== 'string' || !first.includes(MARK)) return { parsed, found: NONE, turn: 0 }
  const { text, line } = editFirst(first)
  const found = line === null ? NONE : [{ line, isOfUser: true, isNew: true }]
  return { parsed: text === first ? parsed : { ...parsed, inputs: [text, ...others] }, found, turn: 0 }
}

/** Null: no text has the mark of a directive. */
function ofRequest(
  request: NeutralRequest,
): { request: NeutralRequest; found: PlacedDirective[]; turn: number } | null {
  if (!request.system.some(hasMark) && !request.messages.some(isMarked)) return null
  const assistants = request.messages.flatMap(({ role }, index) => (role === 'assistant' ? [index] : []))
  const lastAssistant = assistants.at(-1) ?? -1
  const lastUser = request.messages.findLastIndex(isOfUser)
  const found: PlacedDirective[] = []
  const messages = request.messages.map((message, index) => {
    if (!isMarked(message)) return message
    const edited = editMessage(message)
    if (index === lastUser)
      for (const line of edited.lines) found.push({ line, isOfUser: true, isNew: index > lastAssistant })
    return edited.message
  })
  const system = request.system.flatMap((text, index) => {
    if (!hasMark(text)) return [text]
    const { texts, lines } = editTexts([text])
    if (index === 0) for (const line of lines) found.push({ line, isOfUser: false, isNew: lastAssistant < 0 })
    return texts[0] === '' ? [] : texts
  })
  return { request: { ...request, system, messages }, found, turn: assistants.length }
}

function hasMark(text: string): boolean {
  return text.includes(MARK)
}

function isMarked({ role, parts }: Message): boolean {
  return role === 'user' && parts.some(part => part.type === 'text' && hasMark(part.text))
}

/** Some formats send results of tools as messages of the user. */
function isOfUser({ role, parts }: Message): boolean {
  return role === 'user' && (parts.length === 0 || parts.some(part => part.type !== 'result'))
}

/** A text part that had nothing else is left out, if the message has others. */
function editMessage(message: Message): { message: Message; lines: DirectiveLine[] } {
  const given = message.parts.flatMap(part => (part.type === 'text' ? [part.text] : []))
  const { texts, lines } = editTexts(given)
  let place = 0
  const parts = message.parts.flatMap((part): Part[] => {
    if (part.type !== 'text') return [part]
    const text = texts[place]!
    const isEmptied = text === '' && given[place] !== ''
    place++
    return isEmptied && message.parts.length > 1 ? [] : [{ ...part, text }]
  })
  return { message: { ...message, parts: parts.length === 0 ? [{ type: 'text', text: '' }] : parts }, lines }
}

/** The first and the last line of texts, as if they were joined by line feeds. */
function editTexts(given: readonly string[]): { texts: string[]; lines: DirectiveLine[] } {
  const texts = [...given]
  const lines: DirectiveLine[] = []
  const first = texts.findIndex(isFilled)
  if (first < 0) return { texts, lines }
  const beginning = editFirst(texts[first]!)
  texts[first] = beginning.text
  if (beginning.line !== null) lines.push(beginning.line)
  const last = texts.findLastIndex(isFilled)
  // A line that has lost its backslash is text.
  const isSame = beginning.isUnescaped && last === first && !beginning.text.trim().includes('\n')
  if (last < 0 || isSame) return { texts, lines }
  const end = editLast(texts[last]!)
  texts[last] = end.text
  if (end.line !== null) lines.push(end.line)
  return { texts, lines }
}

function isFilled(text: string): boolean {
  return /\S/.test(text)
}

interface EditedText {
  text: string
  line: DirectiveLine | null
  isUnescaped: boolean
}

/** Without its first line that is not blank, if that is a directive. */
function editFirst(text: string): EditedText {
  const begin = text.search(/\S/)
  if (begin < 0) return { text, line: null, isUnescaped: false }
  const feed = text.indexOf('\n', begin)
  const end = feed < 0 ? text.length : feed
  return editLine(text, { begin, end }, () => {
    const start = text.lastIndexOf('\n', begin) + 1
    return text.slice(0, start) + text.slice(feed < 0 ? end : feed + 1)
  })
}

/** Without its last line that is not blank, if that is a directive. */
function editLast(text: string): EditedText {
  const end = text.trimEnd().length
  const start = text.lastIndexOf('\n', end - 1) + 1
  const begin = start + text.slice(start, end).search(/\S/)
  return editLine(text, { begin, end }, () => {
    const feed = text.indexOf('\n', end)
    if (feed >= 0) return text.slice(0, start) + text.slice(feed + 1)
    const before = text.slice(0, start)
    return before.endsWith('\r\n') ? before.slice(0, -2) : before.endsWith('\n') ? before.slice(0, -1) : before
  })
}

/** `remove`: the text without the line. */
function editLine(text: string, { begin, end }: { begin: number; end: number }, remove: () => string): EditedText {
  const shown = text.slice(begin, end).trimEnd()
  if (isEscaped(shown)) return { text: text.slice(0, begin) + text.slice(begin + 1), line: null, isUnescaped: true }
  const line = readLine(shown)
  return line === null ? { text, line, isUnescaped: false } : { text: remove(), line, isUnescaped: false }
}
