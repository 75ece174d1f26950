/** The `reply` step of rules: a fixed reply, which every provider sends in its own format. */
import { Pacer, type Json, type OutputBudget } from 'svc/plugin'
import {
  asBoolean,
  asInteger,
  asObject,
  asText,
  below,
  checkReferences,
  expandedBytes,
  expandText,
  expandValue,
  InputProblem,
  rejectUnknownKeys,
  RULE_REFERENCES,
  writeJson,
  type LookUp,
  type ReferenceWords,
} from 'svc/toolkit'
import { completionTokens, limited } from '../engine/generate.ts'
import { lastUserText, promptTokens, render } from '../engine/prompt.ts'
import { piecesOf } from '../engine/pieces.ts'
import { digest } from '../engine/seed.ts'
import { calledName, findTool } from '../engine/tool-names.ts'
import { evenTokenizer } from '../engine/tokenizer.ts'
import { streamBreaks, type FaultSpec } from '../headers/faults.ts'
import type { Call, ChatResult, Choice, Finish, NeutralRequest } from '../contract/neutral.ts'
import type { ChatParsed } from '../contract/parsed.ts'
import { printable } from '../headers/credentials.ts'
import { EXPECTED_SHAPE, readShape, type StreamShape } from '../shapes/shape.ts'
import type { Latency } from '../streaming/pace.ts'
import {
  chooseBlocks,
  contentOfBlock,
  contentOfBlocks,
  readBlocks,
  type ChosenBlock,
  type ReplyBlock,
} from './reply-blocks.ts'
import { cacheTokens, readTokens, readUsage, type ReplyUsage } from './reply-usage.ts'
import { readVector, readVectors, type ReplyVectors } from './reply-vectors.ts'
import { chooseCalls, MAX_CALLS, readCalls, type ChosenCall, type ReplyCall } from './reply-calls.ts'

const FINISHES = ['stop', 'length', 'tool_calls', 'content_filter', 'stop_sequence'] as const
/** Replies of other operations, which have nothing else. */
const ALONE = ['embedding', 'embeddings', 'count']
/** What becomes the text of the reply. */
const CONTENTS = ['text', 'json', 'refusal']
const CHAT_KEYS = [
  'reasoning',
  ...CONTENTS,
  'tool_calls',
  'blocks',
  'calls_first',
  'finish',
  'stop_sequence',
  'usage',
  'stream',
  'template',
  ...ALONE,
]
const STREAM = ['ttft_ms', 'tokens_per_second', 'jitter_percent', 'delta_chars', 'shape', 'break']
const MAX_TEXT = 65_536
/** Characters of a stop sequence. */
const MAX_STOP = 256

/** The words of references in replies. */
export const REPLY_REFERENCES: ReferenceWords = { ...RULE_REFERENCES, prompt: 'nothing', model: 'nothing' }
/** The parts of a reply in which references are replaced. */
const TEMPLATES = ['reasoning', 'text', 'refusal', 'json', 'tool_calls', 'blocks']
/** What `blocks` say in an order. */
const IN_BLOCKS = ['reasoning', ...CONTENTS, 'tool_calls', 'calls_first']

/** A checked reply. */
export type RuleReply =
  | { kind: 'embedding'; vectors: ReplyVectors }
  | { kind: 'count'; tokens: number }
  | {
      kind: 'chat'
      reasoning: string
      text: string
      /** Sent as its compact text. */
      json: { value: Json } | null
      isRefusal: boolean
      callsFirst: boolean
      /** Whether references in texts are replaced. */
      isTemplate: boolean
      calls: readonly ReplyCall[]
      /** The parts in an order, in place of the others; null: in the usual one. */
      blocks: readonly ReplyBlock[] | null
      finish: Finish | null
      /** What it met, if it ended for one. */
      stopSequence: string | null
      usage: ReplyUsage
      stream: Partial<Latency>
      /** Characters of each delta of texts and arguments, in place of tokens; null: tokens. */
      deltaChars: number | null
      shape: StreamShape | null
      break: FaultSpec | null
    }

/** Reads the step. Throws an `InputProblem`. */
export function readReply(value: Json, at: string): RuleReply {
  const given = asObject(value, at)
  const alone = ALONE.find(key => given[key] !== undefined)
  if (alone !== undefined) {
    rejectUnknownKeys(given, [alone], at)
    const [value, place] = [given[alone]!, below(at, alone)]
    if (alone === 'count') return { kind: 'count', tokens: readTokens(value, place) }
    return { kind: 'embedding', vectors: alone === 'embedding' ? readVector(value, place) : readVectors(value, place) }
  }
  rejectUnknownKeys(given, CHAT_KEYS, at)
  if ([...CONTENTS, 'tool_calls', 'blocks', 'finish'].every(key => given[key] === undefined))
    throw new InputProblem(at, 'expected text, json, tool_calls, blocks, refusal, embedding, embeddings or count')
  if (given.blocks !== undefined)
    for (const key of IN_BLOCKS)
      if (given[key] !== undefined) throw new InputProblem(below(at, key), `${key} and blocks cannot be combined`)
  const contents = CONTENTS.filter(key => given[key] !== undefined)
  if (contents.length > 1)
    throw new InputProblem(below(at, contents[1]!), `${contents[0]} and ${contents[1]} cannot be combined`)
  if (given.refusal !== undefined)
    for (const key of ['tool_calls', 'finish'])
      if (given[key] !== undefined) throw new InputProblem(below(at, key), `${key} and refusal cannot be combined`)
  const finish = given.finish === undefined ? null : readFinish(given.finish, below(at, 'finish'))
  if (given.stop_sequence !== undefined && finish !== 'stop_sequence')
    throw new InputProblem(below(at, 'stop_sequence'), 'expected finish to be stop_sequence')
  const isTemplate = given.template === undefined || asBoolean(given.template, below(at, 'template'))
  for (const key of isTemplate ? TEMPLATES : [])
    if (given[key] !== undefined) checkReferences(given[key], REPLY_REFERENCES, below(at, key))
  const text = (key: string): string => (given[key] === undefined ? '' : asText(given[key], below(at, key), MAX_TEXT))
  const streamed =
    given.stream === undefined
      ? { stream: {}, deltaChars: null, shape: null, break: null }
      : readStream(given.stream, below(at, 'stream'))
  // What references become has no limit of its own.
  if (streamed.deltaChars !== null && isTemplate)
    throw new InputProblem(below(below(at, 'stream'), 'delta_chars'), 'delta_chars needs template: false')
  return {
    kind: 'chat',
    reasoning: text('reasoning'),
    text: text('refusal') || text('text'),
    json: given.json === undefined ? null : { value: given.json },
    isRefusal: given.refusal !== undefined,
    callsFirst: given.calls_first !== undefined && asBoolean(given.calls_first, below(at, 'calls_first')),
    isTemplate,
    calls: given.tool_calls === undefined ? [] : readCalls(given.tool_calls, below(at, 'tool_calls')),
    blocks: given.blocks === undefined ? null : readBlocks(given.blocks, below(at, 'blocks')),
    finish,
    stopSequence:
      given.stop_sequence === undefined ? null : asText(given.stop_sequence, below(at, 'stop_sequence'), MAX_STOP, 1),
    usage: given.usage === undefined ? {} : readUsage(given.usage, below(at, 'usage')),
    ...streamed,
  }
}

function readFinish(value: Json, at: string): Finish {
  const found = FINISHES.find(known => known === value)
  if (found === undefined) throw new InputProblem(at, `expected one of ${FINISHES.join(', ')}`)
  return found
}

function readStream(value: Json, at: string): Pick<ChatReply, 'stream' | 'deltaChars' | 'shape' | 'break'> {
  const given = asObject(value, at)
  rejectUnknownKeys(given, STREAM, at)
  const integer = (key: string, max: number): number | undefined =>
    given[key] === undefined ? undefined : asInteger(given[key], below(at, key), 0, max)
  const ttftMs = integer('ttft_ms', 600_000)
  const tokensPerSecond = integer('tokens_per_second', 100_000)
  const jitterPercent = integer('jitter_percent', 100)
  return {
    stream: {
      ...(ttftMs === undefined ? {} : { ttftMs }),
      ...(tokensPerSecond === undefined ? {} : { tokensPerSecond }),
      ...(jitterPercent === undefined ? {} : { jitterPercent }),
    },
    deltaChars:
      given.delta_chars === undefined ? null : asInteger(given.delta_chars, below(at, 'delta_chars'), 1, MAX_TEXT),
    shape: given.shape === undefined ? null : readRuleShape(given.shape, below(at, 'shape')),
    break: given.break === undefined ? null : readBreak(given.break, below(at, 'break')),
  }
}

function readRuleShape(value: Json, at: string): StreamShape {
  const { shape, unknown } = readShape(asText(value, at, 500, 1))
  if (unknown.length > 0) throw new InputProblem(at, `unknown item ${unknown[0]}; expected ${EXPECTED_SHAPE}`)
  return shape
}

function readBreak(value: Json, at: string): FaultSpec {
  const [, name, tokens] = typeof value === 'string' ? (/^([a-z_]+)@(\d{1,9})$/.exec(value) ?? []) : []
  const what = streamBreaks.find(known => known === name)
  if (what === undefined)
    throw new InputProblem(at, `expected one of ${streamBreaks.map(known => `${known}@5`).join(', ')}`)
  return { label: what, break: { what, afterTokens: Number(tokens) }, percent: 100 }
}

const OPERATIONS = { embedding: 'embed', count: 'count', chat: 'chat' } as const

/** Whether a reply fits what the request asks for. */
export function fits(reply: RuleReply, op: string): boolean {
  return op === OPERATIONS[reply.kind]
}

export type ChatReply = Extract<RuleReply, { kind: 'chat' }>

interface Filling {
  /** Finds the references that are the same for all routes. */
  lookUp: LookUp
  output: OutputBudget
  /** Calls that no tool of the request can take are left out; the response says so. */
  ignore(name: string, reason: string): void
}

/** A reply to a request. */
interface ChosenReply extends Omit<ChatReply, 'calls' | 'blocks'> {
  calls: readonly ChosenCall[]
  blocks: readonly ChosenBlock[] | null
}

/** Characters of a reason in a header. */
const MAX_REASON = 200
/** Bytes of a reply that is made at once. */
const SMALL_BYTES = 65_536

/**
 * The result for a chat request; a promise for a large one, which lets other requests run. What it contains is taken from
 * `output`, before it is made. Throws `OutputTooLarge` or `OutputUnavailable`.
 */
export function chatResultOf(
  given: ChatReply,
  parsed: ChatParsed,
  { lookUp, output, ignore }: Filling,
): ChatResult | Promise<ChatResult> {
  const { request } = parsed
  const leaveOut =
    (list: string) =>
    (index: number, names: readonly string[]): void =>
      ignore(
        `${list}[${index}]`,
        printable(`no tool of the request is one of ${names.join(', ')}`).slice(0, MAX_REASON),
      )
  const reply: ChosenReply = {
    ...given,
    calls: chooseCalls(given.calls, request, leaveOut('tool_calls')),
    blocks: given.blocks && chooseBlocks(given.blocks, request, leaveOut('blocks')),
  }
  const fill = memoize(reference => {
    if (reference === 'prompt') return lastUserText(request)
    return reference === 'model' ? request.model : lookUp(reference)
  })
  const filled = { lookUp: fill, output }
  if (!reply.isTemplate) return makeResult(reply, parsed, filled)
  const bytes = request.n * sizeOf(reply, fill)
  output.require(bytes)
  if (bytes <= SMALL_BYTES) return makeResult(reply, parsed, filled)
  // The contents stay in memory until they are written.
  output.hold(bytes)
  return new Pacer().pause().then(() => makeResult(reply, parsed, filled))
}

/** Finds each reference once. */
function memoize(lookUp: LookUp): LookUp {
  const known = new Map<string, Json | undefined>()
  return reference => {
    if (!known.has(reference)) known.set(reference, lookUp(reference))
    return known.get(reference)
  }
}

/** Bytes of the contents of one choice as JSON. */
function sizeOf({ text, json, reasoning, calls, blocks }: ChosenReply, lookUp: LookUp): number {
  const inBlocks = blocks?.map(contentOfBlock) ?? []
  const contents = [json === null ? text : json.value, reasoning, ...calls.map(({ args }) => args), ...inBlocks]
  return expandedBytes(contents, lookUp)
}

function makeResult(
  reply: ChosenReply,
  { request, promptTokens: own }: ChatParsed,
  { lookUp: fill, output }: Pick<Filling, 'lookUp' | 'output'>,
): ChatResult {
  const prompt = render(request)
  const before = output.used
  const ofDeltas = reply.deltaChars === null ? request : { ...request, tokenizer: evenTokenizer(reply.deltaChars) }
  const first = choiceOf(reply, ofDeltas, reply.isTemplate ? new Template(output, fill) : new PlainTexts(output))
  const bytes = output.used - before
  const choices = Array.from({ length: request.n }, (_, index) => {
    // All choices are equal, but for their ids. Each of them is sent.
    if (index > 0) output.take(bytes)
    return withIds(first, index, number => digest('call', request.model, prompt, number).slice(0, ID_DIGITS))
  })
  const { usage } = reply
  const inputTokens = usage.prompt_tokens ?? own ?? promptTokens(request, prompt)
  return {
    op: 'chat',
    mode: 'rule',
    prompt,
    choices,
    promptTokens: inputTokens,
    completionTokens:
      usage.completion_tokens ?? choices.reduce((sum, choice) => sum + completionTokens(choice, request), 0),
    reasoningTokens: usage.reasoning_tokens ?? choices.reduce((sum, choice) => sum + choice.reasoningPieces.length, 0),
    ...cacheTokens(usage, inputTokens),
  }
}

/** Makes the texts and values of a reply. What it makes is taken from the budget first. */
class PlainTexts {
  protected readonly output: OutputBudget

  constructor(output: OutputBudget) {
    this.output = output
  }

  text(text: string): string {
    this.output.take(text.length)
    return text
  }

  value(value: Json): Json {
    return value
  }

  /** A value, and its JSON text. */
  json(given: Json, isText = false): { value: Json; json: string } {
    const since = this.output.used
    const value = this.value(given)
    if (isText && typeof value === 'string') {
      this.output.takeUpTo(since + value.length)
      return { value, json: value }
    }
    this.output.takeJson(value, since)
    return { value, json: writeJson(value) }
  }
}

/** Replaces the references in texts. */
class Template extends PlainTexts {
  readonly #lookUp: LookUp

  constructor(output: OutputBudget, lookUp: LookUp) {
    super(output)
    this.#lookUp = lookUp
  }

  override text(text: string): string {
    return expandText(text, this.#lookUp, this.output)
  }

  override value(value: Json): Json {
    return expandValue(value, this.#lookUp, this.output)
  }
}

const ID_DIGITS = 24

function withIds(choice: Choice, index: number, idOf: (number: number) => string): Choice {
  const calls = choice.calls.map((call, place) => ({ ...call, id: idOf(index * MAX_CALLS + place) }))
  return { ...choice, index, calls }
}

function choiceOf(reply: ChosenReply, request: NeutralRequest, texts: PlainTexts): Choice {
  const content = contentOf(reply, request, texts)
  const byCut = content.finish === 'stop' && content.calls.length > 0 ? 'tool_calls' : content.finish
  return {
    ...content,
    index: 0,
    finish: reply.isRefusal ? 'content_filter' : (reply.finish ?? byCut),
    ...(reply.isRefusal ? { isRefusal: true as const } : {}),
    ...(reply.callsFirst ? { callsFirst: true as const } : {}),
    stopSequence: reply.finish === null ? content.stopSequence : reply.stopSequence,
  }
}

function contentOf(reply: ChosenReply, request: NeutralRequest, texts: PlainTexts): Omit<Choice, 'index'> {
  const call = (wanted: ChosenCall): Call => callOf(wanted, request, texts)
  if (reply.blocks !== null) return contentOfBlocks(reply.blocks, request, { text: text => texts.text(text), call })
  const text = reply.json === null ? texts.text(reply.text) : texts.json(reply.json.value).json
  const reasoning = texts.text(reply.reasoning)
  return {
    ...limited(text, request),
    calls: reply.calls.map(call),
    reasoning,
    reasoningPieces: piecesOf(reasoning, request.tokenizer),
  }
}

/** Its id follows. */
function callOf(wanted: ChosenCall, request: NeutralRequest, texts: PlainTexts): Call {
  const { args, id: givenId } = wanted
  const isText = findTool(request.tools, wanted)?.input !== undefined
  const { value, json } = texts.json(args, isText)
  return {
    id: '',
    ...(givenId === null ? {} : { givenId }),
    ...calledName(request, wanted),
    args: isText ? json : value,
    json,
    jsonPieces: piecesOf(json, request.tokenizer),
    ...(isText ? { isText: true as const } : {}),
  }
}
