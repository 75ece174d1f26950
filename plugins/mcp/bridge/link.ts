/** How svc exchanges messages with a bridged server: within the process, with a child process, or over HTTP. */
import type { RpcError } from '../errors.ts'
import type { CallContext, JsonObject } from '../types.ts'

/** Why a link has closed. */
export interface LinkEnd {
  reason: string
  /** Of a process. */
  code?: number | null
  signal?: string | null
}

export interface LinkEvents {
  /** A message of the server. */
  received(message: unknown): void
  /** The link has closed on its own; it sends and receives nothing more. */
  closed(end: LinkEnd): void
}

export interface Link {
  /** Whether messages of the server keep the asynchronous context of the call that caused them. */
  readonly isInProcess: boolean
  /** Whether the server is called in the revision without sessions. Known after `open`. */
  readonly isStateless: boolean
  /** Process id, if the server is a process. */
  readonly pid: number | null
  /** Rejects if the server can't be reached; `events.closed` is then not called. */
  open(events: LinkEvents): Promise<void>
  /**
   * Sends a message. `context` is that of the call that it belongs to. Throws if it can't be sent. A link over HTTP returns a
   * promise, which resolves when the server has taken it and never rejects.
   */
  send(message: JsonObject, context: CallContext | null): void | Promise<void>
  /** Follows changes of a resource, in the stateless revision only. */
  follow(uri: string): void
  close(): Promise<void>
}

/** Where a bridge gets its links from. */
export interface LinkSource {
  readonly kind: 'sdk' | 'stdio' | 'remote'
  /** Whether each session of a client has its own link. */
  readonly isPerSession: boolean
  create(session: string | null): Promise<Link>
}

/** The server can't be started or reached at all, in contrast to one that starts and fails. */
export class Unreachable extends Error {}

/** A response of the server that svc makes because the server sent none. */
export function failedResponse(id: unknown, { code, message, data }: RpcError): JsonObject {
  return { jsonrpc: '2.0', id, error: { code, message, data } }
}
