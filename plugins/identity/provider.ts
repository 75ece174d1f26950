/** What the routes of this plugin work with. */
import type { Svc } from 'svc/plugin'
import { createRevocations } from './tokens/revocations.ts'
import type { Revocations } from './tokens/revocations.ts'
import { createSigningKeys } from './tokens/signing-keys.ts'
import type { SigningKeys } from './tokens/signing-keys.ts'
import { openStores } from './stores.ts'
import type { Stores } from './stores.ts'
import { createTokens } from './tokens/tokens.ts'
import type { Tokens } from './types.ts'

/** The identity provider of one generation, over keys and stores that outlive it. */
export interface Provider {
  svc: Svc
  stores: Stores
  keys: Promise<SigningKeys>
  revocations: Revocations
  tokens: Tokens
}

/** Opens the stores; the key pair is made in the background, once for the process. */
export function createProvider(svc: Svc): Provider {
  const stores = openStores(svc)
  const keys = svc.shared('signing-keys', createSigningKeys)
  const revocations = createRevocations(stores.revoked)
  return { svc, stores, keys, revocations, tokens: createTokens(svc, keys, revocations) }
}
