/** Exact replies by header: `X-Svc-Reply`, `X-Svc-Reply-Json` and `X-Svc-Reply-Size`. */
import { InputProblem, type LookUp } from 'svc/toolkit'
import { Pacer, type Json, type JsonObject, type OutputBudget } from 'svc/plugin'
import type { ChatResult, NeutralRequest, RerankResult } from '../contract/neutral.ts'
import type { Parsed, RerankParsed } from '../contract/parsed.ts'
import { REPLY_HEADERS } from '../directives/directive.ts'
import { textOfBytes, textOfTokens } from '../engine/sized-text.ts'
import { RULE } from '../engine/tokenizer.ts'
import { chatResultOf, readReply, type ChatReply } from '../testing/reply.ts'
import { embedResultOf } from '../testing/reply-vectors.ts'
import type { FixedReply, ModelCall } from '../call/model-call.ts'
import { JSON_TEXT, parseReply, wrong } from '../headers/reply-header.ts'
import { readReplySize, SIZE } from '../headers/reply-size.ts'
import { requestedFilter } from './fault.ts'

const TEXT = 'X-Svc-Reply'
/** Bytes or tokens of a text that is made in the turn of the event loop in which the request was read. */
const AT_ONCE = 65_536

/** A reply with the request as it must be rendered. */
interface ExactReply extends FixedReply {
  parsed: Parsed
}

interface Given {
  header: typeof TEXT | typeof JSON_TEXT | typeof SIZE
  value: JsonObject
  lookUp: LookUp
}

/** Reads the reply that the request names. A filter replaces every reply. Throws `BadInput` for a wrong one. */
export function readExactReply(call: ModelCall): boolean | Promise<boolean> {
  // The reply is that of a generation within the request.
  if (call.hasGenerated || requestedFilter(call) !== null) return true
  const given = readGiven(call)
  if (given === null) return true
  return replyOrProblem(given, call, call.parsed!).then(({ parsed, ...exact }) => {
    call.parsed = parsed
    call.exact = exact
    return true
  })
}

async function replyOrProblem(given: Given, call: ModelCall, parsed: Parsed): Promise<ExactReply> {
  try {
    return await replyFor(given, call, parsed)
  } catch (error) {
    if ((error as Partial<InputProblem> | null)?.code !== 'SVC_INPUT_PROBLEM') throw error
    const { at, message } = error as InputProblem
    throw wrong(given.header, at === '' ? message : `${at}: ${message}`)
  }
}

/** The reply in `X-Svc-Reply-Json`, without the members that the route reads itself; undefined if nothing is left. */
function jsonReplyOf(call: ModelCall): JsonObject | undefined {
  const text = call.header('x-svc-reply-json')
  if (text === undefined) return undefined
  const value = parseReply(text)
  const own = call.modelRoute?.replyMembers ?? []
  if (!own.some(name => Object.hasOwn(value, name))) return value
  const rest = Object.entries(value).filter(([name]) => !own.includes(name))
  return rest.length === 0 ? undefined : Object.fromEntries(rest)
}

/** Whether a header of a request says what the reply is. */
export function statesReply(call: ModelCall, name: (typeof REPLY_HEADERS)[number]): boolean {
  if (call.header(name) === undefined) return false
  return name !== 'x-svc-reply-json' || call.modelRoute?.replyMembers === undefined || jsonReplyOf(call) !== undefined
}

function readGiven(call: ModelCall): Given | null {
  const { headers } = call
  if (REPLY_HEADERS.every(name => headers[name] === undefined)) return null
  const json = jsonReplyOf(call)
  if (json !== undefined) {
    const lookUp: LookUp = reference =>
      reference === 'session' ? call.svc.http.session(call.request).label : undefined
    return { header: JSON_TEXT, value: json, lookUp }
  }
  const lookUp: LookUp = () => undefined
  const text = call.header('x-svc-reply')
  // The text is sent as it is: it has no references.
  if (text !== undefined) return { header: TEXT, value: { text: decoded(text) }, lookUp }
  const size = call.header('x-svc-reply-size')
  if (size === undefined) return null
  const { unit, count } = readReplySize(size, call.svc.config.publicMode)
  return { header: SIZE, value: { [unit]: count }, lookUp }
}

/** Decodes percent escapes as UTF-8; a value whose escapes are not valid is taken literally. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

async function replyFor({ header, value, lookUp }: Given, call: ModelCall, parsed: Parsed): Promise<ExactReply> {
  const { modelRoute, output } = call
  const own = { shape: null, pace: {}, fault: null }
  switch (parsed.op) {
    case 'rerank':
      return { ...own, parsed, result: rerankBy(value, parsed) }
    case 'own': {
      if (modelRoute?.withReply === undefined) throw new InputProblem('', 'this route has no exact replies')
      output.take(parsed.replyBytes ?? 0)
      const given = header === SIZE ? { text: await sizedText(value, output) } : value
      return { ...own, parsed: modelRoute.withReply(parsed, given), result: { op: 'own' } }
    }
    case 'embed':
    case 'count':
    case 'chat':
      break
    default:
      throw new InputProblem('', 'this route has no exact replies')
  }
  if (header === SIZE) return { ...own, parsed, result: await sizedReply(value, parsed, call) }
  const { logprobs, ...rest } = value
  if (logprobs !== undefined && logprobs !== false) throw new InputProblem('logprobs', 'expected false')
  const reply = readReply(rest, '')
  if (reply.kind === 'embedding') {
    if (parsed.op !== 'embed') throw new InputProblem('embedding', 'this route does not return embeddings')
    return { ...own, parsed, result: embedResultOf(reply.vectors, parsed, { mode: 'reply', output }) }
  }
  if (reply.kind === 'count') {
    if (parsed.op !== 'count') throw new InputProblem('count', 'this route does not count tokens')
    return { ...own, parsed, result: { op: 'count', promptTokens: reply.tokens } }
  }
  if (parsed.op !== 'chat') throw new InputProblem('', parsed.op === 'count' ? 'expected count' : 'expected embedding')
  const isTemplate = reply.isTemplate && header !== TEXT
  return {
    parsed: logprobs === false && modelRoute?.withReply !== undefined ? modelRoute.withReply(parsed, value) : parsed,
    result: {
      ...(await chatResultOf({ ...reply, isTemplate }, parsed, { lookUp, output, ignore: call.ignore })),
      mode: 'reply',
    },
    pace: reply.stream,
    shape: reply.shape,
    fault: reply.break && { ...reply.break, source: `${JSON_TEXT}: ${reply.break.label}` },
  }
}

/** A text of an exact length, which is taken from the budget before it is made. */
async function sizedText(
  { bytes, tokens }: JsonObject,
  output: OutputBudget,
  { tokenizer, n }: Pick<NeutralRequest, 'tokenizer' | 'n'> = { n: 1 },
): Promise<string> {
  const length = typeof bytes === 'number' ? bytes : Number(tokens)
  output.require(length * n)
  if (length > AT_ONCE) await new Pacer().pause()
  return typeof bytes === 'number' ? textOfBytes(bytes) : textOfTokens(length, tokenizer)
}

async function sizedReply(value: JsonObject, parsed: Parsed, call: ModelCall): Promise<ChatResult> {
  if (parsed.op !== 'chat') throw new InputProblem('', 'this route replies with no text')
  const text = await sizedText(value, call.output, parsed.request)
  const reply: ChatReply = { ...(readReply({ text: '' }, '') as ChatReply), text, isTemplate: false }
  const filling = {
    lookUp: () => undefined,
    output: call.output,
    ignore: (name: string, reason: string) => call.ignore(name, reason),
  }
  return { ...(await chatResultOf(reply, parsed, filling)), mode: 'reply' }
}

/** The scores of the documents, in their order. */
function rerankBy(value: JsonObject, { query, documents, tokenizer: { count } = RULE }: RerankParsed): RerankResult {
  const scores: Json | undefined = value.scores
  const isList = Array.isArray(scores) && scores.every(score => typeof score === 'number')
  if (!isList || scores.length !== documents.length)
    throw new InputProblem('scores', `expected a list of ${documents.length} numbers`)
  const results = scores.map((score, index) => ({ index, score: score as number }))
  return {
    op: 'rerank',
    results: results.sort((one, other) => other.score - one.score || one.index - other.index),
    promptTokens: documents.reduce((sum, text) => sum + count(text), count(query)),
  }
}
