/** Owns getting, canceling and subscribing to a task. */
import type { OperationResult, Call } from '../calls/call.ts'
import { A2aError } from '../protocol/errors.ts'
import { asRead, countsReads, withHugeArtifact, withRead } from '../tasks/task-faults.ts'
import { markTaskFault, ownTask } from './own-task.ts'
import { isTerminal } from '../protocol/states.ts'
import type { Task } from '../tasks/task.ts'
import type { JsonObject } from '../types.ts'
import { readCount, readLookupId } from '../wire/read.ts'
import type { Wire } from '../wire/wire.ts'

/** The requested number of history messages; undefined: all. */
export function readHistoryLength(object: JsonObject, wire: Wire, path = 'historyLength'): number | undefined {
  const count = readCount(object, 'historyLength', path)
  return count === 0 && wire.isZeroUnset ? undefined : count
}

/** The caller's task with this `id`. Throws TaskNotFound. */
function namedTask(call: Call, params: JsonObject): Promise<Task> {
  return ownTask(call, readLookupId(params, 'id'))
}

export async function getTask(call: Call, params: JsonObject): Promise<OperationResult> {
  const historyLength = readHistoryLength(params, call.wire)
  const task = await readTask(call, await namedTask(call, params))
  return { result: call.wire.task(task, { historyLength }) }
}

/** The task as this read shows it; counts the read if a fault needs it. */
async function readTask(call: Call, task: Task): Promise<Task> {
  const { bounds, tasks } = call.a2a
  const counted = countsReads(task) ? await tasks.change(task.id, withRead) : task
  const shown = withHugeArtifact(asRead(counted), bounds.hugeArtifactBytes)
  if (shown !== counted) markTaskFault(call, shown.status === counted.status ? 'huge' : 'flap')
  return shown
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
  const shown = withHugeArtifact(task, call.a2a.bounds.hugeArtifactBytes)
  return { first: wire.taskReply(wire.task(shown)), task: isOver ? null : task }
}
