/** Keys for orders: those of the issuer, and untrusted keys. */
import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto'
import type { JWK } from 'jose'
import type { Store, Svc } from 'svc/plugin'
import { DEMO_CLIENT_SECRET, KEY_CLIENT, KEY_CLIENT_ALGORITHM } from '../accounts/demo-clients.ts'
import type { Issuer } from '../issuers/issuer.ts'
import type { Issuers } from '../issuers/issuers.ts'
import {
  isKeyPairAlgorithm,
  isSecretAlgorithm,
  type KeyPairAlgorithm,
  type SecretAlgorithm,
} from '../jwt/algorithms.ts'
import { type ImportKey, publicJwk } from '../keys/imported-keys.ts'
import type { SigningKey } from '../keys/issuer-keys.ts'
import { nextKey, previousKey, signingKey } from '../keys/key-record.ts'
import { createThrowAwayKeys, type ThrowAwayKeys } from '../keys/throw-away-keys.ts'
import { OAuthError } from '../oauth/errors.ts'
import { DEFAULT_ISSUER } from '../settings/issuer-settings.ts'
import type { StoredKey } from '../stores/records.ts'
import { DEMO_SECRET } from '../tokens/sign.ts'
import type { TokenHeader } from '../types.ts'
import type { Order } from './order.ts'
import { macOf, signInput } from './raw-jws.ts'

/** Makes the signature of an order. */
export interface OrderSigner {
  /** Members of the header: `alg`, `kid` and those that name a key. */
  header: TokenHeader
  sign(input: string): Buffer
}

/** The keys that orders use. */
export interface OrderKeys {
  signer(order: Order, issuer: Issuer, baseUrl: string): Promise<OrderSigner>
  /** A key that no issuer has, by use. */
  throwAway: ThrowAwayKeys
  /** The public keys of the header `jku`. */
  published(): Promise<JWK[]>
}

/** Use of the keys that `foreign`, `embedded` and `jku` sign with. */
const FOREIGN = 'foreign'
/** Issuers whose keys serve as those of another issuer. */
const OTHER_ISSUERS = ['full', 'idp']
/** RSA for the algorithms with RSA, else the curve of the algorithm. */
const CERTIFICATE_KEYS: Partial<Record<KeyPairAlgorithm, 'ec' | 'p384' | 'ed25519'>> = {
  ES256: 'ec',
  ES384: 'p384',
  EdDSA: 'ed25519',
}

/** Whether a client signs tokens of the kind, not an issuer. */
export function isSignedByClient({ kind }: Order): boolean {
  return kind === 'client-assertion' || kind === 'request-object'
}

async function defaultAlgorithm(order: Order, { keys }: Issuer): Promise<KeyPairAlgorithm> {
  return isSignedByClient(order) ? KEY_CLIENT_ALGORITHM : (await keys.signing())!.alg
}

/** Opens the keys. */
export function createOrderKeys(svc: Svc, issuers: Issuers, importKey: ImportKey, store: Store<StoredKey>): OrderKeys {
  const throwAway = createThrowAwayKeys(store)

  /** The key of the demo client with a key pair. */
  async function clientSigning(alg: KeyPairAlgorithm): Promise<SigningKey | undefined> {
    if (alg !== KEY_CLIENT_ALGORITHM) return undefined
    const stored = await throwAway(KEY_CLIENT, alg)
    return { kid: stored.kid, alg, privateKey: importKey(stored).privateKey }
  }

  async function keyPairSigner(
    alg: KeyPairAlgorithm,
    order: Order,
    issuer: Issuer,
    baseUrl: string,
  ): Promise<OrderSigner> {
    const { key = 'current' } = order
    const current = isSignedByClient(order) ? await clientSigning(alg) : await issuer.keys.signing(alg)
    const kid = current?.kid ?? `${issuer.name}-${alg.toLowerCase()}-unpublished`
    const signer = (privateKey: KeyObject, header: TokenHeader): OrderSigner => ({
      header: { alg, ...header },
      sign: input => signInput(alg, privateKey, input),
    })
    const ofStored = (stored: StoredKey, header: TokenHeader = { kid: stored.kid }): OrderSigner =>
      signer(importKey(stored).privateKey, header)
    switch (key) {
      case 'previous':
      case 'next': {
        const record = await issuer.keys.record()
        const stored = key === 'next' ? nextKey(record, Date.now()) : previousKey(record, Date.now())
        if (stored?.alg !== alg) throw new OAuthError('invalid_request', `key: there is no ${key} key for ${alg}`)
        return ofStored(stored)
      }
      case 'unpublished':
        return ofStored(await throwAway(key, alg), { kid: `${issuer.name}-${alg.toLowerCase()}-unpublished` })
      case 'foreign':
        return ofStored(await throwAway(FOREIGN, alg), { kid })
      case 'other-issuer': {
        const others = await Promise.all(OTHER_ISSUERS.filter(name => name !== issuer.name).map(issuers.find))
        const keys = await Promise.all(others.map(other => other?.keys.signing(alg)))
        const other = keys.find(candidate => candidate !== undefined)
        return other === undefined
          ? ofStored(await throwAway('other', alg))
          : signer(other.privateKey, { kid: other.kid })
      }
      case 'embedded': {
        const stored = await throwAway(FOREIGN, alg)
        return ofStored(stored, { kid: stored.kid, jwk: publicJwk(stored) })
      }
      case 'jku': {
        const stored = await throwAway(FOREIGN, alg)
        return ofStored(stored, { kid: stored.kid, jku: `${baseUrl}/oauth/debug/jwks` })
      }
      case 'x5c': {
        const type = alg.startsWith('RS') || alg.startsWith('PS') ? 'rsa' : CERTIFICATE_KEYS[alg]
        if (type === undefined) throw new OAuthError('invalid_request', `key: x5c does not support ${alg}`)
        const pair = await svc.pki.issue({ subject: 'CN=svc order, O=svc Demo', key: type })
        return signer(createPrivateKey(pair.key), {
          kid,
          x5c: [new X509Certificate(pair.certificate).raw.toString('base64')],
        })
      }
      default:
        return current === undefined
          ? ofStored(await throwAway('unpublished', alg), { kid })
          : signer(current.privateKey, { kid })
    }
  }

  async function secretSigner(alg: SecretAlgorithm, order: Order, issuer: Issuer): Promise<OrderSigner> {
    const { key } = order
    // A client's own secret; only that of the demo client is public.
    if (isSignedByClient(order) && key === undefined)
      return { header: { alg }, sign: input => macOf(alg, DEMO_CLIENT_SECRET, input) }
    const current = signingKey(await issuer.keys.record(), Date.now())
    const { publicKey } = importKey(current)
    const secret =
      key === 'hs-confusion'
        ? publicKey.export({ type: 'spki', format: 'pem' }).toString()
        : key === 'hs-confusion-jwk'
          ? JSON.stringify(publicJwk(current))
          : key === 'empty'
            ? ''
            : DEMO_SECRET
    const isKnown = secret === DEMO_SECRET && issuer.name === DEFAULT_ISSUER
    return {
      header: { alg, ...(!isKnown && { kid: current.kid }) },
      sign: input => macOf(alg, secret, input),
    }
  }

  return {
    throwAway,
    async signer(order, issuer, baseUrl) {
      const { key = 'current' } = order
      const isSecretKey = key === 'empty' || key === 'hs-confusion' || key === 'hs-confusion-jwk'
      const algorithm = order.algorithm ?? (isSecretKey ? 'HS256' : await defaultAlgorithm(order, issuer))
      if (isSecretAlgorithm(algorithm)) return secretSigner(algorithm, order, issuer)
      if (isKeyPairAlgorithm(algorithm)) {
        if (isSecretKey) throw new OAuthError('invalid_request', `key: ${key} needs an algorithm with a secret`)
        return keyPairSigner(algorithm, order, issuer, baseUrl)
      }
      return { header: { alg: algorithm }, sign: () => Buffer.alloc(0) }
    },
    async published() {
      const stored = await store.list()
      return stored.filter(({ key }) => key.startsWith(FOREIGN)).map(({ value }) => publicJwk(value))
    },
  }
}
