/** A step of a call. */
import type { ModelCall } from '../call/model-call.ts'
import type { CallServices } from '../call/services.ts'

/**
 * Returns true to continue, and false if the call has been answered or nobody waits for its reply any more. What a step
 * throws is the provider's error.
 */
export type Step = (call: ModelCall, services: CallServices) => boolean | Promise<boolean>

/** Waits. False if nobody waits for the reply any more: the call has ended. */
export async function waitOrLeave({ recipient }: ModelCall, ms: number): Promise<boolean> {
  if (await recipient!.wait(ms)) return true
  recipient!.leave()
  return false
}
