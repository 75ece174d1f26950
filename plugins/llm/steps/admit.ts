/** The rate limits. */
import type { ModelCall } from '../call/model-call.ts'
import type { CallServices } from '../call/services.ts'

/** Takes what the call needs from its buckets. Throws `ProviderError` if it is refused. */
export function admitToLimits(call: ModelCall, { limiter }: CallServices): boolean | Promise<boolean> {
  const admitting = limiter.admit(call, call.parsed!)
  if (admitting === null) return true
  return admitting.then(admission => {
    call.admission = admission
    return true
  })
}
