/** Limits the time that code may run without a pause. Plugins run in the process of the server, which they would stop. */
import { Script } from 'node:vm'

/** The time that plugin code may run without a pause while it is loaded or registers. Long enough for a busy machine. */
export const MAX_RUN_MS = 10_000

/** Where a call is kept while `vm`, which can interrupt scripts only, runs it. */
const CALL = Symbol.for('svc.limited-call')
const CALLER = new Script(`globalThis[Symbol.for('${CALL.description}')]()`, { filename: 'svc-limited-call.js' })

/** Calls `work`. After `ms` milliseconds it is interrupted, and an error says that `what` took too long. */
export function runLimited<T>(ms: number, what: string, work: () => T): T {
  Object.defineProperty(globalThis, CALL, { value: work, configurable: true })
  try {
    return CALLER.runInThisContext({ timeout: ms, displayErrors: false }) as T
  } catch (error) {
    if ((error as NodeJS.ErrnoException | null)?.code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error
    throw new Error(`${what} did not end within ${ms / 1000} s: it must not block the process`)
  } finally {
    Reflect.deleteProperty(globalThis, CALL)
  }
}
