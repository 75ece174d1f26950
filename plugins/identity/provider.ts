/** The provider: stores, keys and tokens, as the routes of this plugin use them. */
import type { Svc } from 'svc/plugin'
import { createRevocations } from './tokens/revocations.ts'
import type { Revocations } from './tokens/revocations.ts'
import { createSigningKeys } from './tokens/signing-keys.ts'
import type { SigningKeys } from './tokens/signing-keys.ts'
import { openStores } from './stores.ts'
import type { Stores } from './stores.ts'
import { createTokens } from './tokens/tokens.ts'
import type { Tokens } from './types.ts'

/** The identity provider of one configuration generation. Keys and stores survive a reload. */
export interface Provider {
  svc: Svc
  stores: Stores
  keys: Promise<SigningKeys>
  revocations: Revocations
  tokens: Tokens
}

/** Opens the stores. The key pair is generated in the background, once per process. */
export function createProvider(svc: Svc): Provider {
  const stores = openStores(svc)
  const keys = svc.shared('signing-keys', createSigningKeys)
  const revocations = createRevocations(stores.revoked)
  return { svc, stores, keys, revocations, tokens: createTokens(svc, keys, revocations) }
}
