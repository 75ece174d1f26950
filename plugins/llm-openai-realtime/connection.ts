/** A realtime socket: reads the events of the client and sends those of the server. */
import { isTextNestedWithin } from 'svc/toolkit'
import type { ChatResult, Engine, LimitState, LlmRoute, LlmSocket, SpeechHeaders, StreamEvent } from '../llm/types.ts'
import { invalidValue, string } from './checks.ts'
import { Conversation, type Entry } from './conversation.ts'
import { IdleTimeout } from './idle-timeout.ts'
import { InputAudio } from './input-audio.ts'
import { newItemId, readItem, type RealtimeItem } from './items.ts'
import { rateLimitsOf } from './rate-limits.ts'
import { checkMembers } from './response-params.ts'
import { createdEvent, type ResponseParsed, type ResponseSetting } from './response-route.ts'
import { RunningResponse, type EndReason } from './running-response.ts'
import { audioFormat, showSession, updateSession, type Session, type TurnDetection } from './session.ts'

export interface ConnectionOptions extends SpeechHeaders {
  engine: Engine
  socket: LlmSocket
  route: LlmRoute<ResponseParsed>
  session: Session
}

type ClientEvent = Record<string, unknown>

interface Handler {
  members: readonly string[]
  act(event: ClientEvent, eventId: string | null): void
}

interface Problem {
  type?: string | null
  code?: string | null
  message: string
  param?: string | null
}

const SILENCE_MS = 500
const MAX_EVENT_ID = 200
const MAX_DEPTH = 100

export class RealtimeConnection {
  readonly #engine: Engine
  readonly #socket: LlmSocket
  readonly #route: LlmRoute<ResponseParsed>
  readonly #spokenText: string | null
  readonly #sound: SpeechHeaders['sound']
  readonly #conversation: Conversation
  readonly #audio: InputAudio
  readonly #shown: { id: string; expiresAt: number }
  #session: Session
  #sessionBytes = 0
  readonly #idle: IdleTimeout
  #running: RunningResponse | null = null
  /** A reply with audio was sent: the voice cannot change any more. */
  #hasSpoken = false
  /** The item that was truncated while it was spoken. */
  #truncated: string | null = null
  /** The item that the speech in the buffer becomes. */
  #spokenItem: string | null = null

  constructor({ engine, socket, route, session, spokenText, sound }: ConnectionOptions) {
    this.#engine = engine
    this.#socket = socket
    this.#route = route
    this.#session = session
    this.#spokenText = spokenText
    this.#sound = sound
    this.#conversation = new Conversation(engine, socket)
    this.#audio = new InputAudio(engine, audioFormat(session.audio.input.format))
    this.#idle = new IdleTimeout(socket, {
      audioMs: () => Math.round(this.#audio.totalMs),
      reached: fromMs => this.#idleReached(fromMs),
    })
    this.#shown = {
      id: `sess_${engine.randomId(24)}`,
      expiresAt: Math.floor((Date.now() + socket.lifetimeMs) / 1000),
    }
  }

  begin(): void {
    const socket = this.#socket
    socket.after(socket.lifetimeMs, () => {
      this.#refuse(null, {
        code: 'session_expired',
        message: 'The session has reached its maximum duration. Open a new connection to continue.',
      })
      socket.close(1000, 'session expired')
    })
    socket.onText(text => this.#receive(text))
    this.#keepSession(this.#session)
    this.#send({ type: 'session.created', session: showSession(this.#session, this.#shown) })
  }

  #receive(text: string): void {
    const event = parsed(text)
    if (event === null)
      return this.#refuse(null, { code: 'invalid_json', message: 'The message is not a JSON object.' })
    const id = typeof event.event_id === 'string' ? event.event_id.slice(0, MAX_EVENT_ID) : null
    this.#guarded(id, () => this.#handle(event, id))
  }

  #guarded(eventId: string | null, act: () => void): void {
    try {
      act()
    } catch (error) {
      const { code, details, message } = error as { code?: unknown; details?: Problem; message: string }
      if (code !== 'SVC_LLM_BAD_INPUT') throw error
      this.#refuse(eventId, { ...details, message })
    }
  }

  #handle(event: ClientEvent, eventId: string | null): void {
    const engine = this.#engine
    const handler = typeof event.type === 'string' ? this.#handlers.get(event.type) : undefined
    if (handler === undefined) throw invalidValue(engine, 'type', `one of ${[...this.#handlers.keys()].join(', ')}`)
    checkMembers(engine, event, handler.members)
    handler.act(event, eventId)
  }

  /** Known members and effects of the events, by their types. */
  readonly #handlers = new Map<string, Handler>([
    ['session.update', { members: ['session'], act: event => this.#update(event) }],
    ['conversation.item.create', { members: ['item', 'previous_item_id'], act: event => this.#createItem(event) }],
    ['conversation.item.retrieve', { members: ['item_id'], act: event => this.#retrieveItem(event) }],
    ['conversation.item.delete', { members: ['item_id'], act: event => this.#deleteItem(event) }],
    [
      'conversation.item.truncate',
      { members: ['item_id', 'content_index', 'audio_end_ms'], act: event => this.#truncate(event) },
    ],
    ['input_audio_buffer.append', { members: ['audio'], act: (event, id) => this.#append(event, id) }],
    ['input_audio_buffer.commit', { members: [], act: () => this.#commitAll() }],
    ['input_audio_buffer.clear', { members: [], act: () => this.#clear() }],
    ['response.create', { members: ['response'], act: (event, id) => this.#createResponse(event.response ?? {}, id) }],
    ['response.cancel', { members: ['response_id'], act: event => this.#cancel(event) }],
  ])

  #update({ session }: ClientEvent): void {
    const next = updateSession(this.#engine, this.#session, session, {
      isOpen: true,
      hasSpoken: this.#hasSpoken,
    })
    if (!this.#keepSession(next))
      throw this.#engine.badInput('The session is too large.', { param: 'session', code: 'session_too_large' })
    this.#session = next
    this.#audio.use(audioFormat(next.audio.input.format))
    this.#send({ type: 'session.updated', session: showSession(next, this.#shown) })
  }

  #keepSession(session: Session): boolean {
    const bytes = 2 * JSON.stringify(session).length
    if (!this.#socket.keep(bytes - this.#sessionBytes)) return false
    this.#sessionBytes = bytes
    return true
  }

  #createItem({ item: given, previous_item_id: after }: ClientEvent): void {
    const engine = this.#engine
    const { item, audio } = readItem(engine, given, 'item')
    if (after != null) string(engine, after, 'previous_item_id')
    if (typeof after === 'string' && after !== 'root' && this.#conversation.find(after) === undefined)
      throw this.#notFound('previous_item_id', after)
    if (this.#conversation.find(item.id) !== undefined)
      throw engine.badInput(`An item with the id '${item.id}' already exists.`, {
        param: 'item.id',
        code: 'item_already_exists',
      })
    this.#addItem({ item, ...this.#spokenIn(audio) }, typeof after === 'string' ? after : undefined)
  }

  /** Adds a complete item and sends its events. */
  #addItem(entry: Entry, after?: string): void {
    const previous = this.#conversation.add(entry, after)
    this.#send({ type: 'conversation.item.added', previous_item_id: previous, item: entry.item })
    this.#send({ type: 'conversation.item.done', previous_item_id: previous, item: entry.item })
  }

  #spokenIn(sounds: readonly string[]): Pick<Entry, 'audioMs' | 'spokenText'> {
    const format = audioFormat(this.#session.audio.input.format)
    const ms = sounds.reduce(
      (sum, sound) => sum + this.#engine.audio.durationMs(format, Buffer.byteLength(sound, 'base64')),
      0,
    )
    return this.#spokenFor(Math.round(ms))
  }

  #spokenFor(audioMs: number): Pick<Entry, 'audioMs' | 'spokenText'> {
    return { audioMs, spokenText: this.#spokenText ?? `Spoken input of ${audioMs} ms.` }
  }

  #entryOf({ item_id: id }: ClientEvent): Entry {
    string(this.#engine, id, 'item_id')
    const entry = this.#conversation.find(id as string)
    if (entry === undefined) throw this.#notFound('item_id', id as string)
    return entry
  }

  #notFound(param: string, id: string): Error {
    return this.#engine.badInput(`Item with item_id not found: '${id.slice(0, 100)}'`, {
      param,
      code: 'item_not_found',
    })
  }

  #retrieveItem(event: ClientEvent): void {
    this.#send({ type: 'conversation.item.retrieved', item: this.#entryOf(event).item })
  }

  #deleteItem(event: ClientEvent): void {
    const { id } = this.#entryOf(event).item
    this.#conversation.remove(id)
    this.#send({ type: 'conversation.item.deleted', item_id: id })
  }

  #truncate(event: ClientEvent): void {
    const engine = this.#engine
    const { item } = this.#entryOf(event)
    const { content_index: index, audio_end_ms: end } = event
    const content = engine.json.listOf(item.content)
    if (item.role !== 'assistant') throw invalidValue(engine, 'item_id', 'a message of the assistant')
    const isSpeaking = item.status === 'in_progress' && index === 0
    if (typeof index !== 'number' || (!isSpeaking && engine.json.own(content[index], 'type') !== 'output_audio'))
      throw invalidValue(engine, 'content_index', 'the index of a part with audio')
    if (typeof end !== 'number' || !(end >= 0)) throw invalidValue(engine, 'audio_end_ms', 'a time in milliseconds')
    if (isSpeaking) this.#truncated = item.id
    else this.#conversation.replace(withoutSpeech(item, index))
    this.#send({ type: 'conversation.item.truncated', item_id: item.id, content_index: index, audio_end_ms: end })
  }

  #append({ audio }: ClientEvent, eventId: string | null): void {
    const engine = this.#engine
    string(engine, audio, 'audio')
    if (!/^[A-Za-z0-9+/]*={0,2}$/.test(audio as string)) throw invalidValue(engine, 'audio', 'base64')
    const detection = this.#session.audio.input.turn_detection
    const silenceMs = detection?.silence_duration_ms ?? SILENCE_MS
    const changes = this.#audio.append(Buffer.from(audio as string, 'base64'), silenceMs)
    if (detection === null) return
    for (const { kind, atMs } of changes)
      if (kind === 'started') this.#speechStarted(atMs, detection)
      else this.#speechStopped(atMs, detection, eventId)
  }

  #speechStarted(atMs: number, detection: TurnDetection): void {
    const startMs = Math.max(0, atMs - (detection.prefix_padding_ms ?? 0))
    this.#audio.dropBefore(startMs)
    this.#idle.stop()
    this.#spokenItem = newItemId(this.#engine)
    this.#send({ type: 'input_audio_buffer.speech_started', audio_start_ms: startMs, item_id: this.#spokenItem })
    if (detection.interrupt_response === true) this.#end('turn_detected')
  }

  #speechStopped(atMs: number, detection: TurnDetection, eventId: string | null): void {
    const id = this.#spokenItem ?? newItemId(this.#engine)
    this.#spokenItem = null
    this.#send({ type: 'input_audio_buffer.speech_stopped', audio_end_ms: atMs, item_id: id })
    this.#commit(id, this.#audio.take(atMs))
    if (detection.create_response === true && this.#session.type === 'realtime')
      this.#guarded(eventId, () => this.#createResponse({}, eventId))
  }

  /** Nobody has answered: the silence becomes an item, and the model speaks again. */
  #idleReached(fromMs: number): void {
    if (this.#idleMs() === null || this.#running !== null) return
    const id = newItemId(this.#engine)
    const at = { audio_start_ms: fromMs, audio_end_ms: Math.round(this.#audio.totalMs), item_id: id }
    this.#send({ type: 'input_audio_buffer.timeout_triggered', ...at })
    this.#commit(id, this.#audio.take())
    this.#guarded(null, () => this.#createResponse({}, null))
  }

  /** Null: silence after a response has no effect. */
  #idleMs(): number | null {
    const detection = this.#session.audio.input.turn_detection
    return detection?.type === 'server_vad' ? (detection.idle_timeout_ms ?? null) : null
  }

  #commitAll(): void {
    if (this.#audio.isTooShort)
      throw this.#engine.badInput(
        `Error committing input audio buffer: buffer too small. Expected at least 100ms of audio, but buffer only has ${this.#audio.bufferedMs}ms of audio.`,
        { code: 'input_audio_buffer_commit_empty' },
      )
    const id = this.#spokenItem ?? newItemId(this.#engine)
    this.#spokenItem = null
    const ms = this.#audio.bufferedMs
    this.#idle.stop()
    this.#audio.clear()
    this.#commit(id, ms)
  }

  #clear(): void {
    this.#audio.clear()
    this.#spokenItem = null
    this.#send({ type: 'input_audio_buffer.cleared' })
  }

  /** The audio becomes a message of the user. */
  #commit(id: string, audioMs: number): void {
    const { spokenText } = this.#spokenFor(audioMs)
    const isTranscribed = this.#session.audio.input.transcription !== null
    const item: RealtimeItem = {
      id,
      object: 'realtime.item',
      type: 'message',
      status: 'completed',
      role: 'user',
      content: [{ type: 'input_audio', transcript: null }],
    }
    this.#send({ type: 'input_audio_buffer.committed', previous_item_id: this.#conversation.lastId, item_id: id })
    this.#addItem({ item, audioMs, spokenText })
    if (!isTranscribed) return
    const at = { item_id: id, content_index: 0 }
    for (const delta of this.#engine.pieces(spokenText))
      this.#send({ type: 'conversation.item.input_audio_transcription.delta', ...at, delta })
    const usage = { type: 'duration', seconds: audioMs / 1000 }
    this.#send({ type: 'conversation.item.input_audio_transcription.completed', ...at, transcript: spokenText, usage })
    this.#conversation.replace({ ...item, content: [{ type: 'input_audio', transcript: spokenText }] })
  }

  #cancel({ response_id: id }: ClientEvent): void {
    if (this.#running === null || (id != null && id !== this.#running.id))
      throw this.#engine.badInput('Cancellation failed: no active response found', {
        code: 'response_cancel_not_active',
      })
    this.#end('client_cancelled')
  }

  #end(reason: EndReason): void {
    this.#running?.cancel(reason)
  }

  #createResponse(response: unknown, eventId: string | null): void {
    if (this.#session.type !== 'realtime')
      throw this.#engine.badInput('A transcription session has no responses.', { param: 'type', code: 'invalid_value' })
    if (this.#running !== null)
      throw this.#engine.badInput(
        'Conversation already has an active response in progress. Wait until the response is finished before creating a new one.',
        { code: 'conversation_already_has_active_response' },
      )
    // The parameters are kept until the response has ended.
    const bytes = 2 * JSON.stringify(response).length
    if (!this.#socket.keep(bytes))
      throw this.#engine.badInput('The response has too much input.', { param: 'response', code: 'item_too_large' })
    const running = new RunningResponse()
    this.#running = running
    this.#idle.stop()
    void this.#respond(running, response, eventId).finally(() => this.#socket.keep(-bytes))
  }

  async #respond(running: RunningResponse, response: unknown, eventId: string | null): Promise<void> {
    const socket = this.#socket
    const send = (event: StreamEvent): void => this.#sendOf(running, event)
    const outcome = await socket.run(
      socket.target,
      { type: 'response.create', response },
      { route: this.#route, data: this.#setting(), signal: running.signal, send },
    )
    this.#hasSpoken ||= running.hasSpoken
    if (outcome.kind === 'error') {
      this.#running = null
      const { error } = outcome.body as { error: Problem }
      return this.#refuse(eventId, error)
    }
    const parsed = outcome.parsed as ResponseParsed
    const result = outcome.result as ChatResult
    if (!running.hasBegun) send(createdEvent(parsed.wire))
    if (!outcome.isWhole)
      for (const event of running.closing(parsed.wire.params.output_modalities.includes('audio'))) send(event)
    this.#running = null
    this.#send({ type: 'response.done', response: running.finished(parsed, result, outcome.isWhole) })
    this.#sendLimits(outcome.limits, result)
    const idleMs = this.#idleMs()
    if (idleMs !== null && this.#spokenItem === null) this.#idle.start(running.spokenMs, idleMs)
  }

  #setting(): ResponseSetting {
    const conversation = this.#conversation
    return {
      session: this.#session,
      conversationId: conversation.id,
      entries: [...conversation.entries],
      spokenIn: sounds => this.#spokenIn(sounds),
      sound: this.#sound,
    }
  }

  /** Sends an event of a response; items of the conversation are added to it. */
  #sendOf(running: RunningResponse, event: StreamEvent): void {
    running.note(event)
    const { type, item, ...rest } = event.data as { type: string; item?: RealtimeItem; error?: object }
    if (type === 'error') return this.#refuse(null, rest.error as Problem)
    if (type === 'conversation.item.added') {
      const entry = { item: item!, audioMs: 0, spokenText: '' }
      return this.#send({ type, previous_item_id: this.#conversation.add(entry), item })
    }
    if (type === 'conversation.item.done')
      this.#conversation.replace(item!.id === this.#truncated ? withoutSpeech(item!, 0) : item!)
    this.#send(event.data as object)
  }

  #sendLimits(limits: LimitState | null, result: ChatResult): void {
    const tokens = result.promptTokens + result.completionTokens
    this.#send({ type: 'rate_limits.updated', rate_limits: rateLimitsOf(limits, tokens, Date.now()) })
  }

  #refuse(eventId: string | null, { type, code = null, message, param = null }: Problem): void {
    const error = { type: type ?? 'invalid_request_error', code, message, param, event_id: eventId }
    this.#send({ type: 'error', error })
  }

  #send(event: object): void {
    const { type, ...rest } = event as { type: string }
    this.#socket.send({ type, event_id: `event_${this.#engine.randomId(24)}`, ...rest })
  }
}

/** What was not played is no longer known. */
function withoutSpeech(item: RealtimeItem, index: number): RealtimeItem {
  const parts = Array.isArray(item.content) ? (item.content as { type?: unknown }[]) : []
  const content = parts.map((part, place) =>
    place === index && part.type === 'output_audio' ? { type: 'output_audio', transcript: '' } : part,
  )
  return { ...item, content }
}

function parsed(text: string): ClientEvent | null {
  if (!isTextNestedWithin(text, MAX_DEPTH)) return null
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as ClientEvent) : null
  } catch {
    return null
  }
}
