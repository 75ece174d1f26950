/** Owns signing cards: JSON Web Signatures with a detached payload (RFC 7515, A2A 1.0, 8.4). */
import { createHash } from 'node:crypto'
import { type CompactJWSHeaderParameters, exportJWK, FlattenedSign, generateKeyPair, type JWK } from 'jose'
import { StateUnavailable, type Store } from 'svc/plugin'
import type { BoundedMap } from 'svc/toolkit'
import type { JsonObject } from '../types.ts'
import { canonicalCard } from './canonical.ts'

export const CARD_KEY_ID = 'svc-a2a-1'
/** Names a key that the JWK Set does not have. */
const UNKNOWN_KEY_ID = 'svc-a2a-unknown'

export interface CardSignature {
  protected: string
  signature: string
}

/** A new P-256 key as a private JWK (RFC 7518, 6.2). */
export async function createCardKey(): Promise<JWK> {
  const { privateKey } = await generateKeyPair('ES256', { extractable: true })
  return exportJWK(privateKey)
}

export class CardSigner {
  readonly #key: () => JWK
  /** Signatures differ each time, so they are kept: the same card has the same entity tag at every replica. */
  readonly #stored: Store<string>
  /** What this replica has read or signed. */
  readonly #kept: BoundedMap<string>

  constructor(key: () => JWK, stored: Store<string>, kept: BoundedMap<string>) {
    this.#key = key
    this.#stored = stored
    this.#kept = kept
  }

  /** The JWK Set with the public key (RFC 7517, 5). */
  get jwks(): JsonObject {
    const { kty, crv, x, y } = this.#key()
    return { keys: [{ kty, crv, x, y, kid: CARD_KEY_ID, alg: 'ES256', use: 'sig' }] }
  }

  /** A valid signature of a card, whose key is at `jku`. */
  sign(card: JsonObject, jku: string): Promise<CardSignature> {
    return this.#signature(card, { alg: 'ES256', kid: CARD_KEY_ID, typ: 'JOSE', jku }, () => this.#key())
  }

  /** A signature with a key that the JWK Set does not have. */
  signUnknown(card: JsonObject, jku: string): Promise<CardSignature> {
    return this.#signature(card, { alg: 'ES256', kid: UNKNOWN_KEY_ID, typ: 'JOSE', jku }, createCardKey)
  }

  async #signature(
    card: JsonObject,
    header: CompactJWSHeaderParameters,
    key: () => JWK | Promise<JWK>,
  ): Promise<CardSignature> {
    const payload = Buffer.from(canonicalCard(card))
    const encoded = encodeHeader(header)
    const digest = createHash('sha256').update(`${this.#key().x} ${encoded}.`).update(payload).digest('base64url')
    let signature = this.#kept.get(digest)
    if (signature === undefined) {
      const own = await new FlattenedSign(payload).setProtectedHeader(header).sign(await key())
      signature = await this.#agree(digest, own.signature)
      this.#kept.set(digest, signature)
    }
    return { protected: encoded, signature }
  }

  /** The signature that was stored first, or `own` while the store is unavailable. */
  async #agree(digest: string, own: string): Promise<string> {
    try {
      return (await this.#stored.add(digest, own)) ? own : ((await this.#stored.peek(digest)) ?? own)
    } catch (error) {
      if (error instanceof StateUnavailable) return own
      throw error
    }
  }
}

/** The header of an unsigned token (RFC 7515, appendix A.5). */
export function unsigned(jku: string): CardSignature {
  return { protected: encodeHeader({ alg: 'none', kid: CARD_KEY_ID, typ: 'JOSE', jku }), signature: '' }
}

/** The signature with its first bit inverted. */
export function withWrongBit({ protected: header, signature }: CardSignature): CardSignature {
  const bytes = Buffer.from(signature, 'base64url')
  bytes[0]! ^= 0x80
  return { protected: header, signature: bytes.toString('base64url') }
}

function encodeHeader(header: object): string {
  return Buffer.from(JSON.stringify(header)).toString('base64url')
}
