/** Exact replies by header: `X-Svc-Reply` and `X-Svc-Reply-Json`. */
import { InputProblem, isRecord, isTextNestedWithin } from 'svc/plugin'
import type { Json, JsonObject, LookUp } from 'svc/plugin'
import { BadInput } from '../errors.ts'
import type { RerankResult } from '../neutral.ts'
import type { Parsed, RerankParsed } from '../provider.ts'
import { RULE } from '../engine/tokenizer.ts'
import type { FixedReply } from '../testing/apply.ts'
import { chatResultOf, embedResultOf, readReply } from '../testing/reply.ts'
import type { Exchange } from './exchange.ts'

const TEXT = 'X-Svc-Reply'
const JSON_TEXT = 'X-Svc-Reply-Json'
const MAX_BYTES = 12_288
const MAX_DEPTH = 100

/** A reply with the request as it must be rendered. */
export interface ExactReply extends Omit<FixedReply, 'result'> {
  parsed: Parsed
  result: FixedReply['result'] | RerankResult | { op: 'own' }
}

interface Given {
  header: typeof TEXT | typeof JSON_TEXT
  value: JsonObject
  lookUp: LookUp
}

/** The reply that the request names; null: none. Throws `BadInput` for a wrong one. */
export function exactReply(exchange: Exchange, parsed: Parsed): ExactReply | null {
  const given = readGiven(exchange)
  // The reply is that of a generation within the request.
  if (given === null || exchange.hasGenerated) return null
  try {
    return replyFor(given, exchange, parsed)
  } catch (error) {
    if ((error as Partial<InputProblem> | null)?.code !== 'SVC_INPUT_PROBLEM') throw error
    const { at, message } = error as InputProblem
    throw wrong(given.header, at === '' ? message : `${at}: ${message}`)
  }
}

function readGiven(exchange: Exchange): Given | null {
  const { headers } = exchange
  if (headers['x-svc-reply'] === undefined && headers['x-svc-reply-json'] === undefined) return null
  const json = exchange.header('x-svc-reply-json')
  if (json !== undefined) {
    const lookUp: LookUp = reference =>
      reference === 'session' ? exchange.svc.http.session(exchange.request).label : undefined
    return { header: JSON_TEXT, value: parseJson(json), lookUp }
  }
  // The text is sent as it is: it has no references.
  return { header: TEXT, value: { text: decoded(exchange.header('x-svc-reply') ?? '') }, lookUp: () => undefined }
}

/** Decodes percent escapes as UTF-8; a value whose escapes are not valid is taken literally. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** JSON, or base64url of it. */
function parseJson(text: string): JsonObject {
  if (text.length > MAX_BYTES * 2) throw wrong(JSON_TEXT, `expected at most ${MAX_BYTES} bytes`)
  const trimmed = text.trim()
  const plain = /^[A-Za-z0-9_-]+={0,2}$/.test(trimmed) ? Buffer.from(trimmed, 'base64url').toString('utf8') : trimmed
  if (Buffer.byteLength(plain) > MAX_BYTES) throw wrong(JSON_TEXT, `expected at most ${MAX_BYTES} bytes`)
  let value: unknown
  try {
    value = isTextNestedWithin(plain, MAX_DEPTH) ? JSON.parse(plain) : undefined
  } catch {
    value = undefined
  }
  if (!isRecord(value)) throw wrong(JSON_TEXT, 'expected a JSON object, or base64url of it')
  return value as JsonObject
}

function wrong(header: string, details: string): BadInput {
  return new BadInput(`${header}: ${details}`, { param: header })
}

function replyFor({ header, value, lookUp }: Given, { route }: Exchange, parsed: Parsed): ExactReply {
  const own = { shape: null, pace: {}, fault: null }
  switch (parsed.op) {
    case 'rerank':
      return { ...own, parsed, result: rerankBy(value, parsed) }
    case 'own': {
      if (route.withReply === undefined) throw new InputProblem('', 'this route has no exact replies')
      return { ...own, parsed: route.withReply(parsed, value), result: { op: 'own' } }
    }
    case 'embed':
    case 'chat':
      break
    default:
      throw new InputProblem('', 'this route has no exact replies')
  }
  const { logprobs, ...rest } = value
  if (logprobs !== undefined && logprobs !== false) throw new InputProblem('logprobs', 'expected false')
  const reply = readReply(rest, '')
  if (reply.kind === 'embedding') {
    if (parsed.op !== 'embed') throw new InputProblem('embedding', 'this route does not return embeddings')
    return { ...own, parsed, result: embedResultOf(reply.vector, parsed, 'reply') }
  }
  if (parsed.op !== 'chat') throw new InputProblem('', 'expected embedding')
  const isTemplate = reply.isTemplate && header !== TEXT
  return {
    parsed: logprobs === false && route.withReply !== undefined ? route.withReply(parsed, value) : parsed,
    result: { ...chatResultOf({ ...reply, isTemplate }, parsed, lookUp), mode: 'reply' },
    pace: reply.stream,
    shape: reply.shape,
    fault: reply.break && { ...reply.break, source: `${JSON_TEXT}: ${reply.break.label}` },
  }
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
