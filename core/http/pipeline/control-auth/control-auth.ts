/** Who may use the control plane: the admin token, or a token with scopes, as `SVC_CONTROL_AUTH` says. */
import type { ControlAuth as Mode, Config } from '../../../config/variables.ts'
import type { AdminGuard } from '../admin-guard.ts'
import { createControlTokens } from './control-token.ts'
import type { TokenProblem } from './control-token.ts'
import { parsePublicKey } from './public-key.ts'
import { ALL_SCOPES, type Scope } from './scopes.ts'

export type RefusalReason = 'missing_token' | 'invalid_token' | TokenProblem
/** What a credential is worth; `admin` among the scopes for the admin token too. */
export type Grant = { scopes: readonly Scope[] } | { reason: RefusalReason }

export interface ControlAuth {
  readonly mode: Mode
  /** Judges a presented credential; null: there is none. A promise only where a signature has to be verified. */
  judge(credential: string | null): Grant | Promise<Grant>
  /** Whether a value is the admin token or a control-plane token that was found valid. */
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
  const { controlAuth: mode, controlJwtPublicKey, controlJwtAudience } = config
  const key = controlJwtPublicKey === null ? null : parsePublicKey(controlJwtPublicKey)
  if (controlJwtPublicKey !== null && key === null) {
    warn(
      'invalid SVC_CONTROL_JWT_PUBLIC_KEY (expected an Ed25519 public key: PEM, base64 DER or base64 of 32 bytes): all control-plane tokens are rejected',
    )
  }
  const tokens = key === null || mode !== 'jwt' ? null : createControlTokens(key, controlJwtAudience)

  function judge(credential: string | null): Grant | Promise<Grant> {
    if (credential === null) return { reason: 'missing_token' }
    if (guard.matches(credential)) return { scopes: ALL_SCOPES }
    if (tokens === null || !isTokenShaped(credential)) return { reason: 'invalid_token' }
    const verification = tokens.verify(credential)
    return verification instanceof Promise ? verification.then(toGrant) : toGrant(verification)
  }

  return { mode, judge, isCredential: value => guard.matches(value) || tokens?.isKnown(value) === true }
}

function toGrant(verification: { scopes: Scope[] } | { problem: TokenProblem }): Grant {
  return 'problem' in verification ? { reason: verification.problem } : verification
}

/** Three parts between dots (RFC 7515, 7.1). */
export function isTokenShaped(credential: string): boolean {
  const first = credential.indexOf('.')
  const second = credential.indexOf('.', first + 1)
  return first !== -1 && second !== -1 && !credential.includes('.', second + 1)
}
