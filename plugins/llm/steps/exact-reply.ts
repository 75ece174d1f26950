/** Exact replies by header: `X-Svc-Reply` and `X-Svc-Reply-Json`. */
import { InputProblem, type LookUp } from 'svc/toolkit'
import type { Json, JsonObject } from 'svc/plugin'
import type { RerankResult } from '../contract/neutral.ts'
import type { Parsed, RerankParsed } from '../contract/parsed.ts'
import { RULE } from '../engine/tokenizer.ts'
import { chatResultOf, embedResultOf, readReply } from '../testing/reply.ts'
import type { FixedReply, ModelCall } from '../call/model-call.ts'
import { JSON_TEXT, parseReply, wrong } from '../headers/reply-header.ts'
import { requestedFilter } from './fault.ts'

const TEXT = 'X-Svc-Reply'

/** A reply with the request as it must be rendered. */
interface ExactReply extends FixedReply {
  parsed: Parsed
}

interface Given {
  header: typeof TEXT | typeof JSON_TEXT
  value: JsonObject
  lookUp: LookUp
}

/** Reads the reply that the request names. A filter replaces every reply. Throws `BadInput` for a wrong one. */
export function readExactReply(call: ModelCall): boolean | Promise<boolean> {
  // The reply is that of a generation within the request.
  if (call.hasGenerated || requestedFilter(call) !== null) return true
  const given = withoutOwn(readGiven(call), call.modelRoute?.replyMembers)
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

/** Without the members that the route reads itself; null if nothing is left. */
function withoutOwn(given: Given | null, own: readonly string[] = []): Given | null {
  if (given === null || !own.some(name => Object.hasOwn(given.value, name))) return given
  const rest = Object.entries(given.value).filter(([name]) => !own.includes(name))
  return rest.length === 0 ? null : { ...given, value: Object.fromEntries(rest) }
}

function readGiven(call: ModelCall): Given | null {
  const { headers } = call
  if (headers['x-svc-reply'] === undefined && headers['x-svc-reply-json'] === undefined) return null
  const json = call.header('x-svc-reply-json')
  if (json !== undefined) {
    const lookUp: LookUp = reference =>
      reference === 'session' ? call.svc.http.session(call.request).label : undefined
    return { header: JSON_TEXT, value: parseReply(json), lookUp }
  }
  // The text is sent as it is: it has no references.
  return { header: TEXT, value: { text: decoded(call.header('x-svc-reply') ?? '') }, lookUp: () => undefined }
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
      return { ...own, parsed: modelRoute.withReply(parsed, value), result: { op: 'own' } }
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
    return { ...own, parsed, result: embedResultOf(reply.vector, parsed, { mode: 'reply', output }) }
  }
  if (parsed.op !== 'chat') throw new InputProblem('', 'expected embedding')
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
