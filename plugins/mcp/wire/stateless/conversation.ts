/** Communication with the client of a stateless call: the response, which becomes a stream if other messages come first. */
import type { SseStream } from 'svc/plugin'
import type { Call, Conversation } from '../../servers/call.ts'
import type { HttpExchange } from '../../http/exchange.ts'
import { notificationText } from '../../protocol/json-rpc.ts'
import type { ClientCapabilities } from '../../protocol/questions.ts'
import { principalOf } from '../../access/principal.ts'
import { ownerOf } from '../../tasks/methods.ts'
import { StartedTask, startTask } from '../../tasks/start.ts'
import type { Answers, CallContext, JsonObject, ListName, LogLevel, Question, ToolResult } from '../../types.ts'
import type { Envelope } from './envelope.ts'
import { Rounds } from './rounds.ts'

export class StatelessConversation implements Conversation {
  readonly session = null
  readonly transport = 'streamable-http'
  readonly logLevel: LogLevel | null
  readonly clientCapabilities: ClientCapabilities
  readonly extensions: ReadonlySet<string>
  readonly task = null
  readonly #exchange: HttpExchange
  #stream: SseStream | null = null
  #rounds: Rounds | null = null

  constructor(exchange: HttpExchange, envelope: Envelope) {
    this.#exchange = exchange
    this.logLevel = envelope.logLevel
    this.clientCapabilities = envelope.clientCapabilities
    this.extensions = envelope.extensions
  }

  get principal(): string {
    return principalOf(this.#exchange)
  }

  /** The client cancels by disconnecting. */
  get signal(): AbortSignal {
    return this.#exchange.mcp.svc.http.signal(this.#exchange.request)
  }

  notify(method: string, params: JsonObject): void {
    this.openStream()?.send({ event: 'message', data: notificationText(method, params) })
  }

  resume(call: Call): Promise<void> | void {
    const bringsAnswers = call.params.requestState !== undefined || call.params.inputResponses !== undefined
    if (bringsAnswers) return this.#readRounds(call)
  }

  async ask(questions: Record<string, Question>, call: Call): Promise<Answers> {
    if (!this.#rounds) await this.#readRounds(call)
    return this.#rounds!.ask(questions, call)
  }

  async startTask(
    call: Call,
    run: (context: CallContext) => ToolResult | Promise<ToolResult>,
    mayComplete: boolean,
  ): Promise<ToolResult> {
    const { hub, tasks, logOf } = this.#exchange.mcp
    const { server } = call
    const task = await tasks.open(ownerOf(call))
    const result = await startTask(call, task, run, {
      mayComplete,
      announce: list => hub.listChanged(server.name, list),
      log: error =>
        logOf({ server: server.name, method: call.method, params: call.params }).error('MCP task failed', {
          server: server.name,
          task: task.id,
          error,
        }),
    })
    if (result) return result
    await tasks.publish(task)
    return new StartedTask(task)
  }

  closeStream(): void {}

  announce(list: ListName): void {
    this.#exchange.mcp.hub.listChanged(this.#exchange.server.name, list)
  }

  /** Null if the client does not accept event streams; notifications are dropped. */
  openStream(): SseStream | null {
    if (!this.#exchange.accepts.sse) return null
    this.#stream ??= this.#exchange.openStream()
    return this.#stream
  }

  /** Sends the response, on the stream if it is open or if the client does not accept JSON. */
  finish(status: number, text: string, headers?: Record<string, string>): void {
    const stream = this.#stream ?? (status === 200 && !this.#exchange.accepts.json ? this.openStream() : null)
    if (!stream) return this.#exchange.sendJson(status, text, headers)
    stream.send({ event: 'message', data: text })
    stream.end()
  }

  async #readRounds(call: Call): Promise<void> {
    this.#rounds = new Rounds(call, await this.#exchange.mcp.svc.secret('rounds'))
  }
}
