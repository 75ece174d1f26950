/**
 * Signatures of thinking: they tell what this product has made from what it has not, and find changes. They are keyed with a
 * constant and protect nothing, so a recorded conversation stays valid after a restart and on another instance.
 */
import { createHash, createHmac } from 'node:crypto'
import { isSameSecret } from 'svc/toolkit'

const KEY = 'svc thought signature 1'
const DIGEST = 16
const FLAG = 1
/** Makes signatures as long as those of vendors. */
const FILLER = 32
const MAC = 32
const LENGTH = DIGEST + FLAG + FILLER + MAC
const MAX_CHARACTERS = 400

export interface ThoughtSignature {
  /** The text was not sent, so it cannot be compared. */
  isOmitted: boolean
  /** Whether it was made for this text. */
  isOf(text: string): boolean
}

/** The signature of a text, as base64: the same each time. */
export function signThought(text: string, { isOmitted = false }: { isOmitted?: boolean } = {}): string {
  const digest = digestOf(text)
  const signed = Buffer.concat([digest, Buffer.of(isOmitted ? 1 : 0), createHash('sha256').update(digest).digest()])
  return Buffer.concat([signed, macOf(signed)]).toString('base64')
}

/** Null: this product has not made the signature. */
export function readThought(signature: string): ThoughtSignature | null {
  if (signature.length > MAX_CHARACTERS) return null
  const bytes = Buffer.from(signature, 'base64')
  if (bytes.length !== LENGTH) return null
  const signed = bytes.subarray(0, LENGTH - MAC)
  if (!isSameSecret(bytes.toString('hex', LENGTH - MAC), macOf(signed).toString('hex'))) return null
  return {
    isOmitted: signed[DIGEST] === 1,
    isOf: text => digestOf(text).equals(signed.subarray(0, DIGEST)),
  }
}

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest().subarray(0, DIGEST)
}

function macOf(signed: Buffer): Buffer {
  return createHmac('sha256', KEY).update(signed).digest()
}
