/** Makes and reads the neutral form. */
import { defined, membersOf, numberOf } from './values.ts'
import type {
  EmbeddingRequest,
  Effort,
  Finish,
  Mark,
  MediaSource,
  Params,
  Part,
  Problem,
  Reply,
  Request,
  ResultPart,
  Thinking,
  Turn,
  Usage,
} from './types.ts'

/** A request that says nothing yet. */
export function emptyRequest(): Request {
  return {
    model: null,
    stream: false,
    system: [],
    turns: [],
    tools: [],
    choice: null,
    parallel: null,
    params: {},
    thinking: null,
    format: null,
    user: null,
    problems: [],
  }
}

export function emptyUsage(): Usage {
  return { input: null, cached: null, write: null, write_1h: null, output: null, reasoning: null }
}

export function emptyReply(): Reply {
  return {
    id: null,
    model: null,
    parts: [],
    finish: null,
    stop_sequence: null,
    usage: null,
    problems: [],
    native: null,
  }
}

export function emptyEmbedding(): EmbeddingRequest {
  return { model: null, inputs: [], isSingle: false, dimensions: null, encoding: null, problems: [] }
}

/** A reply that could not be read at all. */
export function unreadable(at: string, text: string): Reply {
  return { ...emptyReply(), problems: [{ at, text }] }
}

/** A turn at the end; parts of the same role as the last turn are added to it. */
export function addParts(turns: Turn[], role: Turn['role'], parts: readonly Part[]): void {
  const last = turns.at(-1)
  if (last?.role === role) last.parts.push(...parts)
  else turns.push({ role, parts: [...parts] })
}

/** Neighboring turns of one role become one, neighboring texts too, unless the first ends in a mark. Empty texts vanish. */
export function normalized(request: Request): Request {
  const turns: Turn[] = []
  const places: number[] = []
  for (const { role, parts } of request.turns) {
    addParts(turns, role, parts)
    places.push(turns.length)
  }
  return {
    ...request,
    system: request.system.map(text => ({ ...text, after: text.after === 0 ? 0 : (places[text.after - 1] ?? 0) })),
    turns: turns.map(({ role, parts }) => ({ role, parts: joinNeighbors(parts) })),
  }
}

/** Neighboring texts become one, and so does thinking that has no signature between: streams have no borders there. */
export function joinNeighbors(parts: readonly Part[]): Part[] {
  const joined: Part[] = []
  for (const part of parts) {
    const last = joined.at(-1)
    if (part.type === 'text' && part.text === '' && part.mark === undefined && part.signature === undefined) continue
    if (part.type === 'text' && last?.type === 'text' && last.mark === undefined && last.signature === undefined)
      joined[joined.length - 1] = { ...part, text: last.text + part.text }
    else if (part.type === 'thinking' && last?.type === 'thinking' && last.signature === null)
      joined[joined.length - 1] = { ...part, text: last.text + part.text }
    else if (part.type === 'result') joined.push({ ...part, parts: joinNeighbors(part.parts) })
    else joined.push(part)
  }
  return joined
}

/** The blocks up to which a vendor shall cache, in the order of a prompt: tools, system, turns. */
export function marksOf(request: Request): Mark[] {
  const marks: Mark[] = []
  const add = (place: string, { mark }: { mark?: string }): void => {
    if (mark !== undefined) marks.push({ place, lifetime: mark })
  }
  for (const [index, tool] of request.tools.entries()) add(`/tools/${index}`, tool)
  for (const [index, text] of request.system.entries()) add(`/system/${index}`, text)
  for (const [turn, { parts }] of normalized(request).turns.entries())
    for (const [index, part] of parts.entries()) {
      if ('mark' in part) add(`/turns/${turn}/parts/${index}`, part)
      if (part.type === 'result' && part.mark === undefined)
        for (const inner of part.parts) if ('mark' in inner) add(`/turns/${turn}/parts/${index}`, inner)
    }
  return marks
}

/** The name of the tool whose call has this id. */
export function calledName({ turns }: Pick<Request, 'turns'>, id: string | null): string | null {
  for (const { parts } of turns)
    for (const part of parts) if (part.type === 'call' && part.id === id && id !== null) return part.name
  return null
}

/** The texts of a result, joined. */
export function resultText({ parts }: ResultPart): string {
  return parts.map(part => (part.type === 'text' ? part.text : '')).join('')
}

/** `data:<type>;base64,<data>`, or a URL. */
export function readUrl(url: string): MediaSource {
  if (!url.startsWith('data:')) return { mediaType: null, data: null, url, id: null }
  const comma = url.indexOf(',')
  const head = url.slice(5, comma).toLowerCase()
  const data = url.slice(comma + 1)
  const mediaType = head.split(';')[0] ?? ''
  return {
    mediaType: mediaType === '' ? null : mediaType,
    data: head.endsWith(';base64') ? data : Buffer.from(data).toString('base64'),
    url: null,
    id: null,
  }
}

export function urlOf({ data, mediaType, url }: MediaSource): string {
  return data === null ? (url ?? '') : `data:${mediaType ?? 'application/octet-stream'};base64,${data}`
}

/** Base64 in the standard alphabet, whatever it was. */
export function standardBase64(text: string): string {
  return text.replaceAll('-', '+').replaceAll('_', '/')
}

/** Parameters as a wire has them: of numbers those that can be read, and of stop sequences a list that is not empty. */
export function paramsOf(given: Readonly<Partial<Record<keyof Params, unknown>>>): Params {
  const read = (name: string, value: unknown): unknown => {
    if (name !== 'stop') return numberOf(value) ?? undefined
    return Array.isArray(value) && value.length > 0 ? value : undefined
  }
  return defined(Object.fromEntries(Object.entries(given).map(([name, value]) => [name, read(name, value)])))
}

/** The neutral word for a reason to stop; one that `words` does not have stays as it is. */
export function finishOf(words: Readonly<Record<string, Finish>>, reason: unknown): Finish | null {
  if (typeof reason !== 'string') return null
  return Object.hasOwn(words, reason) ? words[reason]! : reason
}

/** Thinking in the words of Claude, which may have an effort too. */
export function readClaudeThinking(thinking: unknown, effort: Effort | null): Thinking | null {
  const { type, budget_tokens } = membersOf(thinking)
  if (type === 'disabled') return { effort: 'none', budget: null }
  if (type !== 'enabled' && type !== 'adaptive') return effort === null ? null : { effort, budget: null }
  return { effort, budget: numberOf(budget_tokens) }
}

/** Tokens of thinking that stand for an effort. */
const BUDGETS: Readonly<Record<Effort, number>> = { none: 0, low: 1_024, medium: 4_096, high: 16_384, above: 32_768 }

export function effortOf(word: string | null): Effort | null {
  if (word === null) return null
  const lower = word.toLowerCase()
  if (lower === 'none' || lower === 'off') return 'none'
  if (lower === 'low' || lower === 'minimal') return 'low'
  if (lower === 'medium' || lower === 'high') return lower
  return 'above'
}

/** The effort itself, or the rank of the budget. */
export function rankOf({ effort, budget }: Thinking): Effort {
  if (effort !== null) return effort
  if (budget === null || budget < 0) return 'medium'
  if (budget === 0) return 'none'
  if (budget <= 2_048) return 'low'
  if (budget <= 8_192) return 'medium'
  return budget <= 24_576 ? 'high' : 'above'
}

export function budgetOf(thinking: Thinking): number {
  return thinking.budget ?? BUDGETS[rankOf(thinking)]
}

/** Arguments of a call in a text; a problem if they are not JSON. */
export function readArguments(text: string, at: string, problems: Problem[]): unknown {
  if (text.trim() === '') return {}
  try {
    return JSON.parse(text) as unknown
  } catch {
    problems.push({ at, text: 'the arguments are not JSON' })
    return text
  }
}
