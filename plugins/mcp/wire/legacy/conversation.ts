/** Communication with the client of a call in a session. */
import type { Call, Conversation } from '../../servers/call.ts'
import { ToolFailure } from '../../errors.ts'
import type { Hub } from '../../sessions/hub.ts'
import { notificationText } from '../../protocol/json-rpc.ts'
import { CAPABILITY, type ClientCapabilities, isSupported, questionParams, SUBJECT } from '../../protocol/questions.ts'
import type { InFlight, Session } from '../../sessions/session.ts'
import type { Answers, JsonObject, ListName, LogLevel, Question } from '../../types.ts'
import type { ResponseChannel } from './response-channel.ts'

export class SessionConversation implements Conversation {
  readonly #hub: Hub
  readonly #session: Session
  readonly #inFlight: InFlight
  readonly #channel: ResponseChannel

  constructor(hub: Hub, session: Session, inFlight: InFlight, channel: ResponseChannel) {
    this.#hub = hub
    this.#session = session
    this.#inFlight = inFlight
    this.#channel = channel
  }

  get session(): string {
    return this.#session.id
  }
  get transport(): 'streamable-http' | 'http+sse' {
    return this.#session.record.transport
  }
  get logLevel(): LogLevel | null {
    return this.#session.record.logLevel
  }
  get clientCapabilities(): ClientCapabilities {
    return this.#session.clientCapabilities
  }
  /** Extensions have no effect in sessions: tasks exist only in the stateless revision. */
  get extensions(): ReadonlySet<string> {
    return new Set()
  }
  get principal(): string {
    return this.#session.record.principal ?? 'everybody'
  }
  get task(): null {
    return null
  }
  get signal(): AbortSignal {
    return this.#inFlight.signal
  }

  notify(method: string, params: JsonObject): void {
    this.#channel.write(notificationText(method, params))
  }

  /** Sessions have no rounds: the handler waits for the answer. */
  resume(): void {}

  async ask(questions: Record<string, Question>, call: Call): Promise<Answers> {
    const answers = await Promise.all(
      Object.entries(questions).map(async ([key, question]) => [key, await this.#askOne(question, call)] as const),
    )
    return Object.fromEntries(answers)
  }

  startTask(): never {
    throw new ToolFailure('Tasks need revision 2026-07-28')
  }

  closeStream(): void {
    this.#channel.closeConnection()
  }

  announce(list: ListName): void {
    this.#hub.listChanged(this.#session.record.server, list)
  }

  #askOne({ method, params }: Question, { version }: Call): Promise<JsonObject> {
    if (!isSupported(method, version, this.clientCapabilities))
      throw new ToolFailure(
        `${SUBJECT[method]} failed: the client did not declare the capability ${CAPABILITY[method]}`,
      )
    if (!this.#channel.isStream)
      throw new ToolFailure(`${SUBJECT[method]} failed: the client does not accept event streams`)
    return this.#session.questions.ask(method, questionParams({ method, params }, version), this.signal, text =>
      this.#channel.write(text),
    )
  }
}
