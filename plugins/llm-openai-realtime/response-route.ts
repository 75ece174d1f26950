/** The generation of a realtime response: a request of its own, and the events of its reply. */
import type { ChatParsed, Choice, Engine, Finish, LlmRoute, Pieces, RouteInput, StreamEvent } from '../llm/types.ts'
import type { OpenAiWire } from '../llm-openai/types.ts'
import { credentials } from './credentials.ts'
import { newItemId, readItem, readItems, type RealtimeItem } from './items.ts'
import { BYTES_PER_CHARACTER, type Entry, type StoredEntry } from './conversation.ts'
import { readParams, type ResponseParams } from './response-params.ts'
import { audioFormat, type Session } from './session.ts'

/** What the socket knows when it asks for a response. */
export interface ResponseSetting {
  session: Session
  conversationId: string
  entries: readonly StoredEntry[]
  spokenIn(sounds: readonly string[]): Pick<Entry, 'audioMs' | 'spokenText'>
  sound: 'silence' | 'tone'
}

export interface ResponseWire {
  id: string
  params: ResponseParams
  conversationId: string | null
  sound: 'silence' | 'tone'
}
export type ResponseParsed = ChatParsed<ResponseWire>

/** A piece of text is spoken in this time. */
export const PIECE_MS = 80
const OUTPUT_TOKEN_MS = 50
const INPUT_TOKEN_MS = 100
const SPOKEN_TOKENS = PIECE_MS / OUTPUT_TOKEN_MS

export const finishReasons: Record<Finish, string> = {
  stop: 'completed',
  stop_sequence: 'completed',
  length: 'max_output_tokens',
  tool_calls: 'completed',
  content_filter: 'content_filter',
  prompt_filter: 'content_filter',
}

export function responseRoute(engine: Engine, wire: OpenAiWire): LlmRoute<ResponseParsed> {
  return {
    method: 'POST',
    path: '/realtime',
    op: 'chat',
    describe: { summary: 'a response on a socket', examples: [] },
    credentials,
    replyMembers: ['heard'],
    finishReasons,
    parse(input) {
      const setting = input.socketData as ResponseSetting
      const params = readParams(engine, input.json().response ?? {}, setting.session)
      return parse(engine, wire, params, { setting, input })
    },
    render: () => ({ body: {} }),
    stream: (result, parsed) => responseEvents(engine, result.choices[0]!, parsed.wire),
    streamError: ({ message }) => ({
      data: { type: 'error', error: { type: 'server_error', code: 'server_error', message, param: null } },
    }),
  }
}

function parse(
  engine: Engine,
  wire: OpenAiWire,
  params: ResponseParams,
  { setting, input }: { setting: ResponseSetting; input: RouteInput },
): ResponseParsed {
  // What comes from the conversation is taken before it is joined.
  const take = (entry: StoredEntry): Entry => {
    engine.takeHistory(input.output(), entry.bytes / BYTES_PER_CHARACTER)
    return entry
  }
  const entries =
    params.input === undefined ? setting.entries.map(take) : givenEntries(engine, params.input, setting, take)
  const { system, messages } = readItems(engine, entries)
  const isSpoken = params.output_modalities.includes('audio')
  const inputMs = entries.reduce((sum, { audioMs }) => sum + audioMs, 0)
  return {
    op: 'chat',
    model: setting.session.model,
    stream: true,
    request: {
      model: setting.session.model,
      system: params.instructions === '' ? system : [params.instructions, ...system],
      messages,
      ...wire.readTooling(engine, { tools: params.tools, choice: params.tool_choice, isNested: false }),
      format: { type: 'none' },
      stop: [],
      n: 1,
      ...limitOf(params, isSpoken),
    },
    audio: { input: Math.ceil(inputMs / INPUT_TOKEN_MS), perToken: isSpoken ? SPOKEN_TOKENS : 0 },
    wire: {
      id: `resp_${engine.randomId(24)}`,
      params,
      conversationId: params.conversation === 'none' ? null : setting.conversationId,
      sound: setting.sound,
    },
  }
}

/** The limit counts text and sound. */
function limitOf({ max_output_tokens: limit }: ResponseParams, isSpoken: boolean): { maxTokens?: number } {
  if (limit === 'inf') return {}
  return { maxTokens: isSpoken ? Math.max(1, Math.floor(limit / (1 + SPOKEN_TOKENS))) : limit }
}

function givenEntries(
  engine: Engine,
  input: readonly unknown[],
  { entries, spokenIn }: ResponseSetting,
  take: (entry: StoredEntry) => Entry,
): Entry[] {
  const known = new Map(entries.map(entry => [entry.item.id, entry]))
  return input.map((given, index) => {
    const at = `response.input[${index}]`
    const id = engine.json.own(given, 'id')
    if (engine.json.own(given, 'type') !== 'item_reference') {
      const { item, audio } = readItem(engine, given, at)
      return { item, ...spokenIn(audio) }
    }
    const found = typeof id === 'string' ? known.get(id) : undefined
    if (found !== undefined) return take(found)
    throw engine.badInput(`Item with item_id not found: '${String(id).slice(0, 100)}'`, {
      param: `${at}.id`,
      code: 'item_not_found',
    })
  })
}

/** The response as it begins. */
export function pendingResponse({ id, params, conversationId }: ResponseWire): Record<string, unknown> {
  return {
    object: 'realtime.response',
    id,
    status: 'in_progress',
    status_details: null,
    output: [],
    conversation_id: conversationId,
    output_modalities: params.output_modalities,
    max_output_tokens: params.max_output_tokens,
    audio: params.audio,
    usage: null,
    metadata: params.metadata,
  }
}

export function createdEvent(wire: ResponseWire): StreamEvent {
  return { data: { type: 'response.created', response: pendingResponse(wire) } }
}

/** All events but the last one, which has the usage. */
function* responseEvents(engine: Engine, choice: Choice, wire: ResponseWire): Iterable<StreamEvent> {
  yield createdEvent(wire)
  let index = 0
  const parts = [
    ...(choice.text === '' && choice.calls.length > 0 ? [] : [messageEvents]),
    ...choice.calls.map(
      call => (place: Place) =>
        callEvents(engine, place, {
          name: call.name,
          json: call.json,
          pieces: call.jsonPieces,
          id: call.givenId ?? `call_${call.id}`,
        }),
    ),
  ]
  if (choice.callsFirst === true && parts.length > choice.calls.length) parts.push(parts.shift()!)
  for (const part of parts) yield* part({ wire, choice, engine, index: index++ })
}

interface Place {
  wire: ResponseWire
  choice: Choice
  engine: Engine
  index: number
}

function* itemEvents(
  { wire, index }: Pick<Place, 'wire' | 'index'>,
  item: RealtimeItem,
  done: object,
  inside: (at: { response_id: string; item_id: string; output_index: number }) => Iterable<StreamEvent>,
): Iterable<StreamEvent> {
  const at = { response_id: wire.id, output_index: index }
  const isKept = wire.conversationId !== null
  yield { data: { type: 'response.output_item.added', ...at, item } }
  if (isKept) yield { data: { type: 'conversation.item.added', item } }
  yield* inside({ ...at, item_id: item.id })
  const completed = { ...item, ...done, status: 'completed' }
  yield { data: { type: 'response.output_item.done', ...at, item: completed } }
  if (isKept) yield { data: { type: 'conversation.item.done', item: completed } }
}

function messageEvents({ wire, choice, engine, index }: Place): Iterable<StreamEvent> {
  const isSpoken = wire.params.output_modalities.includes('audio')
  const item: RealtimeItem = {
    id: newItemId(engine),
    object: 'realtime.item',
    type: 'message',
    status: 'in_progress',
    role: 'assistant',
    content: [],
  }
  return itemEvents({ wire, index }, item, { content: [messageContent(isSpoken, choice.text)] }, function* (place) {
    const at = { ...place, content_index: 0 }
    yield { data: { type: 'response.content_part.added', ...at, part: messagePart(isSpoken, '') } }
    yield* isSpoken ? spokenPieces(engine, wire, choice, at) : writtenPieces(choice, at)
    yield* closingPieces(isSpoken, at, choice.text)
  })
}

/** The content of a message in an item, and in events of parts. */
export function messageContent(isSpoken: boolean, text: string): object {
  return isSpoken ? { type: 'output_audio', transcript: text } : { type: 'output_text', text }
}
function messagePart(isSpoken: boolean, text: string): object {
  return isSpoken ? { type: 'audio', transcript: text } : { type: 'text', text }
}

function* writtenPieces(choice: Choice, at: object): Iterable<StreamEvent> {
  for (const delta of choice.pieces) yield { data: { type: 'response.output_text.delta', ...at, delta }, paced: true }
}

function* spokenPieces(
  engine: Engine,
  { params, sound }: ResponseWire,
  choice: Choice,
  at: object,
): Iterable<StreamEvent> {
  const make = engine.audio.createSound(audioFormat(params.audio.output.format), sound)
  let place = 0
  for (const piece of choice.pieces) {
    yield { data: { type: 'response.output_audio_transcript.delta', ...at, delta: piece }, paced: true }
    const delta = make(place++ * PIECE_MS, PIECE_MS).toString('base64')
    yield { data: { type: 'response.output_audio.delta', ...at, delta } }
  }
}

/** The events at the end of a message, complete or not. */
export function* closingPieces(isSpoken: boolean, at: object, text: string): Iterable<StreamEvent> {
  if (isSpoken) {
    yield { data: { type: 'response.output_audio.done', ...at } }
    yield { data: { type: 'response.output_audio_transcript.done', ...at, transcript: text } }
  } else yield { data: { type: 'response.output_text.done', ...at, text } }
  yield { data: { type: 'response.content_part.done', ...at, part: messagePart(isSpoken, text) } }
}

function callEvents(
  engine: Engine,
  { wire, index }: Place,
  call: { id: string; name: string; json: string; pieces: Pieces },
): Iterable<StreamEvent> {
  const item: RealtimeItem = {
    id: newItemId(engine),
    object: 'realtime.item',
    type: 'function_call',
    status: 'in_progress',
    name: call.name,
    call_id: call.id,
    arguments: '',
  }
  return itemEvents({ wire, index }, item, { arguments: call.json }, function* (place) {
    const at = { ...place, call_id: call.id }
    for (const delta of call.pieces)
      yield { data: { type: 'response.function_call_arguments.delta', ...at, delta }, paced: true }
    yield {
      data: { type: 'response.function_call_arguments.done', ...at, name: call.name, arguments: call.json },
    }
  })
}
