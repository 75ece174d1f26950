/** `POST /completions`, with and without streaming. */
import type {
  ChatParsed,
  ChatResult,
  Choice,
  Engine,
  LlmRoute,
  NeutralRequest,
  Pieces,
  RenderContext,
  RouteInput,
  StreamEvent,
  Tokenizer,
} from '../../llm/types.ts'
import { clamp } from '../format/parameters.ts'
import { contextError } from '../format/context-error.ts'
import { describePost } from '../format/describe.ts'
import { JsonList } from 'svc/toolkit'
import { logprobOf, takeLogprobs } from './logprobs.ts'

interface CompletionWire {
  prompts: string[]
  /** Number of choices per prompt. */
  n: number
  echo: boolean
  suffix: string
  includeUsage: boolean
  /** Number of alternatives; null: no log probabilities. */
  logprobs: number | null
}
type Parsed = ChatParsed<CompletionWire>

const maxPrompts = 64
const maxStops = 4
const maxLogprobs = 5
const noPrompt = '<|endoftext|>'

export function completions(engine: Engine): LlmRoute<Parsed> {
  return {
    method: 'POST',
    path: '/completions',
    op: 'chat',
    operation: 'text_completion',
    describe: describePost('/completions', 'create a text completion', [
      { name: 'One prompt', body: { model: 'svc-gpt', prompt: 'hello', max_tokens: 16 } },
      { name: 'Log probabilities', body: { model: 'svc-gpt', prompt: 'hello', max_tokens: 4, logprobs: 2 } },
    ]),
    framing: 'sse',
    parse: input => parse(engine, input),
    contextError,
    withReply: parsed => ({ ...parsed, wire: { ...parsed.wire, logprobs: null } }),
    render(result, parsed, context) {
      pay(engine, result, parsed, context)
      return {
        body: {
          ...headOf(engine, parsed, context),
          choices: result.choices.map(choice => ({
            text: completeText(choice, parsed.wire),
            index: choice.index,
            logprobs: completeLogprobs(engine, choice, parsed.wire),
            finish_reason: context.finishReasons[choice.finish],
          })),
          usage: usageOf(result),
        },
      }
    },
    shapes: { ...engine.openAiShapes, hasRole: false },
    stream(result, parsed, context) {
      pay(engine, result, parsed, context)
      return streamReply(engine, result, parsed, context)
    },
  }
}

function parse(engine: Engine, input: RouteInput): Parsed {
  const { json } = engine
  const body = input.json()
  const model = json.textOf(body.model) ?? input.defaultModel ?? 'svc-gpt'
  const prompts = readPrompts(engine, input.tokenizerOf?.(model) ?? engine.tokenizer, body.prompt)
  const n = clamp(body.n, 1, input.limits.choices)
  const maxTokens = json.countOf(body.max_tokens)
  const requestOf = (text: string): NeutralRequest => ({
    model,
    system: [],
    messages: [{ role: 'user', parts: [{ type: 'text', text }] }],
    tools: [],
    toolChoice: 'none',
    format: { type: 'none' },
    stop: json.stopsOf(body.stop, maxStops),
    n,
    ...(maxTokens === undefined ? {} : { maxTokens }),
  })
  const [first, ...also] = prompts.map(({ text }) => requestOf(text))
  return {
    op: 'chat',
    model,
    stream: body.stream === true,
    request: first ?? requestOf(noPrompt),
    also,
    promptTokens: prompts.reduce((sum, prompt) => sum + prompt.tokens, 0),
    wire: {
      prompts: prompts.map(({ seen }) => seen),
      n,
      echo: body.echo === true,
      suffix: json.textOf(body.suffix) ?? '',
      includeUsage: json.own(body.stream_options, 'include_usage') === true,
      logprobs: typeof body.logprobs === 'number' ? clamp(body.logprobs, 0, maxLogprobs) : null,
    },
  }
}

/** A string, a list of strings, token ids, or lists of token ids. */
/** `seen`: what the model sees of the text. */
function readPrompts(
  engine: Engine,
  tokenizer: Tokenizer,
  given: unknown,
): { text: string; seen: string; tokens: number }[] {
  const invalid = (message: string): Error => engine.badInput(message, { param: 'prompt', code: 'invalid_value' })
  const isTokens = (value: unknown): value is number[] =>
    Array.isArray(value) && value.length > 0 && value.every(item => typeof item === 'number')
  const list: unknown[] = given == null ? [noPrompt] : isTokens(given) || !Array.isArray(given) ? [given] : given
  if (list.length === 0) throw invalid("Invalid 'prompt': empty array.")
  if (list.length > maxPrompts)
    throw invalid(`Invalid 'prompt': expected at most ${maxPrompts} prompts, received ${list.length}.`)
  return list.map(prompt => {
    if (typeof prompt === 'string') {
      const seen = engine.withoutDirectives(prompt)
      return { text: prompt, seen, tokens: tokenizer.count(seen) }
    }
    if (isTokens(prompt)) return { text: prompt.join(' '), seen: prompt.join(' '), tokens: prompt.length }
    throw invalid("Invalid type for 'prompt': expected a string, a list of strings, or token ids.")
  })
}

function headOf(engine: Engine, parsed: Parsed, context: RenderContext): object {
  return {
    id: `cmpl-${engine.randomId(29)}`,
    object: 'text_completion',
    created: context.created,
    model: parsed.model,
    system_fingerprint: 'fp_svc',
  }
}

function usageOf({ promptTokens, completionTokens }: ChatResult): object {
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
  }
}

function echoOf(choice: Choice, wire: CompletionWire): string {
  return wire.echo ? (wire.prompts[Math.floor(choice.index / wire.n)] ?? '') : ''
}

/** A reply that a filter withheld: not even the prompt is echoed. */
function isFiltered({ finish, text }: Choice): boolean {
  return finish === 'content_filter' && text === ''
}

function completeText(choice: Choice, wire: CompletionWire): string {
  return isFiltered(choice) ? '' : echoOf(choice, wire) + choice.text + wire.suffix
}

/** `"a",0,{},0,` */
const LOGPROB_BYTES = 12

/** Takes what a choice has besides the reply: the echoed prompt, the suffix and log probabilities. */
function pay(engine: Engine, { choices }: ChatResult, { wire }: Parsed, { output }: RenderContext): void {
  if (!wire.echo && wire.suffix === '' && wire.logprobs === null) return
  for (const choice of choices) {
    const echo = isFiltered(choice) ? '' : echoOf(choice, wire)
    output.take(echo.length + wire.suffix.length)
    if (wire.logprobs === null) continue
    const tokens = choice.pieces.length + engine.count(echo)
    takeLogprobs(output, { tokens, alternatives: wire.logprobs, bytes: LOGPROB_BYTES })
  }
}

interface Logprobs {
  tokens: Iterable<string>
  token_logprobs: Iterable<number | null>
  top_logprobs: Iterable<Record<string, number> | null>
  text_offset: Iterable<number>
}

/** Tokens that start at an offset in the text. */
interface Run {
  pieces: Pieces
  offset: number
  isPrompt: boolean
}

/** Log probabilities of tokens. The first token of an echoed prompt has none, since no token precedes it. */
function logprobsOf(engine: Engine, runs: readonly Run[], alternatives: number): Logprobs {
  const listOf = <T>(value: (piece: string, at: number, isFirst: boolean) => T): JsonList<T> =>
    new JsonList(function* () {
      for (const { pieces, offset, isPrompt } of runs) {
        let at = offset
        for (const piece of pieces) {
          yield value(piece, at, isPrompt && at === 0)
          at += piece.length
        }
      }
    })
  return {
    tokens: listOf(piece => piece),
    token_logprobs: listOf((piece, _at, isFirst) => (isFirst ? null : logprobOf(engine, piece, 0).logprob)),
    top_logprobs: listOf((piece, _at, isFirst) =>
      isFirst
        ? null
        : Object.fromEntries(
            logprobOf(engine, piece, alternatives + 1).top_logprobs.map(entry => [entry.token, entry.logprob]),
          ),
    ),
    text_offset: listOf((_piece, at) => at),
  }
}

/** Log probabilities of an echoed prompt and of the reply. */
function completeLogprobs(engine: Engine, choice: Choice, wire: CompletionWire): Logprobs | null {
  if (wire.logprobs === null) return null
  const echo = isFiltered(choice) ? '' : echoOf(choice, wire)
  const prompt = { pieces: engine.split(echo), offset: 0, isPrompt: true }
  const reply = { pieces: choice.pieces, offset: echo.length, isPrompt: false }
  return logprobsOf(engine, [prompt, reply], wire.logprobs)
}

function* streamReply(
  engine: Engine,
  result: ChatResult,
  parsed: Parsed,
  context: RenderContext,
): Iterable<StreamEvent> {
  const { wire } = parsed
  const head = headOf(engine, parsed, context)
  const usage = wire.includeUsage ? { usage: null } : {}
  const chunk = (choice: Choice, text: string, finish: string | null, logprobs: Logprobs | null = null): object => ({
    ...head,
    choices: [{ text, index: choice.index, logprobs, finish_reason: finish }],
    ...usage,
  })
  for (const choice of result.choices) {
    const echo = isFiltered(choice) ? '' : echoOf(choice, wire)
    const alternatives = wire.logprobs
    if (echo !== '')
      yield {
        data: chunk(
          choice,
          echo,
          null,
          alternatives === null
            ? null
            : logprobsOf(engine, [{ pieces: engine.split(echo), offset: 0, isPrompt: true }], alternatives),
        ),
      }
    let offset = echo.length
    for (const piece of choice.pieces) {
      yield {
        data: chunk(
          choice,
          piece,
          null,
          alternatives === null
            ? null
            : logprobsOf(engine, [{ pieces: [piece], offset, isPrompt: false }], alternatives),
        ),
        paced: true,
      }
      offset += piece.length
    }
    if (!isFiltered(choice) && wire.suffix !== '') yield { data: chunk(choice, wire.suffix, null) }
    yield { data: chunk(choice, '', context.finishReasons[choice.finish]) }
  }
  if (wire.includeUsage) yield { data: { ...head, choices: [], usage: usageOf(result) } }
  yield { data: '[DONE]' }
}
