/** Owns the call of an operation and its result, for both bindings. */
import type { FastifyRequest } from 'svc/plugin'
import type { A2a } from './a2a.ts'
import type { Task, Update } from './task.ts'
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

/** Resolves at the next terminal or interrupted state, when the task is evicted, on timeout, or on disconnect. */
export function untilFinal(task: Task, waitMs: number, signal: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    const timer = setTimeout(finish, waitMs).unref()
    const unsubscribe = task.subscribe({
      update: (update: Update) => {
        if (update.kind === 'status' && update.isFinal) finish()
      },
      closed: finish,
    })
    function finish() {
      clearTimeout(timer)
      unsubscribe()
      signal.removeEventListener('abort', finish)
      resolve()
    }
    signal.addEventListener('abort', finish)
  })
}
