/** Owns the body of a push notification: an event for configs of 1.0, the whole task for those of 0.3. */
import type { Task, Update } from '../task.ts'
import type { JsonObject } from '../types.ts'
import { rpc3 } from './v0.3/json-rpc.ts'
import { v1 } from './v1.0/wire.ts'
import type { Generation } from './wire.ts'

export function pushBody(task: Task, update: Update, generation: Generation): JsonObject {
  return generation === '1.0' ? v1.update(task, update) : rpc3.task(task)
}
