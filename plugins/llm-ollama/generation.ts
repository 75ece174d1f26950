/** `POST /api/chat` and `POST /api/generate`: one line of JSON for every token, or one object. */
import type { Call, ChatResult, Choice, Engine, Finish, LlmRoute, RenderContext, StreamEvent } from '../llm/types.ts'
import { describePost } from './describe.ts'
import { parseChat, parseGenerate, type OllamaParsed } from './request.ts'

export const finishReasons: Record<Finish, string> = {
  stop: 'stop',
  stop_sequence: 'stop',
  length: 'length',
  tool_calls: 'stop',
  content_filter: 'stop',
  prompt_filter: 'stop',
}

/** What a line says, in the words of its route. */
type Say = (text: string, more?: { thinking?: string; calls?: readonly Call[] }) => object

const sayMessage: Say = (content, { thinking, calls = [] } = {}) => ({
  message: {
    role: 'assistant',
    content,
    ...(thinking === undefined ? {} : { thinking }),
    ...(calls.length === 0
      ? {}
      : { tool_calls: calls.map(call => ({ function: { name: call.name, arguments: call.args } })) }),
  },
})

const sayResponse: Say = (response, { thinking } = {}) => ({
  response,
  ...(thinking === undefined ? {} : { thinking }),
})

const contextOfGenerate = { context: [] }

export function chat(engine: Engine): LlmRoute<OllamaParsed> {
  const messages = [{ role: 'user', content: 'hello' }]
  return route(
    '/api/chat',
    'chat',
    [
      { name: 'Whole', body: { model: 'llama3.2', stream: false, messages } },
      { name: 'Stream', body: { model: 'llama3.2', messages } },
    ],
    input => parseChat(engine, input),
    sayMessage,
    {},
  )
}

export function generate(engine: Engine): LlmRoute<OllamaParsed> {
  return route(
    '/api/generate',
    'generate',
    [{ name: 'Whole', body: { model: 'llama3.2', stream: false, prompt: 'hello' } }],
    input => parseGenerate(engine, input),
    sayResponse,
    contextOfGenerate,
  )
}

function route(
  path: string,
  summary: string,
  examples: { name: string; body: object }[],
  parse: LlmRoute<OllamaParsed>['parse'],
  say: Say,
  atEnd: object,
): LlmRoute<OllamaParsed> {
  return {
    method: 'POST',
    path,
    op: 'chat',
    describe: describePost(path, summary, examples),
    framing: 'ndjson',
    parse,
    render: (result, parsed, context) => ({
      body: { ...head(parsed, context), ...whole(result, say), ...tail(result, parsed), ...atEnd },
    }),
    stream: (result, parsed, context) => lines(result, parsed, context, say, atEnd),
  }
}

function head(parsed: OllamaParsed, context: RenderContext): object {
  return { model: parsed.model, created_at: new Date(context.nowMs).toISOString() }
}

function whole(result: ChatResult, say: Say): object {
  const choice = result.choices[0] as Choice
  return say(choice.text, { calls: choice.calls, ...(choice.reasoning === '' ? {} : { thinking: choice.reasoning }) })
}

const nanosecondsAToken = 10_000_000
const loadDuration = 1_000_000

/** Durations in nanoseconds, as if every token took 10 ms. */
function tail({ promptTokens, completionTokens, choices }: ChatResult, { wire }: OllamaParsed): object {
  const promptDuration = promptTokens * nanosecondsAToken
  const duration = completionTokens * nanosecondsAToken
  return {
    done: true,
    done_reason: wire.isLoad ? 'load' : finishReasons[(choices[0] as Choice).finish],
    total_duration: loadDuration + promptDuration + duration,
    load_duration: loadDuration,
    prompt_eval_count: promptTokens,
    prompt_eval_duration: promptDuration,
    eval_count: completionTokens,
    eval_duration: duration,
  }
}

function* lines(
  result: ChatResult,
  parsed: OllamaParsed,
  context: RenderContext,
  say: Say,
  atEnd: object,
): Iterable<StreamEvent> {
  const choice = result.choices[0] as Choice
  const line = (said: object, paced: boolean | number): StreamEvent => ({
    data: { ...head(parsed, context), ...said, done: false },
    paced,
  })
  for (const thinking of choice.reasoningPieces) yield line(say('', { thinking }), true)
  for (const piece of choice.pieces) yield line(say(piece), true)
  if (choice.calls.length > 0)
    yield line(
      say('', { calls: choice.calls }),
      choice.calls.reduce((sum, call) => sum + call.jsonPieces.length, 0),
    )
  yield { data: { ...head(parsed, context), ...say(''), ...tail(result, parsed), ...atEnd } }
}
