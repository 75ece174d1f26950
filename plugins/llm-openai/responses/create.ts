/** `POST /responses`. */
import type {
  ChatResult,
  ErrorFacts,
  LlmRoute,
  OwnParsed,
  OwnResult,
  RenderContext,
  StreamEnding,
  StreamEvent,
  ChatParsed,
  ContextAnswer,
  ContextFacts,
} from '../../llm/types.ts'
import { describePost } from '../format/describe.ts'
import { locked, readContext, tooLong } from './context.ts'
import { NO_CONTEXT, parseResponses, type ResponsesParsed, type ResponsesWire } from './request.ts'
import { finishReasons, outputItems, replyOf, type Reply } from './response-object.ts'
import { responseAt, timedEvents } from './response-state.ts'
import type { StoredResponse } from './response-store.ts'
import type { ResponsesState } from './services.ts'
import { responseShapes } from './stream-shapes.ts'
import { CONTEXT_CODE } from '../format/context-error.ts'

/** A request that only prepares a continuation (`generate: false`). */
type Warmup = OwnParsed<ResponsesWire>
type CreateParsed = ResponsesParsed | Warmup

/** The bound that a conversation follows. */
const BOUND = 'SVC_BUDGET_OUTPUT_BYTES'
const NO_SECRET = Buffer.alloc(0)

export function createResponse(state: ResponsesState): LlmRoute<CreateParsed> {
  const { engine } = state
  const stored = new WeakMap<ResponsesWire, StoredResponse>()
  const locks = new WeakMap<ResponsesWire, () => Promise<void>>()
  /** Releases the conversation when the stream is over, which may be before its planned end. */
  const releasing =
    (wire: ResponsesWire): StreamEnding =>
    () =>
    () =>
      // The lock ends without it, only later.
      void locks
        .get(wire)?.()
        .catch(() => {})
  /** The response as it is stored; made once for each request. */
  const recordOf = (result: ChatResult | OwnResult, parsed: CreateParsed, context: RenderContext): StoredResponse => {
    const known = stored.get(parsed.wire)
    if (known !== undefined) return known
    const record = newRecord(state, parsed, result.op === 'chat' ? replyOf(result) : null, context)
    stored.set(parsed.wire, record)
    return record
  }
  return {
    method: 'POST',
    path: '/responses',
    op: 'chat',
    describe: describePost('/responses', 'create a response', [
      { name: 'Hello', body: { model: 'svc-gpt', input: 'hello' } },
      { name: 'Stream', body: { model: 'svc-gpt', input: 'hello', stream: true } },
      { name: 'In the background', body: { model: 'svc-gpt', input: 'hello', background: true } },
    ]),
    framing: 'sse',
    finishReasons,
    async parse(input) {
      const body = input.json()
      const isWarmup = input.socketData !== undefined && body.generate === false
      const [context, secret] = await Promise.all([
        readContext(state, input, body, { isInputOptional: input.socketData !== undefined }),
        state.secret(),
      ])
      const parsed = parseResponses(engine, input, body, { context, secret })
      if (parsed.isBackground === true)
        return { ...parsed, ending: state.responses.endingOf(input, parsed.wire.head.id) }
      if (!isWarmup) return context.conversation === null ? parsed : { ...parsed, ending: releasing(parsed.wire) }
      const { model, wire } = parsed
      return { op: 'own', mode: 'warmup', model, stream: true, promptTokens: 0, completionTokens: 0, wire }
    },
    readOnly: input => parseResponses(engine, input, input.json(), { context: NO_CONTEXT, secret: NO_SECRET }),
    async keep(result, parsed, context) {
      const { wire } = parsed
      const record = recordOf(result, parsed, context)
      if (wire.context.conversation !== null) {
        const { conversation } = wire.context.conversation
        const items = [...wire.input, ...outputOf(state, record, wire.secret)]
        const appended = await state.conversations.append(conversation, items, endOf(record, parsed, context))
        if (appended.kind === 'too_large')
          throw tooLong(engine, `the conversation would have more than ${appended.limit} characters (${BOUND})`)
        if (appended.kind === 'changed') throw locked(engine)
        const { version } = appended
        if (parsed.stream === true && record.plan === null) {
          const release = (): Promise<void> => state.conversations.release(conversation, version)
          if (wire.socket === undefined) locks.set(wire, release)
          else wire.socket.lock(release)
        }
      }
      wire.socket?.remember(record)
      if (wire.isStored) await state.responses.put(record)
    },
    render(result, parsed, context) {
      const record = recordOf(result, parsed, context)
      return { body: responseAt(engine, record, parsed.wire.secret, record.plan?.beganAt ?? context.nowMs) }
    },
    contextError: responsesContextError,
    reportsCacheWrites: true,
    shapes: responseShapes(engine),
    stream: (result, parsed, context) => timedEvents(engine, recordOf(result, parsed, context), parsed.wire.secret),
    streamError,
  }
}

/** Clients read the members of the event or those of `error`. Its number is that of the event which it replaces. */
export function streamError({ message }: ErrorFacts, replaced: StreamEvent): StreamEvent {
  const problem = { code: 'server_error', message, param: null }
  const { sequence_number: next = 0 } = replaced.data as { sequence_number?: number }
  return {
    event: 'error',
    data: { type: 'error', ...problem, error: { type: 'server_error', ...problem }, sequence_number: next },
  }
}

function newRecord(
  { engine }: ResponsesState,
  { wire }: CreateParsed,
  reply: Reply | null,
  context: RenderContext,
): StoredResponse {
  return {
    provider: wire.provider,
    session: context.session,
    head: { ...wire.head, created: context.created },
    input: wire.input,
    previous: wire.context.previous,
    reply: reply && { ...reply, choice: engine.packChoice(reply.choice) },
    plan: wire.head.isBackground ? { beganAt: context.nowMs, ...context.plan() } : null,
    cancelledAt: null,
  }
}

/** The items of the complete reply. */
function outputOf({ engine }: ResponsesState, record: StoredResponse, secret: Buffer): ReturnType<typeof outputItems> {
  return record.reply === null ? [] : outputItems(engine, engine.wholeChoice(record.reply.choice), record.head, secret)
}

/** When the reply has been sent: until then, its conversation is locked. */
function endOf(record: StoredResponse, parsed: CreateParsed, context: RenderContext): number {
  if (record.plan === null && parsed.stream !== true) return 0
  const { ttftMs, gapMs } = context.plan()
  // The first token has no gap before it.
  return context.nowMs + ttftMs + gapMs * Math.max(0, (record.reply?.completionTokens ?? 0) - 1)
}

/** For a prompt that exceeds the context window. With `truncation: "auto"`, the oldest messages are dropped. */
function responsesContextError(
  { promptTokens: prompt, window, isShortened }: ContextFacts,
  { wire }: ChatParsed<ResponsesWire>,
): ContextAnswer {
  if (window === null || prompt <= window) return 'cut'
  if (wire.head.body.truncation === 'auto' && !isShortened) return 'drop'
  return {
    param: 'input',
    code: CONTEXT_CODE,
    message: 'Your input exceeds the context window of this model. Please adjust your input and try again.',
  }
}
