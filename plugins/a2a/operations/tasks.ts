/** Owns getting, canceling and subscribing to a task. */
import type { OperationResult, Call } from '../call.ts'
import { A2aError } from '../errors.ts'
import { cancel as cancelTask } from '../runner.ts'
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
function namedTask({ a2a, agent, session }: Call, params: JsonObject): Task {
  return a2a.tasks.find(readLookupId(params, 'id'), agent.id, session)
}

export function getTask(call: Call, params: JsonObject): OperationResult {
  const historyLength = readHistoryLength(params, call.wire)
  return { result: call.wire.task(namedTask(call, params), { historyLength }) }
}

export function cancel(call: Call, params: JsonObject): OperationResult {
  const task = namedTask(call, params)
  if (task.isTerminal)
    throw new A2aError('TASK_NOT_CANCELABLE', `the task is ${task.status.state} and can't be canceled`, {
      metadata: { taskId: task.id },
    })
  cancelTask(call.a2a.tasks, task)
  return { result: call.wire.task(task) }
}

/** A terminal task has no further updates: an error in 1.0, a stream of one event in 0.3. */
export function subscribe(call: Call, params: JsonObject): OperationResult {
  const { wire } = call
  const task = namedTask(call, params)
  if (task.isTerminal && wire.protocolVersion === '1.0')
    throw new A2aError('UNSUPPORTED_OPERATION', `the task is ${task.status.state}: it has no further updates`)
  return { first: wire.taskReply(wire.task(task)), task: task.isTerminal ? null : task }
}
