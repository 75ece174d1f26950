/** JSON-RPC 2.0 as a protocol of conditions: `match.rpc`. Plugins that serve it register it. */
import { own, type Json, type JsonObject } from '../contract/json.ts'
import { isRecord } from '../contract/record.ts'
import type { MatchableRequest, MatchFacts, MatchProtocol, ReadFacts } from '../contract/testing.ts'

/** Items of a batch that are read. */
const MAX_ITEMS = 1000
const INTERNAL_ERROR = -32_603
/** The member that every JSON-RPC message has (JSON-RPC 2.0, 4). */
const VERSION_MEMBER = 'jsonrpc'

/**
 * Reads requests and notifications (JSON-RPC 2.0, 4), also in batches. Failures are error responses with the id of the
 * request and the HTTP status of the failure.
 */
export const jsonRpcProtocol = {
  name: 'rpc',
  fields: {
    method: { description: 'The method of a JSON-RPC request' },
    tool: { description: 'The tool that is called: `params.name` of `tools/call`' },
    name: { description: 'The prompt that is read: `params.name` of `prompts/get`' },
    id: { description: 'The id of a JSON-RPC request' },
  },
  read(request: MatchableRequest): ReadFacts {
    const body = request.json()
    const items = (Array.isArray(body) ? body.slice(0, MAX_ITEMS) : [body]).filter(isCall)
    return items.length === 0 ? null : items.map(factsOf)
  },
  failure(failure, request) {
    const body = request.json()
    const [first] = Array.isArray(body) ? body.slice(0, MAX_ITEMS).filter(isCall) : [body]
    const id = isCall(first) ? own(first, 'id') : undefined
    return {
      headers: { 'Content-Type': 'application/json' },
      body: {
        [VERSION_MEMBER]: '2.0',
        error: { code: INTERNAL_ERROR, message: failure.message, data: failure.body },
        id: typeof id === 'string' || typeof id === 'number' ? id : null,
      },
    }
  },
} satisfies MatchProtocol

function isCall(value: Json | undefined): value is JsonObject {
  return (
    isRecord(value) &&
    own(value as JsonObject, VERSION_MEMBER) === '2.0' &&
    typeof own(value as JsonObject, 'method') === 'string'
  )
}

function factsOf(call: JsonObject): MatchFacts {
  const method = own(call, 'method')
  const params = own(call, 'params')
  const name = isRecord(params) ? own(params, 'name') : undefined
  return {
    method,
    tool: method === 'tools/call' ? name : undefined,
    name: method === 'prompts/get' ? name : undefined,
    id: own(call, 'id'),
  }
}
