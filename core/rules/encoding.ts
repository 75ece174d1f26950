/** `X-Svc-Encoding`, and `encoding` of rules: the content coding in which a response is sent. */
import { ENCODER_CODINGS, type EncoderCoding } from '../toolkit/content-encoder.ts'

/** Codings that are wrong on purpose. */
const WRONG = ['gzip-mislabeled', 'gzip-twice', 'gzip-cut'] as const

/** The accepted values. */
export const ENCODINGS = [...ENCODER_CODINGS, ...WRONG, 'identity'] as const
export type Encoding = (typeof ENCODINGS)[number]

export interface ResponseEncoding {
  /** The value, as given. */
  name: Encoding
  coding: EncoderCoding
  /** How it is wrong on purpose: the field without the coding, the coding twice, the end missing; null if it is not. */
  fault: 'mislabeled' | 'twice' | 'cut' | null
}

/** Reads a value, in any case; null for one that is not known. */
export function readEncoding(text: string): Encoding | null {
  const wanted = text.trim().toLowerCase()
  return ENCODINGS.find(name => name === wanted) ?? null
}

/** What an encoding does; null for `identity`. */
export function encodingOf(name: Encoding): ResponseEncoding | null {
  if (name === 'identity') return null
  const [coding, fault = null] = name.split('-') as [EncoderCoding, ResponseEncoding['fault']]
  return { name, coding, fault }
}
