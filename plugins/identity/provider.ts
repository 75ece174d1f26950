/** The provider: stores, keys and tokens, as the routes of this plugin use them. */
import type { Svc } from 'svc/plugin'
import { createRevocations } from './tokens/revocations.ts'
import type { Revocations } from './tokens/revocations.ts'
import { createKnownTokens, createSigningKey, importSigningKeys } from './tokens/signing-keys.ts'
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

/** Opens the stores. The key pair is generated once for all replicas, before the first request. */
export function createProvider(svc: Svc): Provider {
  const stores = openStores(svc)
  const signingKey = svc.replicated('signing-key', { initial: createSigningKey, secret: true })
  const known = svc.shared('known-tokens', createKnownTokens)
  const keys = new Promise<SigningKeys>(resolve => {
    svc.whenRegistered(() => resolve(importSigningKeys(signingKey.current, known)))
  })
  const revocations = createRevocations(stores.revoked)
  return { svc, stores, keys, revocations, tokens: createTokens(svc, keys, revocations) }
}
