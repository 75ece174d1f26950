/** Authenticates the control plane: by the admin token, or by a token with scopes, depending on `SVC_CONTROL_AUTH`. */
import type { ControlAuth as Mode, Config } from '../../config/variables.ts'
import type { AdminGuard } from './admin-guard.ts'
import { createControlTokens, type TokenProblem } from './control-token.ts'
import { parsePublicKey } from './public-key.ts'
import { ALL_SCOPES, type Scope } from './scopes.ts'

export type RefusalReason = 'missing_token' | 'invalid_token' | TokenProblem
/** The scopes of a credential; the admin token has `admin`. */
export type Grant = { scopes: readonly Scope[] } | { reason: RefusalReason }

export interface ControlAuth {
  readonly mode: Mode
  /** Verifies a credential; null if the request has none. Returns a promise only if a signature must be verified. */
  verify(credential: string | null): Grant | Promise<Grant>
  /** Whether a value is the admin token or a verified control-plane token. */
  isCredential(value: string): boolean
}

export function createControlAuth({
  config,
  guard,
  warn,
}: {
  config: Config
  guard: AdminGuard
  warn: (message: string) => void
}): ControlAuth {
  const { controlAuth: mode, controlJwtPublicKey } = config
  const key = controlJwtPublicKey === null ? null : parsePublicKey(controlJwtPublicKey)
  if (controlJwtPublicKey !== null && key === null) {
    warn(
      'invalid SVC_CONTROL_JWT_PUBLIC_KEY (expected an Ed25519 public key: PEM, base64 DER or base64 of 32 bytes): all control-plane tokens are rejected',
    )
  }
  const tokens = key === null || mode !== 'jwt' ? null : createControlTokens(key, audiencesOf(config))

  function verify(credential: string | null): Grant | Promise<Grant> {
    if (credential === null) return { reason: 'missing_token' }
    if (guard.matches(credential)) return { scopes: ALL_SCOPES }
    if (tokens === null || !isTokenShaped(credential)) return { reason: 'invalid_token' }
    const verification = tokens.verify(credential)
    return verification instanceof Promise ? verification.then(toGrant) : toGrant(verification)
  }

  return { mode, verify, isCredential: value => guard.matches(value) || tokens?.isKnown(value) === true }
}

/** By default the instance id, and with a state store its prefix too, since replicas may have different instance ids. */
function audiencesOf({ controlJwtAudience, instanceId, stateStore }: Config): string[] {
  const isDefault = controlJwtAudience === instanceId
  return isDefault && stateStore.url !== null ? [instanceId, stateStore.prefix] : [controlJwtAudience]
}

function toGrant(verification: { scopes: Scope[] } | { problem: TokenProblem }): Grant {
  return 'problem' in verification ? { reason: verification.problem } : verification
}

/** Three parts separated by dots (RFC 7515, 7.1). */
export function isTokenShaped(credential: string): boolean {
  const first = credential.indexOf('.')
  const second = credential.indexOf('.', first + 1)
  return first !== -1 && second !== -1 && !credential.includes('.', second + 1)
}
