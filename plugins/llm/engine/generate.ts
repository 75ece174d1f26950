/** The mock model: generates the choices of a reply by fixed rules. */
import { isTooExpensive, OutputBudget, type StepBudget } from 'svc/plugin'
import { isRecord } from 'svc/toolkit'
import type {
  Call,
  ChatResult,
  Choice,
  Finish,
  Mode,
  NeutralRequest,
  Tool,
  ToolName,
  Pieces,
} from '../contract/neutral.ts'
import { askedText, replyToToolResults, lastUserText, promptTokens, render } from './prompt.ts'
import { promptedSchema } from './prompted-schema.ts'
import { fillTemplate, type CompiledRule, type RuleReply } from './rules.ts'
import { fromSchema } from './schema-value.ts'
import { cannedText, randomText, scriptedText } from './scripted.ts'
import { firstPieces, joined, piecesOf } from './pieces.ts'
import { digest } from './seed.ts'
import { cannedTable, standard } from './texts.ts'
import { tokenizerOf } from './tokenizer.ts'
import { pieces } from './tokens.ts'
import { calledName, findTool } from './tool-names.ts'
import { chooseAskedTool, chooseForcedTool } from './tool-choice.ts'

export interface GenerateOptions {
  mode: Mode
  /** Tried in order in the modes canned and scripted, before tools. */
  rules?: readonly CompiledRule[]
  /** What testing the rules may take: from then on, no further rule matches. */
  steps: StepBudget
  /** A template that replaces the canned table. */
  reply?: string
  /** Maximum number of words for `lorem`. */
  loremWords: number
  /** The reply is empty, for this reason. */
  filtered?: 'content_filter' | 'prompt_filter'
  /** What the contents of all choices are taken from, before they are made. Default: a budget of 16 MiB. */
  output?: OutputBudget
}

/** A rule requests a fault instead of a reply; `fail` is a value for `X-Svc-Fail`. */
export interface GeneratedFault {
  op: 'fault'
  fail: string
}

const idDigits = 24
const quotedCharacters = 80
const DEFAULT_BYTES = 16 * 1024 * 1024

/**
 * Generates the reply to a request. The same request and options give the same result, in every process. Throws
 * `OutputTooLarge` or `OutputUnavailable`.
 */
export function generate(request: NeutralRequest, given: GenerateOptions): ChatResult | GeneratedFault {
  const options = { ...given, output: given.output ?? new OutputBudget(DEFAULT_BYTES) }
  const prompt = render(request)
  const userText = lastUserText(request)
  const rule = matchingRule(request, userText, options)
  if (rule !== undefined && 'fail' in rule) return { op: 'fault', fail: rule.fail }
  const reasoning = options.filtered === undefined ? reasoningText(request, userText, options.mode) : ''
  const reasoningPieces = piecesOf(reasoning, tokenizerOf(request))
  const choices: Choice[] = []
  let content: Content | undefined
  for (let index = 0; index < request.n; index++) {
    // Only random texts differ between the choices.
    content =
      content === undefined || options.mode === 'random'
        ? contentFor(request, { prompt, userText, index, rule }, options)
        : { ...content, calls: content.calls.map(call => ({ ...call, id: idOfCall(request, prompt, index) })) }
    const { text, pieces: textPieces, calls, finish, stopSequence } = content
    options.output.take(text.length + reasoning.length + calls.reduce((sum, { json }) => sum + json.length, 0))
    choices.push({ index, text, pieces: textPieces, calls, finish, stopSequence, reasoning, reasoningPieces })
  }
  return {
    op: 'chat',
    mode: options.mode,
    prompt,
    choices,
    promptTokens: promptTokens(request, prompt),
    completionTokens: choices.reduce((sum, choice) => sum + completionTokens(choice, request), 0),
    reasoningTokens: reasoningPieces.length * choices.length,
  }
}

export function completionTokens(choice: Choice, request: NeutralRequest): number {
  if (choice.calls.length === 0) return choice.pieces.length + choice.reasoningPieces.length
  const tokenizer = tokenizerOf(request)
  const calls = choice.calls.reduce((sum, call) => sum + tokenizer.count(call.name) + call.jsonPieces.length, 0)
  return choice.pieces.length + calls + choice.reasoningPieces.length
}

interface Turn {
  prompt: string
  userText: string
  index: number
  rule: Exclude<RuleReply, { fail: string }> | undefined
}
export type Content = Omit<Choice, 'index' | 'reasoning' | 'reasoningPieces'>
type Options = GenerateOptions & { output: OutputBudget }

/** Rules apply in the modes canned and scripted, unless the request ends with tool results. */
function matchingRule(request: NeutralRequest, userText: string, options: GenerateOptions): RuleReply | undefined {
  if (
    options.filtered !== undefined ||
    (options.mode !== 'canned' && options.mode !== 'scripted') ||
    !options.rules?.length
  )
    return undefined
  if (replyToToolResults(request) !== null) return undefined
  try {
    return options.rules.find(rule => rule.matches(request, userText, options.steps))?.reply
  } catch (error) {
    if (!isTooExpensive(error)) throw error
    return undefined
  }
}

/** In order of precedence: filter, echo, tool results unless a call is forced, rule, tool, text of the mode. */
function contentFor(request: NeutralRequest, turn: Turn, options: Options): Content {
  if (options.filtered !== undefined) return textContent('', [], options.filtered)
  if (options.mode === 'echo') return limited(turn.prompt, request)
  if (turn.rule !== undefined) return contentOfRule(turn.rule, request, turn, options)
  const results = replyToToolResults(request)
  const call = callOfTool(request, turn, { isAnswered: results !== null, ...options })
  if (call !== undefined) return callContent(call)
  const instance = options.mode === 'random' ? undefined : instanceOfPromptedSchema(request, turn.userText, options)
  if (instance !== undefined) return limited(instance, request)
  const text = results ?? textOfMode(request, turn, options)
  return limited(wrap(text, request, turn.userText, options), request)
}

/** The call of the tool that the request forces or, unless tool results are answered, asks for. */
function callOfTool(request: NeutralRequest, turn: Turn, options: Options & { isAnswered: boolean }): Call | undefined {
  if (request.tools.length === 0) return undefined
  const asked = askedText(request)
  const tool = chooseForcedTool(request, asked) ?? (options.isAnswered ? undefined : chooseAskedTool(request, asked))
  if (tool === undefined) return undefined
  const called = { tool, args: argumentsFor(tool, asked), isText: tool.input !== undefined }
  return callOf(request, turn, called, options)
}

/** Frameworks that know no format of the provider put the schema of the reply into the prompt. */
function instanceOfPromptedSchema(request: NeutralRequest, userText: string, { output }: Options): string | undefined {
  if (request.format.type === 'schema') return undefined
  const schema = promptedSchema([...request.system, userText])
  return schema === undefined ? undefined : jsonWithin(output, fromSchema(schema, userText))
}

function contentOfRule(
  rule: Exclude<RuleReply, { fail: string }>,
  request: NeutralRequest,
  turn: Turn,
  options: Options,
): Content {
  if ('tool' in rule) {
    const wanted = { name: rule.tool, ...(rule.namespace === undefined ? {} : { namespace: rule.namespace }) }
    const tool = findTool(request.tools, wanted)
    const args = rule.args ?? (tool === undefined ? {} : argumentsFor(tool, turn.userText))
    return callContent(callOf(request, turn, { tool: wanted, args, isText: tool?.input !== undefined }, options))
  }
  if (rule.finish === 'content_filter') return textContent('', [], 'content_filter')
  const text = rule.template === false ? rule.text : fillTemplate(rule.text, request, turn.userText, options.output)
  const content = limited(wrap(text, request, turn.userText, options), request)
  return rule.finish === 'length' ? { ...content, finish: 'length', stopSequence: null } : content
}

function textOfMode(request: NeutralRequest, turn: Turn, options: Options): string {
  if (options.mode === 'random') return randomText(request.model, turn.prompt, turn.index)
  const scripted =
    options.mode === 'scripted' ? scriptedText(turn.userText, turn.prompt, options.loremWords) : undefined
  if (scripted !== undefined) return scripted
  return options.reply === undefined
    ? cannedText(turn.userText)
    : fillTemplate(options.reply, request, turn.userText, options.output)
}

/** The text in the requested format: unchanged, in a JSON object, or replaced by a value for the schema. */
function wrap(text: string, request: NeutralRequest, userText: string, { output }: Options): string {
  if (request.format.type === 'json') return jsonWithin(output, { response: text })
  return request.format.type === 'schema' ? jsonWithin(output, fromSchema(request.format.schema, userText)) : text
}

/** A schema can repeat its parts: the JSON is counted before it is made. It is taken when it becomes a reply. */
function jsonWithin(output: OutputBudget, value: unknown): string {
  output.requireJson(value)
  return JSON.stringify(value)
}

/** The precomputed pieces of the most frequent replies. */
const cannedPieces: ReadonlyMap<string, readonly string[]> = new Map(
  [standard, ...cannedTable.map(row => row.text)].map(text => [text, pieces(text)]),
)

/** Cuts the text before the earliest stop sequence, then to the token limit. */
export function limited(text: string, request: NeutralRequest): Content {
  let end = text.length
  let stopSequence: string | null = null
  for (const stop of request.stop) {
    const at = text.indexOf(stop)
    if (at >= 0 && at < end) {
      end = at
      stopSequence = stop
    }
  }
  const cut = text.slice(0, end)
  const all = (request.tokenizer === undefined ? cannedPieces.get(cut) : undefined) ?? piecesOf(cut, request.tokenizer)
  if (request.maxTokens !== undefined && all.length > request.maxTokens) {
    const kept = firstPieces(all, request.maxTokens)
    return textContent(joined(kept), kept, 'length')
  }
  // An empty reply because of a limit of 0 is not a natural end.
  if (request.maxTokens === 0) return textContent('', [], 'length')
  return textContent(cut, all, stopSequence === null ? 'stop' : 'stop_sequence', stopSequence)
}

function textContent(text: string, textPieces: Pieces, finish: Finish, stopSequence: string | null = null): Content {
  return { text, pieces: textPieces, calls: [], finish, stopSequence }
}

function callContent(call: Call): Content {
  return { text: '', pieces: [], calls: [call], finish: 'tool_calls', stopSequence: null }
}

function idOfCall({ model }: NeutralRequest, prompt: string, index: number): string {
  return digest('call', model, prompt, index).slice(0, idDigits)
}

function callOf(
  request: NeutralRequest,
  turn: Turn,
  called: { tool: ToolName; args: object; isText: boolean },
  { output }: Options,
): Call {
  const { args, isText } = called
  const name = calledName(request, called.tool)
  const id = idOfCall(request, turn.prompt, turn.index)
  const json = isText ? textOfArguments(args, output) : jsonWithin(output, args)
  const jsonPieces = piecesOf(json, tokenizerOf(request))
  return isText ? { id, ...name, args: json, json, jsonPieces, isText } : { id, ...name, args, json, jsonPieces }
}

/** The text for a tool that takes text: the argument `input`, otherwise all arguments as JSON. */
function textOfArguments(args: object, output: OutputBudget): string {
  const { input } = args as { input?: unknown }
  return typeof input === 'string' ? input : jsonWithin(output, args)
}

const textSchema = { type: 'object', properties: { input: { type: 'string' } } }

function argumentsFor(tool: Tool, userText: string): object {
  const value = fromSchema(tool.input === undefined ? tool.schema : textSchema, userText)
  return isRecord(value) ? value : {}
}

/** The reasoning text, if requested; cut to the budget. */
function reasoningText(request: NeutralRequest, userText: string, mode: Mode): string {
  if (request.reasoning === undefined) return ''
  const text = `The user said: "${userText.slice(0, quotedCharacters)}". I will answer in ${mode} mode.`
  const { budget } = request.reasoning
  return budget !== undefined && budget > 0 ? joined(firstPieces(piecesOf(text, tokenizerOf(request)), budget)) : text
}
