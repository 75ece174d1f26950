/** Faults of push notifications. */
import type { Task, Update } from '../tasks/task.ts'
import { pushFault } from '../tasks/task-faults.ts'
import type { PushKind } from '../protocol/fault-kinds.ts'

/** The fault of a task's notifications, and how many deliveries it affects. */
export interface PushFault {
  readonly kind: PushKind
  readonly amount: number
}

const SLOW_MS = 3000
const FORGED = 'forged'

export function pushFaultOf(task: Task): PushFault | null {
  return pushFault(task) ?? null
}

/** How long a delivery waits. */
export function delayMs(fault: PushFault | null): number {
  return fault?.kind === 'push-slow' ? SLOW_MS : 0
}

/** How often a notification is delivered. */
export function copies(fault: PushFault | null): number {
  return fault?.kind === 'push-twice' ? 2 : 1
}

/** Whether notifications wait for the last one, which is delivered first. */
export function holdsUntilLast(fault: PushFault | null): boolean {
  return fault?.kind === 'push-reorder'
}

export function isLast(update: Update): boolean {
  return update.kind === 'status' && update.isFinal
}

/** The headers with a wrong token and wrong credentials. */
export function withForgery(headers: Record<string, string>, fault: PushFault | null): Record<string, string> {
  if (fault?.kind !== 'push-forged') return headers
  const { authorization } = headers
  return {
    ...headers,
    'x-a2a-notification-token': FORGED,
    ...(authorization === undefined ? {} : { authorization: `${authorization.split(' ', 1)[0]} ${FORGED}` }),
  }
}
