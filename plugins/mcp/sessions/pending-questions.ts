/** Owns the questions of one session that wait for a response of the client. */
import { isRecord } from 'svc/toolkit'
import { MAX_QUESTIONS } from '../bounds.ts'
import { Cancelled, shorten, ToolFailure } from '../errors.ts'
import { requestText, type RpcResponse } from '../protocol/json-rpc.ts'
import { isUsable, SUBJECT } from '../protocol/questions.ts'
import type { JsonObject, QuestionMethod } from '../types.ts'

interface Pending {
  method: QuestionMethod
  resolve(answer: JsonObject): void
  reject(error: Error): void
}

export class PendingQuestions {
  readonly #timeoutMs: number
  readonly #idOf: (count: number) => string
  readonly #pending = new Map<unknown, Pending>()
  #count = 0

  /** `idOf` returns the id of the question with this number. */
  constructor(timeoutMs: number, idOf: (count: number) => string) {
    this.#timeoutMs = timeoutMs
    this.#idOf = idOf
  }

  /** Sends a question with `write`. Rejects with `ToolFailure` without a valid response, with `Cancelled` on cancellation. */
  async ask(
    method: QuestionMethod,
    params: JsonObject,
    signal: AbortSignal,
    write: (text: string) => void,
  ): Promise<JsonObject> {
    if (this.#pending.size >= MAX_QUESTIONS) throw failure(method, `more than ${MAX_QUESTIONS} questions are pending`)
    const id = this.#idOf(++this.#count)
    let timer: NodeJS.Timeout | undefined
    let leave = () => {}
    try {
      return await new Promise<JsonObject>((resolve, reject) => {
        leave = () => reject(new Cancelled())
        timer = setTimeout(
          () => reject(failure(method, `no response within ${this.#timeoutMs / 1000} s`)),
          this.#timeoutMs,
        )
        signal.addEventListener('abort', leave, { once: true })
        this.#pending.set(id, { method, resolve, reject })
        write(requestText(id, method, params))
      })
    } finally {
      clearTimeout(timer)
      signal.removeEventListener('abort', leave)
      this.#pending.delete(id)
    }
  }

  /** Handles a response of the client; unknown ids are ignored. */
  answer(response: RpcResponse): void {
    const pending = this.#pending.get(response.id)
    if (!pending) return
    if (response.error !== undefined) pending.reject(failure(pending.method, reasonOf(response.error)))
    else if (isUsable(pending.method, response.result)) pending.resolve(response.result)
    else pending.reject(failure(pending.method, `the response is not a valid result of ${pending.method}`))
  }
}

function failure(method: QuestionMethod, reason: string): ToolFailure {
  return new ToolFailure(`${SUBJECT[method]} failed: ${reason}`)
}

function reasonOf(error: unknown): string {
  return isRecord(error) && typeof error.message === 'string'
    ? shorten(error.message)
    : 'the client responded with an error'
}
