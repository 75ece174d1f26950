/** `POST /v2/chat`, with and without streaming. */
import { randomUUID } from 'node:crypto'
import type { ChatParsed, ChatResult, Choice, Engine, Finish, LlmRoute, Pieces, StreamEvent } from '../llm/types.ts'
import { describePost } from './describe.ts'
import { parseChat } from './request.ts'
import { COHERE_CHAT } from './validation.ts'
import { chatShapes } from './stream-shapes.ts'

export const finishReasons: Record<Finish, string> = {
  stop: 'COMPLETE',
  stop_sequence: 'STOP_SEQUENCE',
  length: 'MAX_TOKENS',
  tool_calls: 'TOOL_CALL',
  content_filter: 'ERROR',
  prompt_filter: 'ERROR',
}

const hello = { model: 'svc-command', messages: [{ role: 'user', content: 'hello' }] }

export function chat(engine: Engine): LlmRoute<ChatParsed> {
  return {
    method: 'POST',
    path: '/v2/chat',
    op: 'chat',
    describe: describePost('/v2/chat', 'chat', [
      { name: 'Hello', body: hello },
      { name: 'Stream', body: { ...hello, stream: true } },
    ]),
    framing: 'sse',
    validation: COHERE_CHAT,
    parse: input => parseChat(engine, input),
    render: result => ({ body: replyOf(result) }),
    shapes: chatShapes,
    stream: result => events(engine, result),
    streamError: ({ message }) => ({
      event: 'message-end',
      data: { type: 'message-end', delta: { finish_reason: 'ERROR', error: message } },
    }),
  }
}

function usageOf({ promptTokens, completionTokens, cachedTokens }: ChatResult): object {
  const tokens = { input_tokens: promptTokens, output_tokens: completionTokens }
  return { billed_units: tokens, tokens, ...(cachedTokens === undefined ? {} : { cached_tokens: cachedTokens }) }
}

/** The text before tool calls; otherwise a plan, whose tokens are not counted. */
function planOf(choice: Choice): string {
  return choice.text !== '' ? choice.text : `I will use the ${choice.calls[0]?.name ?? ''} tool to answer.`
}

function replyOf(result: ChatResult): object {
  const choice = result.choices[0] as Choice
  const thinking = choice.reasoning === '' ? [] : [{ type: 'thinking', thinking: choice.reasoning }]
  const text = choice.finish === 'content_filter' && choice.text === '' ? [] : [{ type: 'text', text: choice.text }]
  const message =
    choice.calls.length === 0
      ? { role: 'assistant', content: [...thinking, ...text] }
      : {
          role: 'assistant',
          ...(thinking.length === 0 ? {} : { content: thinking }),
          tool_plan: planOf(choice),
          tool_calls: choice.calls.map(call => ({
            id: call.givenId ?? call.id,
            type: 'function',
            function: { name: call.name, arguments: call.json },
          })),
        }
  return { id: randomUUID(), finish_reason: finishReasons[choice.finish], message, usage: usageOf(result) }
}

type Emit = (type: string, fields: object, paced?: boolean) => StreamEvent

function* events(engine: Engine, result: ChatResult): Iterable<StreamEvent> {
  const choice = result.choices[0] as Choice
  const id = randomUUID()
  const emit: Emit = (type, fields, paced = false) => ({ event: type, data: { type, ...fields }, paced })
  yield emit('message-start', {
    id,
    delta: { message: { role: 'assistant', content: [], tool_plan: '', tool_calls: [], citations: [] } },
  })
  let index = 0
  if (choice.reasoning !== '') yield* content(index++, 'thinking', choice.reasoningPieces, emit)
  if (choice.calls.length > 0) yield* calls(engine, choice, emit)
  else if (choice.finish !== 'content_filter' || choice.text !== '') yield* content(index, 'text', choice.pieces, emit)
  yield emit('message-end', { id, delta: { finish_reason: finishReasons[choice.finish], usage: usageOf(result) } })
  yield { data: '[DONE]' }
}

function* content(index: number, type: 'text' | 'thinking', pieces: Pieces, emit: Emit): Iterable<StreamEvent> {
  yield emit('content-start', { index, delta: { message: { content: { type, [type]: '' } } } })
  for (const piece of pieces)
    yield emit('content-delta', { index, delta: { message: { content: { [type]: piece } } } }, true)
  yield emit('content-end', { index })
}

function* calls(engine: Engine, choice: Choice, emit: Emit): Iterable<StreamEvent> {
  for (const piece of choice.text === '' ? engine.pieces(planOf(choice)) : choice.pieces)
    yield emit('tool-plan-delta', { delta: { message: { tool_plan: piece } } })
  for (const [index, call] of choice.calls.entries()) {
    yield emit('tool-call-start', {
      index,
      delta: {
        message: {
          tool_calls: { id: call.givenId ?? call.id, type: 'function', function: { name: call.name, arguments: '' } },
        },
      },
    })
    for (const piece of call.jsonPieces)
      yield emit(
        'tool-call-delta',
        { index, delta: { message: { tool_calls: { function: { arguments: piece } } } } },
        true,
      )
    yield emit('tool-call-end', { index })
  }
}
