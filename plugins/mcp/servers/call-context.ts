/** Implements the public `CallContext` for a call. */
import { isRecord } from 'svc/toolkit'
import { type Call, LOG_LEVELS } from './call.ts'
import { Cancelled, RpcError } from '../errors.ts'
import { isSupported } from '../protocol/questions.ts'
import type {
  Answers,
  CallContext,
  CallHttp,
  JsonObject,
  ListName,
  LogLevel,
  Question,
  QuestionMethod,
  ToolResult,
} from '../types.ts'

export class HandlerContext implements CallContext {
  readonly #call: Call
  #lastProgress = Number.NEGATIVE_INFINITY

  constructor(call: Call) {
    this.#call = call
  }

  get version(): string {
    return this.#call.version.name
  }
  get server(): string {
    return this.#call.server.name
  }
  get transport(): 'streamable-http' | 'http+sse' {
    return this.#call.conversation.transport
  }
  get session(): string | null {
    return this.#call.conversation.session
  }
  get claims(): JsonObject | null {
    return this.#call.claims
  }
  get http(): CallHttp {
    return this.#call.http
  }
  get signal(): AbortSignal {
    return this.#call.conversation.signal
  }

  get task(): { id: string } | null {
    const { task } = this.#call.conversation
    return task && { id: task.id }
  }

  supports(method: QuestionMethod): boolean {
    return isSupported(method, this.#call.version, this.#call.conversation.clientCapabilities)
  }

  progress(progress: number, total?: number, message?: string): void {
    if (message !== undefined) this.status(message)
    const token = progressToken(this.#call.params)
    if (token === null || progress <= this.#lastProgress) return
    this.#lastProgress = progress
    this.#call.conversation.notify('notifications/progress', {
      progressToken: token,
      progress,
      total,
      message: this.#call.version.progressMessage ? message : undefined,
    })
  }

  status(text: string): void {
    this.#call.conversation.task?.setStatus(text)
  }

  log(level: LogLevel, data: unknown): void {
    const wanted = this.#call.conversation.logLevel
    if (wanted === null || LOG_LEVELS.indexOf(level) < LOG_LEVELS.indexOf(wanted)) return
    this.#call.conversation.notify('notifications/message', { level, logger: this.#call.server.name, data })
  }

  sleep(ms: number): Promise<void> {
    const { signal } = this
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(new Cancelled())
      const onAbort = () => {
        clearTimeout(timer)
        reject(new Cancelled())
      }
      const timer = setTimeout(() => {
        signal.removeEventListener('abort', onAbort)
        resolve()
      }, ms)
      signal.addEventListener('abort', onAbort, { once: true })
    })
  }

  ask<Key extends string>(questions: Record<Key, Question>): Promise<Answers<Key>> {
    return this.#call.conversation.ask(questions, this.#call) as Promise<Answers<Key>>
  }

  findResource(uri: string): { name: string; title?: string; mimeType?: string } | null {
    const definition = this.#call.server.findResource(uri)?.definition
    return definition ? { name: definition.name, title: definition.title, mimeType: definition.mimeType } : null
  }

  startTask(run: (context: CallContext) => ToolResult | Promise<ToolResult>): Promise<ToolResult> {
    return this.#call.conversation.startTask(this.#call, run, false)
  }

  announce(list: ListName): void {
    this.#call.conversation.announce(list)
  }

  closeStream(): void {
    this.#call.conversation.closeStream()
  }

  rpcError(code: number, message: string, data?: unknown): Error {
    return new RpcError(code, message, { data })
  }
}

/** A string or an integer. Without a valid token, no progress is sent. */
function progressToken(params: JsonObject): string | number | null {
  const token = isRecord(params._meta) ? params._meta.progressToken : undefined
  return typeof token === 'string' || Number.isInteger(token) ? (token as string | number) : null
}
