/** Finds a task of the caller; a fault that the request asks for stays with it. */
import type { Call } from '../calls/call.ts'
import { taskNotFound } from '../protocol/errors.ts'
import { isTaskKind, type TaskKind } from '../protocol/fault-kinds.ts'
import { FAIL_HEADER, FAULT } from '../faults/requested-fault.ts'
import { isVanished, type TaskFault, withFault } from '../tasks/task-faults.ts'
import type { Task } from '../tasks/task.ts'

/** The fault of the request, if it stays with the task. */
export function taskFaultOf({ fault }: Call): TaskFault | null {
  return fault && isTaskKind(fault.kind) ? { kind: fault.kind, amount: fault.amount } : null
}

/** The task with this id. Throws TaskNotFound, also if it has vanished. */
export async function ownTask(call: Call, taskId: string): Promise<Task> {
  const { a2a, agent, scope } = call
  const task = await a2a.tasks.find(taskId, agent.id, scope)
  if (isVanished(task)) {
    markTaskFault(call, 'vanish')
    throw taskNotFound(taskId)
  }
  const fault = taskFaultOf(call)
  return fault ? a2a.tasks.change(taskId, found => withFault(found, fault)) : task
}

/** Marks a response that differs because of a fault that stays with the task. */
export function markTaskFault({ a2a, request }: Call, kind: TaskKind): void {
  a2a.svc.http.markFault(request, null, FAULT, `${FAIL_HEADER}: ${kind}`)
}
