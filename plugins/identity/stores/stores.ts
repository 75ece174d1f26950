/** The stores of all issuers and their limits. */
import type { Store, Svc } from 'svc/plugin'
import { type MirroredStore, mirrorStore } from 'svc/toolkit'
import type { JWK } from 'jose'
import type { IssuerSettings } from '../settings/issuer-settings.ts'
import type {
  AuthorizationCode,
  Client,
  DeviceCode,
  KeyRecord,
  OpaqueToken,
  PushedRequest,
  RefreshToken,
  Session,
  StoredKey,
} from './records.ts'

/** Lifetime of an authorization code in milliseconds, unless the issuer sets another one. */
export const CODE_LIFE_MS = 300_000
/** Lifetime of a refresh token in milliseconds, unless the issuer sets another one. */
export const REFRESH_TOKEN_LIFE_MS = 86_400_000
/** Lifetime of a client registration in milliseconds. */
export const REGISTRATION_LIFE_MS = 86_400_000

/** A full store drops the entry that expires first. */
export interface Stores {
  codes: Store<AuthorizationCode>
  refreshTokens: Store<RefreshToken>
  /** Access tokens that are not JWTs. */
  accessTokens: Store<OpaqueToken>
  clients: Store<Client>
  /** Digests of revoked token ids. */
  revoked: Store<true>
  /** Digests of the ids of client assertions, which are accepted once. */
  assertionIds: Store<true>
  /** Digests of the ids of DPoP proofs, which are accepted once. */
  proofIds: Store<true>
  /** Device codes by user code. */
  deviceCodes: Store<DeviceCode>
  /** Clients whose id is a URL, by id. */
  clientDocuments: Store<Client>
  /** Public keys by URL. */
  keySets: Store<JWK[]>
  /** By request URI. */
  pushedRequests: Store<PushedRequest>
  /** By session id. */
  sessions: Store<Session>
  /** Digests of the ids of steps of a login, which are used once. */
  usedSteps: Store<true>
}

const MIB = 1024 * 1024

/**
 * Opens the stores, smaller in public mode. The counts suit entries of normal size; `maxBytes` bounds oversized ones. An
 * issuer can use half of a store for tokens.
 */
export function openStores(svc: Pick<Svc, 'state' | 'config'>): Stores {
  const { publicMode } = svc.config
  const tokens = publicMode ? 2_000 : 10_000
  const size = { maxBytes: (publicMode ? 8 : 32) * MIB }
  const fetched = { maxCount: publicMode ? 50 : 200, maxBytes: 4 * MIB }
  const count = { maxCount: 2 * tokens, maxPerGroup: tokens }
  return {
    codes: svc.state<AuthorizationCode>('codes', { ...count, ttlMs: CODE_LIFE_MS, secret: true, ...size }),
    refreshTokens: svc.state<RefreshToken>('refresh-tokens', {
      ...count,
      ttlMs: REFRESH_TOKEN_LIFE_MS,
      secret: true,
      ...size,
    }),
    accessTokens: svc.state<OpaqueToken>('access-tokens', { ...count, secret: true, ...size }),
    clients: svc.state<Client>('clients', {
      maxCount: publicMode ? 200 : 1_000,
      ttlMs: REGISTRATION_LIFE_MS,
      secret: true,
      ...size,
    }),
    revoked: svc.state('revoked', { ...count, evict: 'expiring' }),
    assertionIds: svc.state('assertion-ids', { maxCount: tokens, evict: 'expiring' }),
    clientDocuments: svc.state<Client>('client-documents', { ...fetched, evict: 'idle' }),
    keySets: svc.state<JWK[]>('key-sets', { ...fetched, evict: 'idle' }),
    proofIds: svc.state('proof-ids', { maxCount: tokens, evict: 'expiring' }),
    sessions: svc.state<Session>('sessions', { ...count, secret: true, ...size }),
    usedSteps: svc.state('used-steps', { maxCount: tokens, evict: 'expiring' }),
    pushedRequests: svc.state<PushedRequest>('pushed-requests', { maxCount: tokens, secret: true, ...size }),
    deviceCodes: svc.state<DeviceCode>('device-codes', { maxCount: tokens, secret: true, ...size }),
  }
}

/** Opens the counts of wrong user codes by the address of the client; they end a minute after the first. */
export function openDeviceAttempts(svc: Pick<Svc, 'state'>): Store<number> {
  return svc.state<number>('device-attempts', { maxCount: 10_000, ttlMs: 60_000 })
}

/** Opens the count of introspections with the fault `flip`. */
export function openFlips(svc: Pick<Svc, 'state'>): Store<number> {
  return svc.state<number>('introspection-flips', { maxCount: 1 })
}

/** More than all issuers that can exist at once. */
const MAX_KEY_RECORDS = 400
/** Issuers of the control plane are removed a day after their last change. */
const ISSUER_LIFE_MS = 86_400_000

/** Opens the store of the issuers' keys, by the name of the issuer. */
export function openKeyRecords(svc: Svc): MirroredStore<KeyRecord> {
  const store = svc.state<KeyRecord>('issuer-keys', {
    maxCount: MAX_KEY_RECORDS,
    maxBytes: 16 * MIB,
    evict: 'idle',
    secret: true,
    watched: true,
  })
  return mirrorStore(svc, store, handler => svc.channel('issuer-keys', handler))
}

/** Opens the store of keys that no issuer has, by use and algorithm. Few combinations exist. */
export function openDebugKeys(svc: Pick<Svc, 'state'>): Store<StoredKey> {
  return svc.state<StoredKey>('debug-keys', { maxCount: 100, secret: true })
}

/** Opens the store of the issuers that were created with the control plane, by name. */
export function openAddedIssuers(svc: Pick<Svc, 'state' | 'config'>): Store<IssuerSettings> {
  return svc.state<IssuerSettings>('issuers', {
    maxCount: svc.config.publicMode ? 20 : 100,
    maxBytes: 4 * MIB,
    ttlMs: ISSUER_LIFE_MS,
    secret: true,
  })
}

/** The part of each store that belongs to one issuer: nothing of one is known to another. */
export function storesOf(stores: Stores, issuer: string): Stores {
  return {
    codes: stores.codes.within(issuer),
    refreshTokens: stores.refreshTokens.within(issuer),
    accessTokens: stores.accessTokens.within(issuer),
    clients: stores.clients.within(issuer),
    revoked: stores.revoked.within(issuer),
    assertionIds: stores.assertionIds.within(issuer),
    clientDocuments: stores.clientDocuments.within(issuer),
    keySets: stores.keySets.within(issuer),
    proofIds: stores.proofIds.within(issuer),
    deviceCodes: stores.deviceCodes.within(issuer),
    pushedRequests: stores.pushedRequests.within(issuer),
    sessions: stores.sessions.within(issuer),
    usedSteps: stores.usedSteps.within(issuer),
  }
}
