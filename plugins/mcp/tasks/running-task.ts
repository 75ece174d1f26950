/** Owns a task that runs in this process: its work, its open questions, and the changes of its record. */
import { randomBytes } from 'node:crypto'
import type { Call } from '../servers/call.ts'
import { isUsable, questionParams, requireCapabilities } from '../protocol/questions.ts'
import { Cancelled, CODES, RpcError, shorten, ToolFailure } from '../errors.ts'
import type { Answers, JsonObject, Question, QuestionMethod } from '../types.ts'
import { isTerminal, type TaskRecord } from './task-record.ts'

export interface TaskLimits {
  /** Questions that may be open at the same time. */
  questions: number
  /** Characters of the result as JSON. */
  resultLength: number
}

/** How long a handler may take to stop after a cancellation. */
const CANCEL_MS = 2000

interface OpenQuestion {
  method: QuestionMethod
  resolve(answer: JsonObject): void
  reject(error: Error): void
}

export class RunningTask {
  readonly id = `tsk_${randomBytes(16).toString('hex')}`
  /** Resolves when the task has reached its last status. Never rejects. */
  readonly over: Promise<void>
  record: TaskRecord
  readonly #limits: TaskLimits
  /** Stores the record, once somebody may know the task. */
  #save: ((task: RunningTask) => void) | null = null
  readonly #controller = new AbortController()
  readonly #questions = new Map<string, OpenQuestion>()
  #timers: NodeJS.Timeout[] = []
  #finish: () => void = () => {}

  constructor(
    { server, principal, replica, ttlMs }: Pick<TaskRecord, 'server' | 'principal' | 'replica' | 'ttlMs'>,
    limits: TaskLimits,
  ) {
    const now = Date.now()
    this.#limits = limits
    this.record = {
      server,
      principal,
      replica,
      status: 'working',
      statusMessage: null,
      revision: 0,
      createdAt: now,
      lastUpdatedAt: now,
      ttlMs,
      questions: {},
      result: null,
      error: null,
    }
    this.over = new Promise(resolve => {
      this.#finish = resolve
    })
    this.#timers.push(
      setTimeout(() => this.#end('cancelled', { statusMessage: 'The task took too long' }), ttlMs).unref(),
    )
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** Runs the work. `log` gets unexpected errors, which the client never sees. */
  async run(work: () => Promise<JsonObject>, log: (error: unknown) => void): Promise<void> {
    try {
      this.#complete(await work())
    } catch (error) {
      if (this.signal.aborted) this.#end('cancelled')
      else if (error instanceof ToolFailure) this.#complete(toolError(error.message))
      else if (error instanceof RpcError) this.#end('failed', { error: asTaskError(error) })
      else {
        if (!(error instanceof Cancelled)) log(error)
        this.#end('failed', { error: { code: CODES.internal, message: 'Internal error' } })
      }
    }
  }

  /** From now on, every change of the record is stored. */
  publish(save: (task: RunningTask) => void): void {
    this.#save = save
  }

  setStatus(text: string): void {
    if (!isTerminal(this.record)) this.#change({ statusMessage: shorten(text) })
  }

  /** Adds the questions to the task and waits for all answers. Throws -32021 without the capability of the client. */
  async ask(questions: Record<string, Question>, call: Pick<Call, 'version' | 'conversation'>): Promise<Answers> {
    requireCapabilities(Object.values(questions), call.version, call.conversation.clientCapabilities)
    this.signal.throwIfAborted()
    const asked = Object.entries(questions)
    if (this.#questions.size + asked.length > this.#limits.questions)
      throw new RpcError(CODES.internal, `Too many questions (at most ${this.#limits.questions})`)
    const open = { ...this.record.questions }
    const answers = asked.map(([key, { method, params }]) => {
      const id = `${key}-${randomBytes(2).toString('hex')}`
      open[id] = { method, params: questionParams({ method, params }, call.version) }
      return new Promise<[string, JsonObject]>((resolve, reject) => {
        this.#questions.set(id, { method, resolve: answer => resolve([key, answer]), reject })
      })
    })
    this.#change({ status: 'input_required', questions: open })
    return Object.fromEntries(await Promise.all(answers))
  }

  /** Takes usable answers to open questions; others are ignored. The task continues when no question is open. */
  answer(responses: JsonObject): void {
    const open = { ...this.record.questions }
    const taken = Object.entries(responses).flatMap(([id, response]) => {
      const question = this.#questions.get(id)
      if (!question || !isUsable(question.method, response)) return []
      this.#questions.delete(id)
      delete open[id]
      return [() => question.resolve(response)]
    })
    if (taken.length === 0) return
    this.#change({ status: this.#questions.size > 0 ? 'input_required' : 'working', questions: open })
    for (const resolve of taken) resolve()
  }

  /** The task ends when its handler stops, or after two seconds. */
  cancel(): void {
    if (isTerminal(this.record) || this.signal.aborted) return
    this.#abort()
    this.#timers.push(setTimeout(() => this.#end('cancelled'), CANCEL_MS).unref())
  }

  #complete(result: JsonObject): void {
    if (this.signal.aborted) this.#end('cancelled')
    else if (JSON.stringify(result).length <= this.#limits.resultLength) this.#end('completed', { result })
    else this.#end('failed', { error: { code: CODES.internal, message: 'The result is too large' } })
  }

  #end(status: 'completed' | 'failed' | 'cancelled', more: Partial<TaskRecord> = {}): void {
    if (isTerminal(this.record)) return
    for (const timer of this.#timers.splice(0)) clearTimeout(timer)
    this.#change({ status, questions: {}, ...more })
    this.#abort()
    this.#finish()
  }

  #abort(): void {
    this.#controller.abort()
    for (const question of this.#questions.values()) question.reject(new Cancelled())
    this.#questions.clear()
  }

  #change(change: Partial<TaskRecord>): void {
    const { revision } = this.record
    this.record = { ...this.record, ...change, revision: revision + 1, lastUpdatedAt: Date.now() }
    this.#save?.(this)
  }
}

/** The result of a tool that failed, for the model. */
function toolError(text: string): JsonObject {
  return { content: [{ type: 'text', text }], isError: true }
}

function asTaskError({ code, message, data }: RpcError): NonNullable<TaskRecord['error']> {
  return data === undefined ? { code, message } : { code, message, data }
}
