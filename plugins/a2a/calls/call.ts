/** Owns the call of an operation and its result, for both bindings. */
import type { AnyRequest } from 'svc/plugin'
import type { A2a } from '../a2a.ts'
import { activeExtensions } from './extensions.ts'
import type { ActiveFault } from '../protocol/fault-kinds.ts'
import { scopeOf } from '../tasks/scope.ts'
import { applyEvent, type Task, type TaskEvent } from '../tasks/task.ts'
import type { AgentDefinition, JsonObject } from '../types.ts'
import type { Wire } from '../wire/wire.ts'

export interface Call {
  readonly a2a: A2a
  readonly agent: AgentDefinition
  readonly wire: Wire
  readonly request: AnyRequest
  /** `other`: a binding of another plugin. */
  readonly binding: Binding
  readonly session: string
  readonly tenant: string | null
  /** URIs of the active extensions. */
  readonly extensions: readonly string[]
  /** The owner of tasks: the session, or its part that belongs to the tenant. */
  readonly scope: string
  /** The fault that the request asks for. */
  readonly fault: ActiveFault | null
  /** Aborts when the client no longer waits. */
  signal(): AbortSignal
}

export type Binding = 'JSON-RPC' | 'HTTP+JSON' | 'other'

export type OperationResult =
  | { result: unknown; headers?: Record<string, string> }
  /**
   * A stream: the first event, updates that were made before the task was stored, then those that follow. Without a task it
   * ends after the first event.
   */
  | { first: JsonObject; task: Task | null; events?: readonly TaskEvent[] }

export type Operation = (call: Call, params: JsonObject) => OperationResult | Promise<OperationResult>

export interface StreamEvent {
  kind: 'first' | 'status' | 'artifact'
  body: JsonObject
  /** No more events follow. */
  isFinal: boolean
  /** It is larger than what may be unsent. */
  isHuge?: boolean
}

export interface EventReceiver {
  event(event: StreamEvent): void
  /** The stream ends: after the final event, or because the task was evicted or updates were missed. */
  end(): void
  /** The connection breaks. */
  cut(): void
}

/** Sends the events to the receiver, the first one at once. Returns a function that stops. */
export type EventStream = (receiver: EventReceiver) => () => void

/** What differs between bindings. */
export interface CallOptions {
  binding: Binding
  tenant?: string | null
  /** Default: the header `A2A-Extensions`. */
  extensions?: string
  signal?: () => AbortSignal
}

export function makeCall(
  a2a: A2a,
  agent: AgentDefinition,
  wire: Wire,
  request: AnyRequest,
  { binding, tenant = null, extensions, signal = () => a2a.svc.http.signal(request) }: CallOptions,
): Call {
  const session = a2a.svc.http.session(request).key
  return {
    a2a,
    agent,
    wire,
    request,
    binding,
    session,
    tenant,
    extensions: activeExtensions(agent, extensions ?? extensionsHeader(request)),
    scope: scopeOf(session, tenant),
    fault: null,
    signal,
  }
}

/** Several lines count as one list. */
function extensionsHeader({ headers }: AnyRequest): string {
  const header = headers['a2a-extensions']
  return Array.isArray(header) ? header.join(',') : (header ?? '')
}

/** Milliseconds of a wait after which it is worth watching for a disconnect; most agents of the demo are faster. */
const QUICK_MS = 10

/**
 * Waits for the next terminal or interrupted state, until the task is evicted, for `waitMs`, or until the client disconnects.
 * Returns the task as it is then.
 */
export function untilFinal({ a2a, signal: signalOf }: Call, task: Task, waitMs: number): Promise<Task> {
  if (!task.run) return Promise.resolve(task)
  return new Promise(resolve => {
    let current = task
    let signal: AbortSignal | null = null
    let timer = setTimeout(() => {
      timer = setTimeout(finish, waitMs - QUICK_MS).unref()
      signal = signalOf()
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
