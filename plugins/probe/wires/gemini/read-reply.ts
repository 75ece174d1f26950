/** Reads replies of `generateContent`, complete and streamed, and checks the grammar of streams. */
import { wireError } from '../errors.ts'
import { emptyReply, finishOf, joinNeighbors } from '../neutral.ts'
import { eventOf, readEvents } from '../sse.ts'
import type {
  Finish,
  GrammarProblem,
  Part,
  Reply,
  StreamEvent,
  StreamReading,
  Usage,
  WireAnswer,
  WireError,
} from '../types.ts'
import { isEqual, listOf, member, membersOf, numberOf, parseJson, textOf, type Members } from '../values.ts'
import { camelMembers } from './camel.ts'
import { readParts } from './read-request.ts'

export function readGeminiReply({ body }: WireAnswer): Reply {
  const value = camelMembers(parseJson(body.toString('utf8')))
  const reply = emptyReply()
  const candidate = listOf(member(value, 'candidates'))[0]
  const blocked = textOf(member(value, 'promptFeedback', 'blockReason'))
  if (candidate === undefined && blocked === null) reply.problems.push({ at: '/candidates', text: 'no candidate' })
  const content = membersOf(member(candidate, 'content'))
  reply.id = textOf(member(value, 'responseId'))
  reply.model = textOf(member(value, 'modelVersion'))
  reply.parts = readParts(content.parts, '/candidates/0/content/parts', reply.problems)
  reply.finish = blocked === null ? readFinish(member(candidate, 'finishReason'), reply.parts) : 'filter'
  reply.usage = readGeminiUsage(member(value, 'usageMetadata'))
  reply.native = { ...content, role: 'model' }
  return reply
}

const FINISHES: Readonly<Record<string, Finish>> = {
  STOP: 'stop',
  MAX_TOKENS: 'length',
  SAFETY: 'filter',
  RECITATION: 'filter',
  BLOCKLIST: 'filter',
  PROHIBITED_CONTENT: 'filter',
  SPII: 'filter',
}

/** Calls end as an ordinary reply. */
function readFinish(word: unknown, parts: readonly Part[]): Finish | null {
  const text = textOf(word)
  if (text === null || text === 'FINISH_REASON_UNSPECIFIED') return null
  if (text === 'STOP' && parts.some(({ type }) => type === 'call')) return 'calls'
  return finishOf(FINISHES, text)
}

/** Thinking is not in the tokens of candidates. */
function readGeminiUsage(usage: unknown): Usage | null {
  if (usage === undefined || usage === null) return null
  const given = membersOf(usage)
  const reasoning = numberOf(given.thoughtsTokenCount)
  const shown = numberOf(given.candidatesTokenCount)
  return {
    input: numberOf(given.promptTokenCount),
    cached: numberOf(given.cachedContentTokenCount),
    write: null,
    write_1h: null,
    output: shown === null && reasoning === null ? null : (shown ?? 0) + (reasoning ?? 0),
    reasoning,
  }
}

export function readGeminiStream(answer: WireAnswer): StreamReading {
  const events = eventsOf(answer)
  const reader = new ChunkReader(answer)
  for (const [index, event] of events.entries()) {
    reader.read(event, `event ${index}`)
    if (reader.error !== null) break
  }
  const reply = reader.reply
  const isEnded = reply.finish !== null
  return { reply, events, grammar: reader.grammarAtEnd(), error: reader.error, isEnded }
}

/** Without `alt=sse` a stream is one list. */
function eventsOf({ body }: WireAnswer): StreamEvent[] {
  const text = body.toString('utf8')
  const list = text.trimStart().startsWith('[') ? parseJson(text) : undefined
  return Array.isArray(list) ? list.map(item => eventOf(null, JSON.stringify(item))) : readEvents(body)
}

class ChunkReader {
  error: WireError | null = null
  readonly #answer: WireAnswer
  readonly #reply: Reply = emptyReply()
  readonly #parts: Members[] = []
  readonly #grammar: GrammarProblem[] = []
  readonly #ids = new Set<string>()
  #finish: unknown = null
  #finishes = 0
  #lastHasUsage = false
  #isBlocked = false

  constructor(answer: WireAnswer) {
    this.#answer = answer
  }

  read({ name, value }: StreamEvent, at: string): void {
    if (name !== null) this.#wrong(at, `the event has a name: ${name}`, true)
    if (value === undefined) return this.#wrong(at, 'the data are not JSON')
    const error = member(value, 'error')
    if (error !== undefined) {
      const { code, status, message } = membersOf(error)
      // The SDK raises it for statuses of errors only.
      const isRaised = typeof code === 'number' && code >= 400
      this.error = wireError(this.#answer, { type: status, code, message }, { isRaised })
      return
    }
    const chunk = membersOf(camelMembers(value))
    if (typeof chunk.responseId === 'string') this.#ids.add(chunk.responseId)
    this.#reply.id ??= textOf(chunk.responseId)
    this.#reply.model ??= textOf(chunk.modelVersion)
    if (member(chunk.promptFeedback, 'blockReason') !== undefined) this.#isBlocked = true
    const usage = readGeminiUsage(chunk.usageMetadata)
    this.#lastHasUsage = usage?.input !== null && usage !== null
    if (usage !== null) this.#reply.usage = usage
    for (const candidate of listOf(chunk.candidates))
      if ((numberOf(member(candidate, 'index')) ?? 0) === 0) this.#readCandidate(candidate, at)
  }

  get reply(): Reply {
    const reply = this.#reply
    reply.problems = []
    reply.parts = joinNeighbors(readParts(this.#parts, '/parts', reply.problems))
    reply.finish = this.#isBlocked ? 'filter' : readFinish(this.#finish, reply.parts)
    reply.native = { parts: this.#parts, role: 'model' }
    return reply
  }

  grammarAtEnd(): GrammarProblem[] {
    if (this.error !== null) return this.#grammar
    if (this.#finishes !== 1 && !this.#isBlocked) this.#wrong('the end', `${this.#finishes} finish reasons`)
    if (!this.#lastHasUsage) this.#wrong('the end', 'no usage in the last chunk')
    if (this.#ids.size > 1) this.#wrong('the end', `${this.#ids.size} ids`, true)
    return this.#grammar
  }

  #wrong(at: string, text: string, isNote = false): void {
    this.#grammar.push({ at, text, isNote })
  }

  #readCandidate(candidate: unknown, at: string): void {
    const parts = listOf(member(candidate, 'content', 'parts')).map(membersOf)
    if (this.#finishes > 0 && parts.some(part => part.text !== '')) this.#wrong(at, 'content behind the finish reason')
    for (const part of parts) this.#addPart(part)
    const finish = member(candidate, 'finishReason')
    if (typeof finish !== 'string' || finish === 'FINISH_REASON_UNSPECIFIED') return
    this.#finish = finish
    this.#finishes += 1
  }

  /** As chats of the SDK keep them: texts in a row are joined, what has a signature stays a part. */
  #addPart(part: Members): void {
    const last = this.#parts.at(-1)
    const isOpen = (one: Members | undefined): one is Members =>
      one !== undefined && typeof one.text === 'string' && one.thoughtSignature === undefined
    if (isOpen(last) && typeof part.text === 'string' && isEqual(last.thought ?? null, part.thought ?? null))
      this.#parts[this.#parts.length - 1] = { ...part, text: `${String(last.text)}${part.text}` }
    else if (part.text !== '' || part.thoughtSignature !== undefined) this.#parts.push(part)
  }
}
