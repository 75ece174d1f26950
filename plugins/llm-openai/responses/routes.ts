/** The routes of stored responses: retrieve, delete, cancel, input items, and the number of input tokens. */
import type { CountParsed, HandlerRoute, LlmRoute, RouteInput } from '../../llm/types.ts'
import { describeGet, describeOther, describePost } from '../format/describe.ts'
import { readContext } from './context.ts'
import { streamError } from './create.ts'
import { pageOf } from '../format/page.ts'
import { neutralRequest } from './request.ts'
import { outputAt, responseAt, timedEvents } from './response-state.ts'
import type { StoredResponse } from './response-store.ts'
import type { ResponsesState } from './services.ts'

const UNKNOWN = `resp_${'0'.repeat(48)}`

export function retrieveResponse(state: ResponsesState): HandlerRoute {
  const { engine } = state
  return {
    method: 'GET',
    path: '/responses/{response_id}',
    op: 'other',
    describe: {
      ...describeGet(`/responses/${UNKNOWN}`, 'get a response', 'Unknown id', 404),
      parameters: [
        { name: 'stream', in: 'query', description: 'Send its events', schema: { type: 'boolean' } },
        {
          name: 'starting_after',
          in: 'query',
          description: 'Send only the events after this number',
          schema: { type: 'integer' },
        },
      ],
    },
    framing: 'sse',
    asksForStream,
    async handle(input) {
      const [stored, secret] = await Promise.all([state.find(input), state.secret()])
      if (!asksForStream(input.query)) {
        const shown = responseAt(engine, stored, secret, Date.now())
        input.output().takeJson(shown)
        return { body: shown }
      }
      const after = input.query.get('starting_after') ?? '-1'
      if (!/^-?\d{1,9}$/.test(after))
        throw engine.badInput("Invalid value for 'starting_after': expected an integer.", { param: 'starting_after' })
      const until = stored.cancelledAt ?? Infinity
      return {
        events: await engine.eventsAfter(() => timedEvents(engine, stored, secret), Number(after), until),
        ending: state.responses.endingOf(stored, stored.head.id),
      }
    },
    streamError,
  }
}

function asksForStream(query: URLSearchParams): boolean {
  return query.get('stream') === 'true'
}

export function deleteResponse(state: ResponsesState): HandlerRoute {
  return {
    method: 'DELETE',
    path: '/responses/{response_id}',
    op: 'other',
    describe: describeOther('DELETE', `/responses/${UNKNOWN}`, 'delete a response', 'Unknown id', 404),
    async handle(input) {
      const [stored, secret] = await Promise.all([state.find(input), state.secret()])
      const { head } = stored
      if (isOpen(state, stored, secret, Date.now())) await releaseConversation(state, input, stored)
      await state.responses.delete(stored, head.id)
      return { body: { id: head.id, object: 'response', deleted: true } }
    },
  }
}

export function cancelResponse(state: ResponsesState): HandlerRoute {
  const { engine, responses } = state
  return {
    method: 'POST',
    path: '/responses/{response_id}/cancel',
    op: 'other',
    describe: describeOther('POST', `/responses/${UNKNOWN}/cancel`, 'cancel a response', 'Unknown id', 404),
    async handle(input) {
      const [stored, secret] = await Promise.all([state.find(input), state.secret()])
      if (!stored.head.isBackground) throw engine.badInput('Cannot cancel a synchronous response.')
      const now = Date.now()
      const cancelled = isOpen(state, stored, secret, now)
        ? await responses.cancel(stored, stored.head.id, now)
        : undefined
      if (cancelled !== undefined) await releaseConversation(state, input, stored)
      return { body: responseAt(engine, cancelled ?? stored, secret, now) }
    },
  }
}

function isOpen({ engine }: ResponsesState, stored: StoredResponse, secret: Buffer, now: number): boolean {
  const { status } = outputAt(engine, stored, secret, now)
  return status === 'queued' || status === 'in_progress'
}

/** An open response has locked its conversation until its planned end. */
async function releaseConversation(
  { conversations }: ResponsesState,
  input: RouteInput,
  { head }: StoredResponse,
): Promise<void> {
  const locked = head.conversation === null ? undefined : await conversations.get(input, head.conversation)
  if (locked !== undefined) await conversations.release(locked, locked.version)
}

export function listInputItems(state: ResponsesState): HandlerRoute {
  return {
    method: 'GET',
    path: '/responses/{response_id}/input_items',
    op: 'other',
    describe: describeGet(`/responses/${UNKNOWN}/input_items`, 'list the input items of a response', 'Unknown id', 404),
    async handle(input) {
      const { input: items } = await state.find(input)
      const page = pageOf(state.engine, items, input.query, { limit: 20, max: 100 })
      input.output().takeJson(page)
      return { body: page }
    },
  }
}

export function countInput(state: ResponsesState): LlmRoute<CountParsed> {
  const { engine } = state
  return {
    method: 'POST',
    path: '/responses/input_tokens',
    op: 'count',
    describe: describePost('/responses/input_tokens', 'count the input tokens of a response', [
      { name: 'Hello', body: { model: 'svc-gpt', input: 'hello' } },
    ]),
    async parse(input) {
      const body = input.json()
      const [context, secret] = await Promise.all([
        readContext(state, input, body, { isInputOptional: true }),
        state.secret(),
      ])
      const request = neutralRequest(engine, input, body, { context, secret })
      return { op: 'count', model: request.model, request, wire: null }
    },
    render: ({ promptTokens }) => ({ body: { object: 'response.input_tokens', input_tokens: promptTokens } }),
  }
}
