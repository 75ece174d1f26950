/** Waits before or within a response. */
import { sleep } from '../../toolkit/sleep.ts'
import type { RequestContext } from './context.ts'

/** Returns false if the client disconnected, or another response was sent, before the time elapsed. */
export async function waitFor(context: RequestContext, ms: number): Promise<boolean> {
  return !context.closed && (await sleep(ms, { signal: context.signal })) && !context.response.isDetached
}
