/** The credential of a request. A missing or invalid one takes precedence over every fault. */
import type { ModelCall } from '../call/model-call.ts'
import { ProviderError } from '../contract/errors.ts'
import { isEnforced } from '../headers/credentials.ts'

/** Throws `ProviderError`, or what the format's own check throws. */
export function checkCredential(call: ModelCall): boolean {
  const { instance, credential, svc } = call
  const { requireAuth } = svc.variables
  call.isRefused = true
  const apiKey = instance.requirement.apiKey ?? svc.variables.apiKey
  const enforced =
    call.route.needsNoCredential !== true &&
    isEnforced({ requireAuth: instance.requirement.requireAuth || requireAuth, apiKey }, call.headers)
  if (enforced) {
    if (credential === null) throw new ProviderError('missing_credential')
    if (credential.malformed !== undefined)
      throw new ProviderError('invalid_credential', { type: 'malformed', message: credential.malformed })
    if (apiKey !== null && credential.value !== apiKey) throw new ProviderError('invalid_credential')
  }
  call.isRefused = false
  instance.format.check?.({ headers: call.headers, enforced, path: call.path })
  return true
}
