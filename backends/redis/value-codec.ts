/** The text of a value in the state store: JSON, deflated if that is shorter, encrypted if it is secret. */
import { createCipheriv, createDecipheriv, hash, hkdfSync, randomBytes } from 'node:crypto'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { assertJson, copyJson } from '../../core/state/json-values.ts'

/** Values up to this length are not deflated. */
const PLAIN_LENGTH = 4096
/** Maximum length of an inflated value. */
const MAX_LENGTH = 256 * 1024 * 1024
/** First character of deflated and of encrypted texts. JSON begins with neither. */
const DEFLATED = 'z'
const ENCRYPTED = 'e'
const CIPHER = 'aes-256-gcm'
const IV_BYTES = 12
const TAG_BYTES = 16

export interface CodecOptions {
  /** Beginning of TypeError messages, such as `state "marks" of plugin tally`. */
  what: string
  /** Key of `aes-256-gcm`; null stores plain text. */
  key: Buffer | null
}

export class ValueCodec {
  readonly #what: string
  readonly #key: Buffer | null

  constructor({ what, key }: CodecOptions) {
    this.#what = what
    this.#key = key
  }

  /** Copies a value. Throws a TypeError if it is not JSON. */
  copy<T>(value: T): T {
    return copyJson(value, this.#what)
  }

  /** Throws a TypeError for a value that is not JSON. `entry` is authenticated with an encrypted text. */
  encode(value: unknown, entry: string): string {
    this.check(value)
    return this.#print(value, PLAIN_LENGTH, entry)
  }

  /** Like `encode` for a list of values that were checked. Deflates it if they are long on average. */
  encodeList(values: readonly unknown[], entry: string): string {
    return this.#print(values, PLAIN_LENGTH * values.length, entry)
  }

  /** Throws a TypeError for a value that is not JSON. */
  check(value: unknown): void {
    assertJson(value, this.#what)
  }

  #print(value: unknown, plainLength: number, entry: string): string {
    const json = JSON.stringify(value)
    const text = json.length > plainLength ? deflate(json) : json
    return this.#key === null ? text : encrypt(text, this.#key, entry)
  }

  /** Undefined for a text that this deployment's secret can't decrypt. */
  decode(text: string, entry: string): unknown {
    const plain = text.startsWith(ENCRYPTED) ? this.#key && decrypt(text, this.#key, entry) : text
    if (plain === null) return undefined
    return JSON.parse(plain.startsWith(DEFLATED) ? inflate(plain) : plain)
  }
}

/** The key that encrypts what `purpose` names. */
export function encryptionKey(secret: string, prefix: string, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', `${prefix} ${purpose}`, 32))
}

/** A name that reveals nothing about the text. */
export function hashName(text: string): string {
  return hash('sha256', text, 'base64url')
}

function deflate(json: string): string {
  const deflated = `${DEFLATED}${deflateRawSync(json).toString('base64')}`
  return deflated.length < json.length ? deflated : json
}

function inflate(text: string): string {
  return inflateRawSync(Buffer.from(text.slice(1), 'base64'), { maxOutputLength: MAX_LENGTH }).toString()
}

function encrypt(text: string, key: Buffer, entry: string): string {
  const iv = randomBytes(IV_BYTES)
  const cipher = createCipheriv(CIPHER, key, iv)
  cipher.setAAD(Buffer.from(entry))
  const encrypted = Buffer.concat([iv, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()])
  return `${ENCRYPTED}${encrypted.toString('base64')}`
}

function decrypt(text: string, key: Buffer, entry: string): string | null {
  const bytes = Buffer.from(text.slice(1), 'base64')
  if (bytes.length < IV_BYTES + TAG_BYTES) return null
  const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, IV_BYTES))
  decipher.setAAD(Buffer.from(entry))
  decipher.setAuthTag(bytes.subarray(-TAG_BYTES))
  try {
    return Buffer.concat([decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()]).toString()
  } catch {
    return null
  }
}
