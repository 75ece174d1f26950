/** The mock model itself: from a neutral request to its choices, by rules alone. */
import { isRecord } from 'svc/plugin'
import type { Call, ChatResult, Choice, Finish, Mode, NeutralRequest, Tool } from '../neutral.ts'
import { answerToResults, lastUserText, promptTokens, render } from './prompt.ts'
import { fillTemplate, type CompiledRule, type RuleReply } from './rules.ts'
import { fromSchema } from './schema-value.ts'
import { cannedText, randomText, scriptedText } from './scripted.ts'
import { digest } from './seed.ts'
import { cannedTable, standard } from './texts.ts'
import { count, pieces } from './tokens.ts'
import { chooseTool } from './tool-choice.ts'

export interface GenerateOptions {
  mode: Mode
  /** Tried in order in the modes canned and scripted, before tools. */
  rules?: readonly CompiledRule[]
  /** In place of the canned table; a template. */
  reply?: string
  /** Words of `lorem` at most. */
  loremWords: number
  /** Nothing is said, for this reason. */
  filtered?: 'content_filter' | 'prompt_filter'
}

/** A rule asked for a fault instead of a reply: the word that `X-Svc-Fail` takes. */
export interface GeneratedFault {
  op: 'fault'
  fail: string
}

const idDigits = 24
const quotedCharacters = 80

/** Answers a request. The same request and options give the same result, in every process. */
export function generate(request: NeutralRequest, options: GenerateOptions): ChatResult | GeneratedFault {
  const prompt = render(request)
  const userText = lastUserText(request)
  const rule = matchingRule(request, userText, options)
  if (rule !== undefined && 'fail' in rule) return { op: 'fault', fail: rule.fail }
  const reasoning = options.filtered === undefined ? reasoningText(request, userText, options.mode) : ''
  const reasoningPieces = pieces(reasoning)
  const choices: Choice[] = []
  for (let index = 0; index < request.n; index++) {
    const {
      text,
      pieces: textPieces,
      calls,
      finish,
      stopSequence,
    } = say(request, { prompt, userText, index, rule }, options)
    choices.push({ index, text, pieces: textPieces, calls, finish, stopSequence, reasoning, reasoningPieces })
  }
  return {
    op: 'chat',
    mode: options.mode,
    prompt,
    choices,
    promptTokens: promptTokens(request, prompt),
    completionTokens: choices.reduce((sum, choice) => sum + completionTokens(choice), 0),
    reasoningTokens: reasoningPieces.length * choices.length,
  }
}

function completionTokens(choice: Choice): number {
  const calls = choice.calls.reduce((sum, call) => sum + count(call.name) + call.jsonPieces.length, 0)
  return choice.pieces.length + calls + choice.reasoningPieces.length
}

interface Turn {
  prompt: string
  userText: string
  index: number
  rule: Exclude<RuleReply, { fail: string }> | undefined
}
type Said = Omit<Choice, 'index' | 'reasoning' | 'reasoningPieces'>

/** Rules hold in the modes canned and scripted, but not when the request ends with tool results. */
function matchingRule(request: NeutralRequest, userText: string, options: GenerateOptions): RuleReply | undefined {
  if (
    options.filtered !== undefined ||
    (options.mode !== 'canned' && options.mode !== 'scripted') ||
    !options.rules?.length
  )
    return undefined
  if (answerToResults(request) !== null) return undefined
  return options.rules.find(rule => rule.matches(request, userText))?.reply
}

/** The order that decides: filter, echo, tool results, rule, tool, text of the mode. */
function say(request: NeutralRequest, turn: Turn, options: GenerateOptions): Said {
  if (options.filtered !== undefined) return saidText('', [], options.filtered)
  if (options.mode === 'echo') return limited(turn.prompt, request)
  const results = answerToResults(request)
  if (results !== null) return limited(wrap(results, request, turn.userText), request)
  if (turn.rule !== undefined) return saidByRule(turn.rule, request, turn)
  const tool = chooseTool(request, turn.userText)
  if (tool !== undefined)
    return saidCall(callOf(request, turn, tool.name, argumentsFor(tool, turn.userText), tool.input !== undefined))
  return limited(wrap(textOfMode(request, turn, options), request, turn.userText), request)
}

function saidByRule(rule: Exclude<RuleReply, { fail: string }>, request: NeutralRequest, turn: Turn): Said {
  if ('tool' in rule) {
    const tool = request.tools.find(candidate => candidate.name === rule.tool)
    return saidCall(
      callOf(
        request,
        turn,
        rule.tool,
        rule.args ?? (tool === undefined ? {} : argumentsFor(tool, turn.userText)),
        tool?.input !== undefined,
      ),
    )
  }
  if (rule.finish === 'content_filter') return saidText('', [], 'content_filter')
  const said = limited(wrap(fillTemplate(rule.text, request, turn.userText), request, turn.userText), request)
  return rule.finish === 'length' ? { ...said, finish: 'length', stopSequence: null } : said
}

function textOfMode(request: NeutralRequest, turn: Turn, options: GenerateOptions): string {
  if (options.mode === 'random') return randomText(request.model, turn.prompt, turn.index)
  const scripted =
    options.mode === 'scripted' ? scriptedText(turn.userText, turn.prompt, options.loremWords) : undefined
  if (scripted !== undefined) return scripted
  return options.reply === undefined ? cannedText(turn.userText) : fillTemplate(options.reply, request, turn.userText)
}

/** The text in the form that the request asks for: as it is, in a JSON object, or a value of its schema. */
function wrap(text: string, request: NeutralRequest, userText: string): string {
  if (request.format.type === 'json') return JSON.stringify({ response: text })
  return request.format.type === 'schema' ? JSON.stringify(fromSchema(request.format.schema, userText)) : text
}

/** The pieces of the texts that most replies are. */
const cannedPieces: ReadonlyMap<string, readonly string[]> = new Map(
  [standard, ...cannedTable.map(row => row.text)].map(text => [text, pieces(text)]),
)

/** Cuts before the earliest stop sequence, then to the token limit. */
function limited(text: string, request: NeutralRequest): Said {
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
  const all = cannedPieces.get(cut) ?? pieces(cut)
  if (request.maxTokens !== undefined && all.length > request.maxTokens) {
    const kept = all.slice(0, request.maxTokens)
    return saidText(kept.join(''), kept, 'length')
  }
  // A limit of 0 says nothing, and that is never the natural end.
  if (request.maxTokens === 0) return saidText('', [], 'length')
  return saidText(cut, all, stopSequence === null ? 'stop' : 'stop_sequence', stopSequence)
}

function saidText(
  text: string,
  textPieces: readonly string[],
  finish: Finish,
  stopSequence: string | null = null,
): Said {
  return { text, pieces: textPieces, calls: [], finish, stopSequence }
}

function saidCall(call: Call): Said {
  return { text: '', pieces: [], calls: [call], finish: 'tool_calls', stopSequence: null }
}

function callOf(request: NeutralRequest, turn: Turn, name: string, args: object, isText: boolean): Call {
  const id = digest('call', request.model, turn.prompt, turn.index).slice(0, idDigits)
  if (isText) {
    const text = textOfArguments(args)
    return { id, name, args: text, json: text, jsonPieces: pieces(text), isText }
  }
  const json = JSON.stringify(args)
  return { id, name, args, json, jsonPieces: pieces(json) }
}

/** What a tool that takes text is called with: the argument `input`, else all arguments as JSON. */
function textOfArguments(args: object): string {
  const { input } = args as { input?: unknown }
  return typeof input === 'string' ? input : JSON.stringify(args)
}

const textSchema = { type: 'object', properties: { input: { type: 'string' } } }

function argumentsFor(tool: Tool, userText: string): object {
  const value = fromSchema(tool.input === undefined ? tool.schema : textSchema, userText)
  return isRecord(value) ? value : {}
}

/** What the model "thinks", when it was asked to show that; cut to the budget. */
function reasoningText(request: NeutralRequest, userText: string, mode: Mode): string {
  if (request.reasoning === undefined) return ''
  const text = `The user said: "${userText.slice(0, quotedCharacters)}". I will answer in ${mode} mode.`
  const { budget } = request.reasoning
  return budget !== undefined && budget > 0 ? pieces(text).slice(0, budget).join('') : text
}
