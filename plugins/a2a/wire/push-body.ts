/** Owns the body of a push notification: an event in version 1.0, the whole task in 0.3. */
import type { Task, Update } from '../task.ts'
import type { JsonObject } from '../types.ts'
import { jsonRpcV03 } from './v0.3/json-rpc.ts'
import { v1 } from './v1.0/wire.ts'
import type { ProtocolVersion } from './wire.ts'

export function pushBody(task: Task, update: Update, protocolVersion: ProtocolVersion): JsonObject {
  return protocolVersion === '1.0' ? v1.update(task, update) : jsonRpcV03.task(task)
}
