/** A live socket: reads the messages of the client and sends those of the model. */
import { isRecord, isTextNestedWithin } from 'svc/toolkit'
import type { ChatResult, LlmRoute, LlmSocket, SocketError, SpeechHeaders, StreamEvent } from '../llm/types.ts'
import { fieldOf, readFields, type Fields } from './fields.ts'
import { History } from './history.ts'
import { InputAudio } from './input-audio.ts'
import { readSetup, type Setup } from './setup.ts'
import type { LiveServices } from './socket-route.ts'
import { callOf, usageOf, type TurnParsed, type TurnSetting } from './turn-route.ts'

export interface LiveOptions extends LiveServices, SpeechHeaders {
  socket: LlmSocket
  route: LlmRoute<TurnParsed>
  owner: { provider: string; session: string }
}

const MESSAGES = ['setup', 'clientContent', 'realtimeInput', 'toolResponse']
const INPUTS = ['text', 'audio', 'video', 'mediaChunks', 'activityStart', 'activityEnd', 'audioStreamEnd']
const MAX_DEPTH = 100
const MAX_LIFETIME_MS = 600_000
const WARNING_MS = 60_000
/** Messages that arrive before a session has been resumed. */
const MAX_EARLY = 100
/** RFC 6455, 5.5. */
const MAX_REASON_BYTES = 123
const INVALID = 1007
const FAILED = 1011

export class LiveConnection {
  readonly #options: LiveOptions
  readonly #socket: LlmSocket
  readonly #history: History
  readonly #audio: InputAudio
  #setup: Setup | null = null
  #isReady = false
  readonly #early: { message: Fields; bytes: number }[] = []
  /** Stops the running turn. */
  #running: AbortController | null = null
  /** Another turn follows the running one. */
  #isNextDue = false
  #handle: string | null = null

  constructor(options: LiveOptions) {
    this.#options = options
    this.#socket = options.socket
    this.#history = new History(options.socket)
    this.#audio = new InputAudio(options.engine)
  }

  begin(): void {
    const socket = this.#socket
    const lifetimeMs = Math.min(MAX_LIFETIME_MS, socket.lifetimeMs / 2)
    const warningMs = Math.min(WARNING_MS, lifetimeMs / 2)
    socket.after(lifetimeMs - warningMs, () => socket.send({ goAway: { timeLeft: `${warningMs / 1000}s` } }))
    socket.after(lifetimeMs, () => socket.close(1000, 'The session has reached its maximum duration.'))
    socket.onMessage(message => this.#guarded(() => this.#receive(message.toString())))
  }

  #guarded(act: () => void): void {
    try {
      act()
    } catch (error) {
      if ((error as { code?: unknown }).code !== 'SVC_LLM_BAD_INPUT') throw error
      this.#close(INVALID, (error as Error).message)
    }
  }

  #close(code: number, message: string): void {
    this.#running?.abort()
    const bytes = Buffer.from(message)
    // A reason that is cut within a character would not be valid UTF-8.
    this.#socket.close(
      code,
      bytes
        .subarray(0, MAX_REASON_BYTES)
        .toString()
        .replace(/\uFFFD$/, ''),
    )
  }

  /** Closes for what would be an error over HTTP. */
  #closeFor({ status, body }: SocketError): void {
    const { error } = body as { error: { message: string } }
    this.#close(status < 500 && status !== 429 ? INVALID : FAILED, error.message)
  }

  #receive(text: string): void {
    const { engine } = this.#options
    const message = readFields(engine, parsed(text), '', MESSAGES)
    const [name, more] = Object.keys(message)
    if (name === undefined || more !== undefined)
      throw engine.badInput('A message has exactly one of setup, clientContent, realtimeInput and toolResponse.')
    if (this.#setup === null) {
      if (name !== 'setup') throw engine.badInput('The first message has to be a setup.')
      const refused = isRecord(message.setup) ? this.#socket.check(message.setup) : null
      if (refused !== null) return this.#closeFor(refused)
      this.#setup = readSetup(engine, message.setup)
      void this.#open(this.#setup)
    } else if (name === 'setup') throw engine.badInput('setup must only be sent once.')
    else if (this.#isReady) this.#take(message)
    else this.#wait(message, 2 * text.length)
  }

  /** Keeps a message until the session has been resumed. */
  #wait(message: Fields, bytes: number): void {
    if (this.#early.length === MAX_EARLY || !this.#socket.keep(bytes))
      throw this.#options.engine.badInput('Too many messages before setupComplete.')
    this.#early.push({ message, bytes })
  }

  async #open(setup: Setup): Promise<void> {
    const { engine, handles, owner } = this.#options
    const socket = this.#socket
    if (!socket.keep(2 * JSON.stringify(setup).length)) return this.#close(INVALID, 'The setup is too large.')
    if (setup.handle !== null) {
      const turns = await handles.get(setup.handle, owner).catch(() => undefined)
      if (turns === undefined) return this.#close(FAILED, 'The session cannot be read at the moment.')
      if (turns === null) return this.#close(INVALID, 'The session to resume was not found.')
      for (const turn of turns) this.#history.add(turn)
      this.#handle = setup.handle
    }
    this.#isReady = true
    socket.send({ setupComplete: { sessionId: engine.randomId(32) } })
    for (const { message, bytes } of this.#early.splice(0)) {
      socket.keep(-bytes)
      this.#guarded(() => this.#take(message))
    }
  }

  #take({ clientContent, realtimeInput, toolResponse }: Fields): void {
    if (clientContent !== undefined) this.#takeContent(clientContent)
    else if (realtimeInput !== undefined) this.#takeInput(realtimeInput)
    else this.#takeResults(toolResponse)
  }

  #takeContent(given: unknown): void {
    const { engine } = this.#options
    const { turns, turnComplete } = readFields(engine, given, 'client_content', ['turns', 'turnComplete'])
    this.#interrupt()
    for (const content of engine.json.listOf(turns)) this.#add(content, 0)
    if (turnComplete === true) this.#answer()
  }

  #takeInput(given: unknown): void {
    const { engine } = this.#options
    const input = readFields(engine, given, 'realtime_input', INPUTS)
    const { text, audio } = input
    if (text !== undefined) {
      if (typeof text !== 'string') throw engine.badInput('realtime_input.text: expected a text.')
      this.#interrupt()
      this.#add({ role: 'user', parts: [{ text }] }, 0)
      this.#answer()
    }
    if (input.activityStart !== undefined) this.#interrupt()
    for (const sound of [...(audio === undefined ? [] : [audio]), ...engine.json.listOf(input.mediaChunks)])
      this.#takeAudio(sound)
    if (input.activityEnd !== undefined || input.audioStreamEnd === true) this.#endAudio()
  }

  #takeAudio(sound: unknown): void {
    const { engine } = this.#options
    const data = engine.json.own(sound, 'data')
    const mimeType = fieldOf(engine, sound, 'mimeType')
    if (typeof data !== 'string' || typeof mimeType !== 'string')
      throw engine.badInput('realtime_input.audio: expected data in base64 and a mimeType.')
    // Images and video are not looked at.
    if (!mimeType.startsWith('audio/')) return
    if (!mimeType.startsWith('audio/pcm'))
      throw engine.badInput(`Unsupported media type ${mimeType.slice(0, 60)}: expected audio/pcm.`)
    if (!/^[A-Za-z0-9+/_-]*={0,2}$/.test(data)) throw engine.badInput('realtime_input.audio.data: expected base64.')
    this.#audio.append(Buffer.from(data, 'base64'), mimeType, this.#setup!.silenceMs, kind => {
      if (kind === 'started') this.#interrupt()
      else this.#endAudio()
    })
  }

  /** The audio so far becomes a turn of the user. */
  #endAudio(): void {
    const audioMs = this.#audio.take()
    if (audioMs === 0) return
    const text = this.#options.spokenText ?? `Spoken input of ${audioMs} ms.`
    if (this.#setup!.transcribesInput) this.#socket.send({ serverContent: { inputTranscription: { text } } })
    this.#add({ role: 'user', parts: [{ text }] }, audioMs)
    this.#answer()
  }

  #takeResults(given: unknown): void {
    const { engine } = this.#options
    const { functionResponses } = readFields(engine, given, 'tool_response', ['functionResponses'])
    const responses = engine.json.listOf(functionResponses)
    if (responses.length === 0) throw engine.badInput('tool_response.function_responses: expected a list.')
    this.#add({ role: 'user', parts: responses.map(functionResponse => ({ functionResponse })) }, 0)
    this.#answer()
  }

  #add(content: unknown, audioMs: number): void {
    const { engine } = this.#options
    const isAdded = this.#history.add({ content: engine.json.objectOf(content), audioMs })
    if (!isAdded) throw engine.badInput('The content exceeds what a session can hold.')
  }

  /** Input while the model speaks: the rest of the turn is not sent. */
  #interrupt(): void {
    if (this.#running === null || !this.#setup!.interrupts) return
    this.#running.abort()
  }

  #answer(): void {
    if (this.#running === null) void this.#speak()
    else this.#isNextDue = true
  }

  /** Turns of the model, one after the other. */
  async #speak(): Promise<void> {
    do {
      this.#isNextDue = false
      const running = new AbortController()
      this.#running = running
      await this.#turn(running)
      this.#running = null
    } while (this.#isNextDue && !this.#socket.isClosed)
  }

  async #turn(running: AbortController): Promise<void> {
    const { route, sound } = this.#options
    const socket = this.#socket
    const setup = this.#setup!
    const { turns } = this.#history
    const setting: TurnSetting = { setup, turns, sound }
    let sent = 0
    const outcome = await socket.run(
      socket.target,
      { ...setup.request, contents: turns.map(({ content }) => content) },
      {
        route,
        data: setting,
        signal: running.signal,
        send: (event: StreamEvent) => {
          if (event.paced === true) sent += 1
          socket.send(event.data as object)
        },
      },
    )
    if (outcome.kind === 'error') return this.#closeFor(outcome)
    if (socket.isClosed) return
    const result = outcome.result as ChatResult
    // A fault has broken the turn.
    if (!outcome.isWhole && !running.signal.aborted) return this.#close(FAILED, 'Internal error encountered.')
    if (!outcome.isWhole) socket.send({ serverContent: { interrupted: true } })
    this.#remember(result, outcome.isWhole ? null : sent)
    const usageMetadata = usageOf(result, outcome.isWhole ? null : sent)
    socket.send({ serverContent: { turnComplete: true }, usageMetadata })
    if (setup.isResumable) await this.#sendHandle()
  }

  /** The turn becomes a part of the conversation, as far as it was sent. */
  #remember(result: ChatResult, sent: number | null): void {
    const [choice] = result.choices
    const text = sent === null ? choice!.text : this.#options.engine.textOfFirst(choice!.pieces, sent)
    const calls = sent === null ? choice!.calls : []
    const parts = [...(text === '' ? [] : [{ text }]), ...calls.map(call => ({ functionCall: callOf(call) }))]
    if (parts.length > 0) this.#history.add({ content: { role: 'model', parts }, audioMs: 0 })
  }

  async #sendHandle(): Promise<void> {
    const { engine, handles, owner } = this.#options
    const earlier = this.#handle
    const newHandle = engine.randomId(48)
    try {
      await handles.put(newHandle, owner, this.#history.turns)
      if (earlier !== null) await handles.delete(earlier, owner)
    } catch {
      // Without a store the session goes on, but cannot be resumed.
      return this.#socket.send({ sessionResumptionUpdate: { resumable: false } })
    }
    this.#handle = newHandle
    this.#socket.send({ sessionResumptionUpdate: { newHandle, resumable: true } })
  }
}

function parsed(text: string): unknown {
  if (!isTextNestedWithin(text, MAX_DEPTH)) return null
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
