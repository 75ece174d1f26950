/** A call: one JSON-RPC request to a method, independent of the protocol revision and transport. */
import type { Server } from './server.ts'
import type { Answers, CallContext, CallHttp, JsonObject, LogLevel, Question, ToolResult } from '../types.ts'
import type { ClientCapabilities } from '../protocol/questions.ts'
import type { Version } from '../protocol/versions.ts'

export interface Call {
  readonly server: Server
  readonly version: Version
  readonly method: string
  readonly params: JsonObject
  /** Number of list items per page. */
  readonly pageSize: number
  /** Verified claims of the caller; null on open servers. */
  readonly claims: JsonObject | null
  readonly http: CallHttp
  readonly conversation: Conversation
}

/** Communication with the client, which differs between stateless calls, sessions and the HTTP+SSE transport. */
export interface Conversation {
  readonly session: string | null
  readonly transport: 'streamable-http' | 'http+sse'
  /** Null: the client wants no log messages. */
  readonly logLevel: LogLevel | null
  readonly clientCapabilities: ClientCapabilities
  /** The protocol extensions that the client declared. */
  readonly extensions: ReadonlySet<string>
  /** Who calls: tasks belong to this principal. */
  readonly principal: string
  /** The task that the call runs in. */
  readonly task: { id: string; setStatus(text: string): void } | null
  /** Aborts when the client no longer waits for the response. */
  readonly signal: AbortSignal
  notify(method: string, params: JsonObject): void
  /** Called before a handler that may ask: reads the answers of earlier rounds. Throws -32602 if they are invalid. */
  resume(call: Call): Promise<void> | void
  ask(questions: Record<string, Question>, call: Call): Promise<Answers>
  closeStream(): void
  announce(list: 'tools' | 'resources' | 'prompts'): void
  /** Runs a tool in a task. With `mayComplete`, a result without waiting needs no task. */
  startTask(
    call: Call,
    run: (context: CallContext) => ToolResult | Promise<ToolResult>,
    mayComplete: boolean,
  ): Promise<ToolResult>
}

/** The result of a method, as an object or as JSON text, and how long a client may cache it. */
export interface MethodResult {
  result: JsonObject | string
  cache?: CacheHint
  /** More members of `_meta` in the stateless revision. */
  meta?: JsonObject
  /** `resultType` in the stateless revision. Default: `complete`. */
  type?: 'task'
}
/** Runs a method. */
export type Method = (call: Call) => MethodResult | Promise<MethodResult>

export interface CacheHint {
  ttlMs: number
  cacheScope: 'public' | 'private'
}

/** RFC 5424 severities, lowest first. */
export const LOG_LEVELS: readonly LogLevel[] = [
  'debug',
  'info',
  'notice',
  'warning',
  'error',
  'critical',
  'alert',
  'emergency',
]

export function isLogLevel(value: unknown): value is LogLevel {
  return LOG_LEVELS.includes(value as LogLevel)
}
