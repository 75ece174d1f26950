/** Owns the questions of one session that wait for the client's answer. */
import { isRecord } from 'svc/plugin'
import { MAX_QUESTIONS } from '../bounds.ts'
import { Cancelled, shorten, ToolFailure } from '../errors.ts'
import { requestText, type RpcResponse } from '../calls/json-rpc.ts'
import { isUsable, SUBJECT } from '../calls/questions.ts'
import type { JsonObject, QuestionMethod } from '../types.ts'

interface Pending {
  method: QuestionMethod
  resolve(answer: JsonObject): void
  reject(error: Error): void
}

export class PendingQuestions {
  readonly #timeoutMs: number
  readonly #pending = new Map<unknown, Pending>()
  #count = 0

  constructor(timeoutMs: number) {
    this.#timeoutMs = timeoutMs
  }

  /** Asks over `write`. Rejects with a tool failure when no usable answer comes, with `Cancelled` when the call is. */
  async ask(
    method: QuestionMethod,
    params: JsonObject,
    signal: AbortSignal,
    write: (text: string) => void,
  ): Promise<JsonObject> {
    if (this.#pending.size >= MAX_QUESTIONS) throw failure(method, `more than ${MAX_QUESTIONS} questions are pending`)
    const id = `svc-${++this.#count}`
    let timer: NodeJS.Timeout | undefined
    let leave = () => {}
    try {
      return await new Promise<JsonObject>((resolve, reject) => {
        leave = () => reject(new Cancelled())
        timer = setTimeout(() => reject(failure(method, `no answer in ${this.#timeoutMs / 1000} s`)), this.#timeoutMs)
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

  /** The client's answer; one that nobody waits for changes nothing. */
  answer(response: RpcResponse): void {
    const pending = this.#pending.get(response.id)
    if (!pending) return
    if (response.error !== undefined) pending.reject(failure(pending.method, reasonOf(response.error)))
    else if (isUsable(pending.method, response.result)) pending.resolve(response.result)
    else pending.reject(failure(pending.method, `the answer is no result of ${pending.method}`))
  }
}

function failure(method: QuestionMethod, reason: string): ToolFailure {
  return new ToolFailure(`${SUBJECT[method]} failed: ${reason}`)
}

function reasonOf(error: unknown): string {
  return isRecord(error) && typeof error.message === 'string'
    ? shorten(error.message)
    : 'the client answered with an error'
}
