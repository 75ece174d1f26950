/** The messages between replicas. A replica that gets an unknown kind ignores it. */
import type { RpcResponse } from '../protocol/json-rpc.ts'
import type { ListName } from '../types.ts'
import type { StreamStatus } from './session.ts'

export type HubMessage =
  /** A resource has changed: notify its subscribers. */
  | { kind: 'resource-updated'; uri: string }
  | { kind: 'list-changed'; server: string; list: ListName }
  /** The client canceled a request. */
  | { kind: 'canceled'; session: string; requestId: string | number }
  /** The client answered a question. */
  | { kind: 'answered'; session: string; response: RpcResponse }
  /** A client wants to resume a stream: who writes it, and who has its connection? */
  | { kind: 'resuming'; session: string; stream: number }
  /** A client opens a stream for GET: the former one ends unless it is connected. */
  | { kind: 'opening'; session: string }
  /** A message for the HTTP+SSE stream of this replica. */
  | { kind: 'http-sse'; session: string; text: string }

/** The reply to `resuming` and `opening`; null to others. */
export type HubReply = StreamStatus | null
