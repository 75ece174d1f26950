/** Owns a call: one JSON-RPC request on its way through the methods, whatever era and transport it came by. */
import type { Server } from '../registry/server.ts'
import type { Answers, CallHttp, JsonObject, LogLevel, Question } from '../types.ts'
import type { ClientCapabilities } from './questions.ts'
import type { Version } from '../wire/versions.ts'

export interface Call {
  readonly server: Server
  readonly version: Version
  readonly method: string
  readonly params: JsonObject
  /** Items of a list in one page. */
  readonly pageSize: number
  /** Verified claims of the caller; null on open servers. */
  readonly claims: JsonObject | null
  readonly http: CallHttp
  readonly conversation: Conversation
}

/** What differs between a stateless call, a session and the legacy transport: the way to the client and back. */
export interface Conversation {
  readonly session: string | null
  readonly transport: 'streamable-http' | 'http+sse'
  /** Null: the client wants no log messages. */
  readonly logLevel: LogLevel | null
  readonly clientCapabilities: ClientCapabilities
  /** Aborts when nobody waits for the answer any more. */
  readonly signal: AbortSignal
  notify(method: string, params: JsonObject): void
  /** Called before a handler that may ask: takes up the rounds before. Throws -32602 when they can't be used. */
  resume(call: Call): void
  ask(questions: Record<string, Question>, call: Call): Promise<Answers>
  closeStream(): void
  announce(list: 'tools' | 'resources' | 'prompts'): void
}

/** What a method answers: the result, as an object or as JSON text, and how long a client may keep it. */
export interface Outcome {
  result: JsonObject | string
  cache?: CacheHint
}
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
