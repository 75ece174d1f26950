/** Owns the JSON-RPC binding: the envelope and the methods of both versions (A2A 1.0, 9; A2A 0.3, 7). */
import { randomUUID } from 'node:crypto'
import { isRecord } from 'svc/toolkit'
import type { Operation } from '../calls/call.ts'
import { MAX_DEPTH } from '../bounds.ts'
import { A2aError, invalidParams } from '../protocol/errors.ts'
import { parseJson } from '../protocol/json.ts'
import { extendedCard } from '../operations/extended-card.ts'
import { listTasks } from '../operations/list-tasks.ts'
import { deleteConfig, getConfig, listConfigs, setConfig } from '../operations/push-configs.ts'
import { send, stream } from '../operations/send.ts'
import { cancel, getTask, subscribe } from '../operations/tasks.ts'
import type { JsonObject } from '../types.ts'
import { wrongVersion, type RequestedVersion } from '../protocol/version.ts'
import { readId, readLookupId, readObject } from '../wire/read.ts'
import { jsonRpcV03 } from '../wire/v0.3/json-rpc.ts'
import { v1 } from '../wire/v1.0/wire.ts'
import type { Wire } from '../wire/wire.ts'

export interface Method {
  readonly wire: Wire
  readonly run: Operation
}

const listV1: Operation = async (call, params) => ({
  result: { configs: await listConfigs(call, readLookupId(params, 'taskId')), nextPageToken: '' },
})

/** The operations of protocol version 1.0 by method name, which JSON-RPC and gRPC share. */
export const METHODS_V1: Readonly<Record<string, Operation>> = {
  SendMessage: send,
  SendStreamingMessage: stream,
  GetTask: getTask,
  ListTasks: listTasks,
  CancelTask: cancel,
  SubscribeToTask: subscribe,
  CreateTaskPushNotificationConfig: (call, params) => setConfig(call, readLookupId(params, 'taskId'), params),
  GetTaskPushNotificationConfig: (call, params) =>
    getConfig(call, readLookupId(params, 'taskId'), readLookupId(params, 'id')),
  ListTaskPushNotificationConfigs: listV1,
  // The proto file and the specification of 1.0 differ in the last letter.
  ListTaskPushNotificationConfig: listV1,
  DeleteTaskPushNotificationConfig: async (call, params) => {
    await deleteConfig(call, readLookupId(params, 'taskId'), readLookupId(params, 'id'))
    return { result: null }
  },
  GetExtendedAgentCard: extendedCard,
}

const METHODS_V03: Record<string, Operation> = {
  'message/send': send,
  // The name before 0.3, for clients that have not changed.
  'tasks/send': (call, params) => send(call, asMessageSend(params)),
  'message/stream': stream,
  'tasks/get': getTask,
  'tasks/cancel': cancel,
  'tasks/resubscribe': subscribe,
  'tasks/pushNotificationConfig/set': (call, params) => {
    const config = readObject(params, 'pushNotificationConfig')
    if (!config) throw invalidParams('pushNotificationConfig', 'this field is required')
    return setConfig(call, readLookupId(params, 'taskId'), config)
  },
  'tasks/pushNotificationConfig/get': (call, params) =>
    getConfig(call, readLookupId(params, 'id'), readId(params, 'pushNotificationConfigId')),
  'tasks/pushNotificationConfig/list': async (call, params) => ({
    result: await listConfigs(call, readLookupId(params, 'id')),
  }),
  'tasks/pushNotificationConfig/delete': async (call, params) => {
    await deleteConfig(call, readLookupId(params, 'id'), readLookupId(params, 'pushNotificationConfigId'))
    return { result: null }
  },
  'agent/getAuthenticatedExtendedCard': extendedCard,
}

/** The parameters of `tasks/send` (A2A before 0.3) as those of `message/send`: parts had a `type`, messages no id. */
function asMessageSend(params: JsonObject): JsonObject {
  const { message } = params
  if (!isRecord(message)) return params
  const parts: unknown = Array.isArray(message.parts)
    ? message.parts.map((part: unknown) =>
        isRecord(part) && part.kind === undefined && part.type !== undefined ? { ...part, kind: part.type } : part,
      )
    : message.parts
  return { ...params, message: { kind: 'message', messageId: randomUUID(), ...message, parts } as JsonObject }
}

const METHODS: ReadonlyMap<string, Method> = new Map([
  ...Object.entries(METHODS_V1).map(([name, run]) => [name, { wire: v1, run }] as const),
  ...Object.entries(METHODS_V03).map(([name, run]) => [name, { wire: jsonRpcV03, run }] as const),
])

export type RpcId = string | number | null

/** The parts of a request that an error response needs; filled in while the request is read. */
export interface RpcFacts {
  id: RpcId
  method?: Method
  tenant: string | null
}

/** Reads and checks a request. What was read before an error is in `facts`. */
export function readRpcRequest(
  body: Buffer,
  version: RequestedVersion,
  facts: RpcFacts,
): { method: Method; params: JsonObject } {
  const parsed = parseJson(body)
  if ('problem' in parsed) {
    if (parsed.problem === 'depth') throw invalidRequest(`the request is nested deeper than ${MAX_DEPTH} levels`)
    throw new A2aError('JSON_PARSE', 'the body is not valid JSON')
  }
  const request = parsed.value
  if (!isRecord(request)) throw invalidRequest('expected one request object; batches are not supported')
  const { id = null } = request
  if (id !== null && typeof id !== 'string' && typeof id !== 'number')
    throw invalidRequest('id: expected a string, a number or null')
  facts.id = id
  if (request.jsonrpc !== '2.0') throw invalidRequest('jsonrpc: expected "2.0"')
  if (typeof request.method !== 'string') throw invalidRequest('method: expected a string')
  const method = METHODS.get(request.method)
  if (!method) throw new A2aError('METHOD_NOT_FOUND', `unknown method "${request.method.slice(0, 100)}"`)
  facts.method = method
  if (version.protocolVersion !== method.wire.protocolVersion) throw wrongVersion(version, method.wire.protocolVersion)
  const params = request.params ?? {}
  if (!isRecord(params)) throw invalidParams('params', 'expected an object')
  return { method, params }
}

function invalidRequest(message: string): A2aError {
  return new A2aError('INVALID_REQUEST', message)
}
