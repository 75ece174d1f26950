/** Waits of control-plane requests for captured requests. */
import { HttpError } from '../contract/plugin.ts'
import { TooManyWaits } from '../inspector/waits.ts'

/** Maximum time that a request waits for others, in milliseconds. */
export function maxWaitMs(isPublic: boolean): number {
  return isPublic ? 10_000 : 30_000
}

/** Runs a wait; 503 if too many waits are open. */
export async function orRefuse<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run()
  } catch (error) {
    throw error instanceof TooManyWaits ? new HttpError(503, { error: 'too_many_waits' }) : error
  }
}
