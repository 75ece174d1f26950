/** Owns the call of an operation and its result, for both bindings. */
import type { FastifyRequest } from 'svc/plugin'
import type { A2a } from './a2a.ts'
import { applyEvent, type Task } from './task.ts'
import type { AgentDefinition, JsonObject } from './types.ts'
import type { Wire } from './wire/wire.ts'

export interface Call {
  readonly a2a: A2a
  readonly agent: AgentDefinition
  readonly wire: Wire
  readonly request: FastifyRequest
  readonly session: string
}

export type OperationResult =
  | { result: unknown; headers?: Record<string, string> }
  /** A stream: the first event, then the updates of the task. Without a task it ends after the first event. */
  | { first: JsonObject; task: Task | null }

export type Operation = (call: Call, params: JsonObject) => OperationResult | Promise<OperationResult>

export function makeCall(a2a: A2a, agent: AgentDefinition, wire: Wire, request: FastifyRequest): Call {
  return { a2a, agent, wire, request, session: a2a.svc.http.session(request).key }
}

/** Milliseconds of a wait after which it is worth watching for a disconnect; most agents of the demo are faster. */
const QUICK_MS = 10

/**
 * Waits for the next terminal or interrupted state, until the task is evicted, for `waitMs`, or until the client disconnects.
 * Returns the task as it is then.
 */
export function untilFinal({ a2a, request }: Call, task: Task, waitMs: number): Promise<Task> {
  if (!task.run) return Promise.resolve(task)
  return new Promise(resolve => {
    let current = task
    let signal: AbortSignal | null = null
    let timer = setTimeout(() => {
      timer = setTimeout(finish, waitMs - QUICK_MS).unref()
      signal = a2a.svc.http.signal(request)
      signal.addEventListener('abort', finish)
      if (signal.aborted) finish()
    }, QUICK_MS).unref()
    const unfollow = a2a.tasks.followEvents(task, {
      event: event => {
        current = applyEvent(current, event)
        if (event.kind === 'status' && event.isFinal) finish()
      },
      closed: finish,
    })
    function finish() {
      clearTimeout(timer)
      unfollow()
      signal?.removeEventListener('abort', finish)
      resolve(current)
    }
  })
}
