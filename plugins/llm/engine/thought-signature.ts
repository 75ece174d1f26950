/**
 * Signatures of thinking: they tell what this product has made from what it has not, and find changes. They are keyed with a
 * constant and protect nothing, so a recorded conversation stays valid after a restart and on another instance.
 */
import { createHash, createHmac } from 'node:crypto'
import { isSameSecret } from 'svc/toolkit'

const KEY = 'svc thought signature 1'
const DIGEST = 16
const FLAG = 1
const OMITTED = 1
const BOUND = 2
/** Makes signatures as long as those of vendors; of a bound one it begins with the digest of what came before. */
const FILLER = 32
const MAC = 32
const LENGTH = DIGEST + FLAG + FILLER + MAC
const MAX_CHARACTERS = 400

export interface ThoughtSignature {
  /** The text was not sent, so it cannot be compared. */
  isOmitted: boolean
  /** Whether it was made for this text. */
  isOf(text: string): boolean
  /** Whether it was made after this conversation, which is given as it was to `signThought`; also if it is bound to none. */
  isAfter(conversation: string): boolean
  /** Whether it is bound to what came before. */
  isBound: boolean
}

/** The signature of a text, as base64: the same each time. `after`: what came before the thought, if it is bound to that. */
export function signThought(
  text: string,
  { isOmitted = false, after }: { isOmitted?: boolean; after?: string } = {},
): string {
  const digest = digestOf(text)
  const filler = createHash('sha256').update(digest).digest()
  if (after !== undefined) digestOf(after).copy(filler)
  const flags = (isOmitted ? OMITTED : 0) | (after === undefined ? 0 : BOUND)
  const signed = Buffer.concat([digest, Buffer.of(flags), filler])
  return Buffer.concat([signed, macOf(signed)]).toString('base64')
}

/** Null: this product has not made the signature. */
export function readThought(signature: string): ThoughtSignature | null {
  if (signature.length > MAX_CHARACTERS) return null
  const bytes = Buffer.from(signature, 'base64')
  if (bytes.length !== LENGTH) return null
  const signed = bytes.subarray(0, LENGTH - MAC)
  if (!isSameSecret(bytes.toString('hex', LENGTH - MAC), macOf(signed).toString('hex'))) return null
  const flags = signed[DIGEST]!
  const isBound = (flags & BOUND) !== 0
  const start = DIGEST + FLAG
  return {
    isOmitted: (flags & OMITTED) !== 0,
    isOf: text => digestOf(text).equals(signed.subarray(0, DIGEST)),
    isAfter: conversation => !isBound || digestOf(conversation).equals(signed.subarray(start, start + DIGEST)),
    isBound,
  }
}

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest().subarray(0, DIGEST)
}

function macOf(signed: Buffer): Buffer {
  return createHmac('sha256', KEY).update(signed).digest()
}
