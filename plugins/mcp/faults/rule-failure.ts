/** Failures that rules inject: JSON-RPC errors with the headers of every response. */
import { isRecord, jsonRpcProtocol, type MatchProtocol } from 'svc/toolkit'
import { factHeaders } from '../http/exchange.ts'
import type { RequestId } from '../protocol/json-rpc.ts'

/** The protocol `rpc` for the routes of servers. `serverAt` names the server of a path. */
export function rpcProtocol(serverAt: (path: string) => string | null): MatchProtocol {
  return {
    ...jsonRpcProtocol,
    failure(failure, request) {
      const error = jsonRpcProtocol.failure!(failure, request)
      if (error === null) return null
      const [call] = jsonRpcProtocol.read(request) ?? []
      const facts = {
        server: serverAt(request.path),
        method: typeof call?.method === 'string' ? call.method : null,
        requestId: isRecord(error.body) ? ((error.body as { id?: RequestId | null }).id ?? null) : null,
      }
      return { ...error, headers: { ...error.headers, ...factHeaders(facts) } }
    },
  }
}
