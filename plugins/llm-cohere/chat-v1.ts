/** `POST /v1/chat`, with and without streaming: the older API, with the last message separate from the history. */
import { randomUUID } from 'node:crypto'
import { jsonSerializer } from 'svc/toolkit'
import type { ChatParsed, ChatResult, Choice, Engine, Finish, LlmRoute, StreamEvent } from '../llm/types.ts'
import { describePost } from './describe.ts'
import { parseChatV1, type ChatV1Wire } from './request-v1.ts'
import { chatV1Shapes } from './stream-shapes.ts'

type Parsed = ChatParsed<ChatV1Wire>

const finishReasons: Record<Finish, string> = {
  stop: 'COMPLETE',
  stop_sequence: 'STOP_SEQUENCE',
  length: 'MAX_TOKENS',
  tool_calls: 'COMPLETE',
  content_filter: 'ERROR_TOXIC',
  prompt_filter: 'ERROR_TOXIC',
}

const hello = { model: 'svc-command', message: 'hello' }

export function chatV1(engine: Engine): LlmRoute<Parsed> {
  return {
    method: 'POST',
    path: '/v1/chat',
    op: 'chat',
    describe: describePost('/v1/chat', 'chat (v1)', [
      { name: 'Hello', body: hello },
      { name: 'Stream', body: { ...hello, stream: true } },
    ]),
    finishReasons,
    framingOf: ({ wire }) => (wire.isSse ? 'sse' : 'ndjson'),
    // The API's media type for JSON lines.
    streamHeaders: (_result, { wire }): Record<string, string> =>
      wire.isSse ? {} : { 'Content-Type': 'application/stream+json' },
    parse: input => parseChatV1(engine, input),
    render: (result, parsed) => ({ body: replyOf(result, parsed, randomUUID()) }),
    shapes: chatV1Shapes,
    stream: (result, parsed) => events(engine, result, parsed),
    streamError: ({ message }) => ({
      event: 'stream-end',
      data: { is_finished: true, event_type: 'stream-end', finish_reason: 'ERROR', error: message },
    }),
  }
}

/** The reply text, or before calls the plan, whose tokens are not counted. */
function textOf(choice: Choice): string {
  const [call] = choice.calls
  return call === undefined || choice.text !== '' ? choice.text : `I will use the ${call.name} tool to answer.`
}

function callsOf(choice: Choice): object[] {
  return choice.calls.map(call => ({ name: call.name, parameters: call.args }))
}

function replyOf(
  { choices, promptTokens, completionTokens }: ChatResult,
  { wire }: Parsed,
  generationId: string,
): object {
  const choice = choices[0] as Choice
  const tokens = { input_tokens: promptTokens, output_tokens: completionTokens }
  const text = textOf(choice)
  const calls = choice.calls.length === 0 ? {} : { tool_calls: callsOf(choice) }
  return {
    response_id: randomUUID(),
    text,
    generation_id: generationId,
    chat_history: [
      ...wire.history,
      ...(wire.message === '' ? [] : [{ role: 'USER', message: wire.message }]),
      { role: 'CHATBOT', message: text, ...calls },
    ],
    finish_reason: finishReasons[choice.finish],
    ...calls,
    meta: { api_version: { version: '1' }, billed_units: tokens, tokens },
  }
}

interface TextEvent {
  is_finished: false
  event_type: 'text-generation'
  text: string
}

/** Uses a compiled schema, since there is an event for every token. */
const writeText = jsonSerializer<TextEvent>({
  type: 'object',
  properties: { is_finished: { const: false }, event_type: { const: 'text-generation' }, text: { type: 'string' } },
  required: ['is_finished', 'event_type', 'text'],
})

function* events(engine: Engine, result: ChatResult, parsed: Parsed): Iterable<StreamEvent> {
  const choice = result.choices[0] as Choice
  const generationId = randomUUID()
  const emit = (type: string, fields: object, paced = false): StreamEvent => ({
    event: type,
    data: { is_finished: type === 'stream-end', event_type: type, ...fields },
    paced,
  })
  yield emit('stream-start', { generation_id: generationId })
  if (choice.calls.length > 0) {
    for (const piece of choice.text === '' ? engine.pieces(textOf(choice)) : choice.pieces)
      yield emit('tool-calls-chunk', { text: piece })
    for (const [index, call] of choice.calls.entries()) {
      yield emit('tool-calls-chunk', { tool_call_delta: { index, name: call.name } })
      for (const piece of call.jsonPieces)
        yield emit('tool-calls-chunk', { tool_call_delta: { index, parameters: piece } }, true)
    }
    yield emit('tool-calls-generation', { text: textOf(choice), tool_calls: callsOf(choice) })
  }
  for (const text of choice.calls.length > 0 ? [] : choice.pieces)
    yield {
      event: 'text-generation',
      data: writeText({ is_finished: false, event_type: 'text-generation', text }),
      paced: true,
    }
  // Streams have no finish reason for a stop sequence.
  yield emit('stream-end', {
    finish_reason: choice.finish === 'stop_sequence' ? finishReasons.stop : finishReasons[choice.finish],
    response: replyOf(result, parsed, generationId),
  })
}
