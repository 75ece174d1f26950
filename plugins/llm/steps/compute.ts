/** Computes the result of a parsed request with the engine. */
import { Pacer, type OutputBudget, type StepBudget } from 'svc/plugin'
import { RULE } from '../engine/tokenizer.ts'
import { piecesOf } from '../engine/pieces.ts'
import { Embedder } from '../engine/embedding.ts'
import { generate, type GenerateOptions } from '../engine/generate.ts'
import { modeOfHeader, modeOfModel } from '../engine/model-mode.ts'
import { promptTokens, render } from '../engine/prompt.ts'
import { rankDocuments, rankLongDocuments } from '../engine/relevance.ts'
import type { CompiledRule } from '../engine/rules.ts'
import { findModel, listedModels, type ProviderInstance } from '../providers/instance.ts'
import type {
  ChatResult,
  Choice,
  EmbedResult,
  Mode,
  ModelsResult,
  NeutralRequest,
  RerankResult,
} from '../contract/neutral.ts'
import type { ChatParsed, EmbedParsed, ModelsParsed, Parsed, RerankParsed, ResultOf } from '../contract/parsed.ts'
import type { EngineLimits } from '../contract/route.ts'
import { ProviderError } from '../contract/errors.ts'

export interface ComputeOptions {
  instance: ProviderInstance
  limits: EngineLimits
  /** Value of `X-Svc-Mode`. */
  modeHeader: string | undefined
  /** Rules added by plugins. */
  rules: readonly CompiledRule[]
  /** What testing the rules may take. */
  steps: StepBudget
  filtered: 'content_filter' | 'prompt_filter' | undefined
  /** Of the answer: the contents of the result are taken before they are made. */
  output: OutputBudget
}

/** Thrown if a rule requests a fault instead of a reply. */
export class RuleFault extends Error {
  readonly fail: string
  constructor(fail: string) {
    super(fail)
    this.fail = fail
  }
}

type AnyResult = ResultOf<Parsed>

/**
 * Throws `ProviderError` for an unknown model, `RuleFault` if a rule requests a fault, `OutputTooLarge` and
 * `OutputUnavailable`.
 */
export function compute(parsed: Parsed, options: ComputeOptions): AnyResult | Promise<AnyResult> {
  if (
    parsed.op !== 'models' &&
    parsed.model !== undefined &&
    options.instance.strictModels &&
    findModel(options.instance, parsed.model) === undefined
  ) {
    throw unknownModel(options.instance, parsed.model)
  }
  switch (parsed.op) {
    case 'chat':
      return guarded(parsed, options)
    case 'embed':
      return embed(parsed, options.output)
    case 'rerank':
      return rerank(parsed)
    case 'count':
      return { op: 'count', promptTokens: promptTokens(parsed.request, render(parsed.request)) }
    case 'models':
      return models(parsed, options.instance)
    case 'own':
      options.output.take(parsed.replyBytes ?? 0)
      return { op: 'own' }
  }
}

function unknownModel(instance: ProviderInstance, id: string): ProviderError {
  const template = instance.format.unknownModel ?? 'the model {model} does not exist'
  return new ProviderError('not_found', { message: template.replace('{model}', () => id.slice(0, 200)) })
}

/** In order of precedence: header, entry of the model in svc.yaml, model name, provider, `canned`. */
function modeOf(parsed: ChatParsed, { instance, modeHeader }: ComputeOptions): Mode {
  return (
    modeOfHeader(modeHeader) ??
    (instance.isNamed ? instance.models.find(model => model.id === parsed.model)?.mode : undefined) ??
    modeOfModel(parsed.model) ??
    instance.mode ??
    'canned'
  )
}

function guarded(parsed: ChatParsed, options: ComputeOptions): ChatResult {
  const { guardrail } = parsed
  if (guardrail === undefined) return chat(parsed, options)
  return guardrail.review(
    guardrail.blocked === undefined ? chat(parsed, options) : blockedReply(guardrail.blocked, modeOf(parsed, options)),
  )
}

/** The reply to a blocked prompt, which the model does not process. */
function blockedReply(text: string, mode: Mode): ChatResult {
  const choice: Choice = {
    index: 0,
    text,
    pieces: piecesOf(text),
    calls: [],
    reasoning: '',
    reasoningPieces: [],
    finish: 'stop',
    stopSequence: null,
  }
  return { op: 'chat', mode, prompt: '', choices: [choice], promptTokens: 0, completionTokens: 0, reasoningTokens: 0 }
}

function chat(parsed: ChatParsed, options: ComputeOptions): ChatResult {
  const { instance, rules, limits, steps } = options
  const generateOptions: GenerateOptions = {
    mode: modeOf(parsed, options),
    rules: instance.rules.length > 0 ? [...instance.rules, ...rules] : rules,
    loremWords: limits.loremWords,
    output: options.output,
    steps,
  }
  if (instance.reply !== undefined) generateOptions.reply = instance.reply
  if (options.filtered !== undefined) generateOptions.filtered = options.filtered
  const first = replyTo(parsed.request, generateOptions)
  const result =
    parsed.also === undefined
      ? first
      : joined([first, ...parsed.also.map(request => replyTo(request, generateOptions))])
  return parsed.promptTokens === undefined ? result : { ...result, promptTokens: parsed.promptTokens }
}

function replyTo(request: NeutralRequest, options: GenerateOptions): ChatResult {
  const result = generate(request, options)
  if (result.op === 'fault') throw new RuleFault(result.fail)
  return result
}

/** Merges the replies to several prompts: renumbers the choices and adds up the tokens. */
function joined(results: readonly ChatResult[]): ChatResult {
  const sum = (tokens: (result: ChatResult) => number): number =>
    results.reduce((total, result) => total + tokens(result), 0)
  return {
    ...(results[0] as ChatResult),
    prompt: results.map(result => result.prompt).join('\n'),
    choices: results.flatMap(result => result.choices).map((choice, index) => ({ ...choice, index })),
    promptTokens: sum(result => result.promptTokens),
    completionTokens: sum(result => result.completionTokens),
    reasoningTokens: sum(result => result.reasoningTokens),
  }
}

/** `0,`: what a dimension has at least, in any format. */
const DIMENSION_BYTES = 2
/** Of a number in memory, and of its text while it is written. */
const NUMBER_BYTES = 24

async function embed(parsed: EmbedParsed, output: OutputBudget): Promise<EmbedResult> {
  const numbers = parsed.inputs.length * parsed.dimensions
  output.take(numbers * DIMENSION_BYTES)
  output.hold(numbers * NUMBER_BYTES)
  const embedder = new Embedder(parsed.dimensions)
  const { tokenizer: counter = RULE } = parsed
  const vectors: number[][] = []
  const tokens: number[] = []
  const pacer = new Pacer()
  for (const input of parsed.inputs) {
    const text = typeof input === 'string' ? input : input.join(' ')
    vectors.push(await embedder.embedLong(text, pacer))
    tokens.push(typeof input === 'string' ? counter.count(input) : input.length)
    if (pacer.isDue) await pacer.pause()
  }
  return { op: 'embed', vectors, tokens, promptTokens: tokens.reduce((sum, n) => sum + n, 0) }
}

/** Characters that are ranked at once. */
const RANKED_AT_ONCE = 20_000

function rerank(parsed: RerankParsed): RerankResult | Promise<RerankResult> {
  const { query, documents } = parsed
  const characters = documents.reduce((sum, document) => sum + document.length, query.length)
  return characters > RANKED_AT_ONCE
    ? rankLongDocuments(query, documents).then(results => reranked(parsed, results))
    : reranked(parsed, rankDocuments(query, documents))
}

function reranked(
  { query, documents, tokenizer: { count } = RULE }: RerankParsed,
  results: RerankResult['results'],
): RerankResult {
  return {
    op: 'rerank',
    results,
    promptTokens: documents.reduce((sum, text) => sum + count(text), count(query)),
  }
}

function models(parsed: ModelsParsed, instance: ProviderInstance): ModelsResult {
  if (parsed.id === undefined) return { op: 'models', models: listedModels(instance) }
  const model = findModel(instance, parsed.id)
  if (model === undefined) throw unknownModel(instance, parsed.id)
  return { op: 'models', models: listedModels(instance), model }
}
