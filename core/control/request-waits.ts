/** Waits of control-plane requests for captured requests. */
import { HttpError } from '../contract/plugin.ts'
import { TooSlow } from '../inspector/slices.ts'
import { TooManyWaits } from '../inspector/waits.ts'

/** Maximum time that a request waits for others, in milliseconds. */
export function maxWaitMs(isPublic: boolean): number {
  return isPublic ? 10_000 : 30_000
}

/** Runs a wait or evaluates conditions; 503 if too many waits are open, or if the conditions take too long. */
export async function orRefuse<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run()
  } catch (error) {
    if (error instanceof TooManyWaits) throw new HttpError(503, { error: 'too_many_waits' })
    if (!(error instanceof TooSlow)) throw error
    throw new HttpError(503, {
      error: 'too_slow',
      details: 'the conditions take too long for the stored requests: use fewer, or select a session',
    })
  }
}
