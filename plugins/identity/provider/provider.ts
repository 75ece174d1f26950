/** The provider: issuers and tokens, as the routes of this plugin use them. */
import type { JWK } from 'jose'
import { type Store, type Svc } from 'svc/plugin'
import { BoundedMap, createFetcher, type FetcherOptions } from 'svc/toolkit'
import { KEY_CLIENT, KEY_CLIENT_ALGORITHM } from '../accounts/demo-clients.ts'
import { createDpopNonces } from '../binding/dpop-nonces.ts'
import { createTokenBinder, type TokenBinder } from '../binding/token-binding.ts'
import { createFaults, type Faults } from '../faults/faults.ts'
import type { Issuer } from '../issuers/issuer.ts'
import { createIssuerNames } from '../issuers/issuer-hosts.ts'
import { createIssuers, type Issuers } from '../issuers/issuers.ts'
import { generateJwk } from '../jwt/algorithms.ts'
import { createImportedKeys, importThrough, publicJwk } from '../keys/imported-keys.ts'
import { createThrowAwayKeys } from '../keys/throw-away-keys.ts'
import { createSteps, type Steps } from '../login/steps.ts'
import { createOrderKeys, type OrderKeys } from '../orders/signer.ts'
import { FETCH_ALLOW, type IdentityOptions } from '../settings/options.ts'
import type { StoredKey } from '../stores/records.ts'
import {
  openDebugKeys,
  openDeviceAttempts,
  openFlips,
  openKeyRecords,
  openStores,
  type Stores,
} from '../stores/stores.ts'
import { type KnownToken, verifyOfIssuer } from '../tokens/verification.ts'
import type { TokenChecks, Tokens, TokenVerification } from '../types.ts'
import { createTokens } from './tokens.ts'

const MAX_KNOWN_TOKENS = 1000

/** The identity provider of one configuration generation. Keys and stores survive a reload. */
export interface Provider {
  svc: Svc<IdentityOptions>
  issuers: Issuers
  tokens: Omit<Tokens, 'order'>
  orderKeys: OrderKeys
  /** The key pair of the demo client with one. */
  demoClientKey(): Promise<StoredKey>
  faults: Faults
  /** The states of logins between two pages. */
  steps: Steps
  binder: TokenBinder
  /** Verifies a token of an issuer that is not revoked. */
  verify(issuer: Issuer, token: string, checks?: TokenChecks): Promise<TokenVerification>
}

/** Opens the stores. The key pair of the default issuer is generated once for all replicas, before the first request. */
export function createProvider(svc: Svc<IdentityOptions>): Provider {
  const stores = openStores(svc)
  const signingKey = svc.replicated<JWK>('signing-key', { initial: () => generateJwk('RS256'), secret: true })
  const records = openKeyRecords(svc)
  const importKey = importThrough(svc.shared('imported-keys', createImportedKeys))
  const known = svc.shared('known-tokens', () => new BoundedMap<KnownToken>(MAX_KNOWN_TOKENS))
  const throwAway = createThrowAwayKeys(openDebugKeys(svc))
  const demoClientKey = (): Promise<StoredKey> => throwAway(KEY_CLIENT, KEY_CLIENT_ALGORITHM)
  const demoKey = async (): Promise<JWK> => publicJwk(await demoClientKey())
  const parts = {
    svc,
    stores,
    keys: { records, importKey },
    demoKey,
    fetcher: createFetcher(svc, documentFetches(svc)),
    nameOf: createIssuerNames(svc.options.hosts),
  }
  const issuers = createIssuers(svc, parts, () => signingKey.current)
  const faults = createFaults(svc)
  svc
    .use('testing.resets')
    .register({ name: 'identity', scope: 'instance', reset: () => resetAll(svc, stores, issuers, faults) })
  return {
    svc,
    issuers,
    tokens: createTokens(svc, issuers, known),
    demoClientKey,
    orderKeys: createOrderKeys(svc as unknown as Svc, issuers, importKey, openDebugKeys(svc)),
    faults,
    steps: createSteps(svc),
    binder: createTokenBinder(svc, createDpopNonces(svc)),
    verify: (issuer, token, checks) => verifyOfIssuer(token, { refuseRevoked: true, ...checks }, issuer, known),
  }
}

/**
 * Removes the issuers of the control plane, and the faults, rotations, registered clients, sessions and codes of all.
 * Returns their number.
 */
async function resetAll(svc: Svc<IdentityOptions>, stores: Stores, issuers: Issuers, faults: Faults): Promise<number> {
  const all: readonly Pick<Store<unknown>, 'clear'>[] = Object.values(stores)
  const cleared = await Promise.all(all.map(store => store.clear()))
  await Promise.all([openDeviceAttempts(svc), openFlips(svc)].map(store => store.clear()))
  let removed = cleared.reduce((sum, count) => sum + count, 0)
  for (const { name, keys } of [issuers.default, ...(await issuers.list())]) {
    if (await faults.reset(name)) removed++
    const isRemoved = await issuers.remove(name)
    if (isRemoved || (await keys.undoRotations())) removed++
  }
  return removed
}

/** Requests for documents and keys that clients name count together. */
function documentFetches(svc: Svc<IdentityOptions>): FetcherOptions {
  return {
    allow: svc.options.fetch_allow,
    setting: FETCH_ALLOW,
    active: svc.shared('fetches', () => ({ count: 0 })),
    maxAtOnce: svc.config.publicMode ? 2 : 8,
  }
}
