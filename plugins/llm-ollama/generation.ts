/** `POST /api/chat` and `POST /api/generate`: a JSON line per token, or one JSON object. */
import type {
  Call,
  ChatResult,
  Choice,
  Engine,
  Finish,
  LlmRoute,
  RenderContext,
  StreamEvent,
  StreamShapes,
  UsageMode,
  WireEvent,
} from '../llm/types.ts'
import { describePost } from './describe.ts'
import { parseChat, parseGenerate, type OllamaParsed } from './request.ts'
import { OLLAMA_CHAT } from './validation.ts'

const isLast = ({ data }: WireEvent): boolean => data?.done === true

/** The last line has both the end and the finish reason. */
const lineShapes: StreamShapes = {
  isEnd: isLast,
  isFinish: isLast,
  usage: { modes: ['none'], rewrite: withoutUsage },
}

export const finishReasons: Record<Finish, string> = {
  stop: 'stop',
  stop_sequence: 'stop',
  length: 'length',
  tool_calls: 'stop',
  content_filter: 'stop',
  prompt_filter: 'stop',
}

/** Renders the content of a line in the format of its route. */
type ContentRenderer = (text: string, more?: { thinking?: string; calls?: readonly Call[] }) => object

const messageContent: ContentRenderer = (content, { thinking, calls = [] } = {}) => ({
  message: {
    role: 'assistant',
    content,
    ...(thinking === undefined ? {} : { thinking }),
    ...(calls.length === 0
      ? {}
      : {
          tool_calls: calls.map((call, index) => ({
            id: call.givenId ?? `call_${call.id}`,
            function: { index, name: call.name, arguments: call.args },
          })),
        }),
  },
})

const responseContent: ContentRenderer = (response, { thinking } = {}) => ({
  response,
  ...(thinking === undefined ? {} : { thinking }),
})

const contextOfGenerate = { context: [] }

export function chat(engine: Engine): LlmRoute<OllamaParsed> {
  const messages = [{ role: 'user', content: 'hello' }]
  const chatting = route(
    '/api/chat',
    'chat',
    [
      { name: 'Whole', body: { model: 'llama3.2', stream: false, messages } },
      { name: 'Stream', body: { model: 'llama3.2', messages } },
    ],
    input => parseChat(engine, input),
    messageContent,
    {},
  )
  return { ...chatting, validation: OLLAMA_CHAT }
}

export function generate(engine: Engine): LlmRoute<OllamaParsed> {
  const generating = route(
    '/api/generate',
    'generate text',
    [{ name: 'Whole', body: { model: 'llama3.2', stream: false, prompt: 'hello' } }],
    input => parseGenerate(engine, input),
    responseContent,
    contextOfGenerate,
  )
  return { ...generating, operation: 'text_completion' }
}

function route(
  path: string,
  summary: string,
  examples: { name: string; body: object }[],
  parse: LlmRoute<OllamaParsed>['parse'],
  contentOf: ContentRenderer,
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
      body: { ...head(parsed, context), ...whole(result, contentOf), ...tail(result, parsed), ...atEnd },
    }),
    shapes: lineShapes,
    stream: (result, parsed, context) => lines(result, parsed, context, contentOf, atEnd),
  }
}

function head(parsed: OllamaParsed, context: RenderContext): object {
  return { model: parsed.model, created_at: new Date(context.nowMs).toISOString() }
}

function whole(result: ChatResult, contentOf: ContentRenderer): object {
  const choice = result.choices[0] as Choice
  return contentOf(choice.text, {
    calls: choice.calls,
    ...(choice.reasoning === '' ? {} : { thinking: choice.reasoning }),
  })
}

const nanosecondsPerToken = 10_000_000
const loadDuration = 1_000_000

/** Durations in nanoseconds; assumes 10 ms per token. */
function tail({ promptTokens, completionTokens, choices }: ChatResult, { wire }: OllamaParsed): object {
  const promptDuration = promptTokens * nanosecondsPerToken
  const duration = completionTokens * nanosecondsPerToken
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
  contentOf: ContentRenderer,
  atEnd: object,
): Iterable<StreamEvent> {
  const choice = result.choices[0] as Choice
  const line = (content: object, paced: boolean | number): StreamEvent => ({
    data: { ...head(parsed, context), ...content, done: false },
    paced,
  })
  for (const thinking of choice.reasoningPieces) yield line(contentOf('', { thinking }), true)
  for (const piece of choice.pieces) yield line(contentOf(piece), true)
  if (choice.calls.length > 0)
    yield line(
      contentOf('', { calls: choice.calls }),
      choice.calls.reduce((sum, call) => sum + call.jsonPieces.length, 0),
    )
  yield { data: { ...head(parsed, context), ...contentOf(''), ...tail(result, parsed), ...atEnd } }
}

function* withoutUsage(events: Iterable<WireEvent>, _mode: UsageMode): Iterable<WireEvent> {
  for (const item of events) {
    if (isLast(item)) {
      delete item.data?.prompt_eval_count
      delete item.data?.eval_count
    }
    yield item
  }
}
