/** Owns getting, canceling and subscribing to a task. */
import type { OperationResult, Call } from '../call.ts'
import { A2aError } from '../errors.ts'
import { isTerminal } from '../states.ts'
import type { Task } from '../task.ts'
import type { JsonObject } from '../types.ts'
import { readCount, readLookupId } from '../wire/read.ts'
import type { Wire } from '../wire/wire.ts'

/** The requested number of history messages; undefined: all. */
export function readHistoryLength(object: JsonObject, wire: Wire, path = 'historyLength'): number | undefined {
  const count = readCount(object, 'historyLength', path)
  return count === 0 && wire.isZeroUnset ? undefined : count
}

/** The caller's task with this `id`. Throws TaskNotFound. */
function namedTask({ a2a, agent, scope }: Call, params: JsonObject): Promise<Task> {
  return a2a.tasks.find(readLookupId(params, 'id'), agent.id, scope)
}

export async function getTask(call: Call, params: JsonObject): Promise<OperationResult> {
  const historyLength = readHistoryLength(params, call.wire)
  return { result: call.wire.task(await namedTask(call, params), { historyLength }) }
}

export async function cancel(call: Call, params: JsonObject): Promise<OperationResult> {
  const task = await namedTask(call, params)
  return { result: call.wire.task(await call.a2a.service.cancel(task)) }
}

/** A terminal task has no further updates: an error in 1.0, a stream of one event in 0.3. */
export async function subscribe(call: Call, params: JsonObject): Promise<OperationResult> {
  const { wire } = call
  const task = await namedTask(call, params)
  const isOver = isTerminal(task.status.state)
  if (isOver && wire.protocolVersion === '1.0')
    throw new A2aError('UNSUPPORTED_OPERATION', `the task is ${task.status.state}: it has no further updates`)
  return { first: wire.taskReply(wire.task(task)), task: isOver ? null : task }
}
