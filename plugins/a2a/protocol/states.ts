/** Owns the task states and their classes (A2A 1.0, 4.1.3). */
import type { TaskState } from '../types.ts'

export const STATES: readonly TaskState[] = [
  'SUBMITTED',
  'WORKING',
  'COMPLETED',
  'FAILED',
  'CANCELED',
  'REJECTED',
  'INPUT_REQUIRED',
  'AUTH_REQUIRED',
]

const TERMINAL: ReadonlySet<TaskState> = new Set(['COMPLETED', 'FAILED', 'CANCELED', 'REJECTED'])
const INTERRUPTED: ReadonlySet<TaskState> = new Set(['INPUT_REQUIRED', 'AUTH_REQUIRED'])

/** A task in this state does not change any more. */
export function isTerminal(state: TaskState): boolean {
  return TERMINAL.has(state)
}

/** Terminal, or waiting for the client: blocking sends and streams end with this state. */
export function isTerminalOrInterrupted(state: TaskState): boolean {
  return TERMINAL.has(state) || INTERRUPTED.has(state)
}
