/** Replaces secrets that are known by value, where a service repeats them: in any of the encodings of texts. */
import { setOwn, type Json, type JsonObject } from '../contract/json.ts'

/** Shorter secrets occur in ordinary text by chance. */
const MIN_LENGTH = 4
/** Shorter secrets are replaced only as whole words. */
const MIN_PART = 8
/** At most this many texts are searched; most secrets have one encoding. */
const MAX_VALUES = 1000
const WORD_CHARACTER = /[\w-]/

export class SecretValues {
  /** The longest first: one may contain another. */
  readonly #texts: readonly string[]
  readonly #marker: string

  /** `values`: as they were sent. Those of `Authorization` and `Cookie` headers are taken apart. */
  constructor(values: Iterable<string>, marker = 'REDACTED') {
    const texts = new Set<string>()
    for (const value of values) {
      if (texts.size >= MAX_VALUES) break
      for (const part of partsOf(value))
        for (const text of encodingsOf(part)) if (text.length >= MIN_LENGTH) texts.add(text)
    }
    this.#texts = [...texts].sort((a, b) => b.length - a.length)
    this.#marker = marker
  }

  /** The text with all secrets replaced. */
  text(text: string): string {
    let shown = text
    for (const secret of this.#texts) {
      if (!shown.includes(secret)) continue
      shown =
        secret.length < MIN_PART ? replaceWords(shown, secret, this.#marker) : shown.replaceAll(secret, this.#marker)
    }
    return shown
  }

  /** A copy of JSON whose texts and names have no secrets. */
  json(value: Json): Json {
    if (typeof value === 'string') return this.text(value)
    if (typeof value !== 'object' || value === null) return value
    if (Array.isArray(value)) return value.map(item => this.json(item))
    const copy: JsonObject = {}
    for (const [name, member] of Object.entries(value)) setOwn(copy, this.text(name), this.json(member))
    return copy
  }

  /** Bytes that are not text: they keep their length. */
  bytes(bytes: Buffer): Buffer {
    let shown = bytes
    for (const text of this.#texts) {
      const secret = Buffer.from(text)
      if (secret.length < MIN_PART) continue
      for (let at = shown.indexOf(secret); at !== -1; at = shown.indexOf(secret, at + secret.length)) {
        if (shown === bytes) shown = Buffer.from(bytes)
        shown.fill('*', at, at + secret.length)
      }
    }
    return shown
  }
}

/** A value, and the credentials in it: after a scheme, the password of Basic (RFC 7617), and the values of cookies. */
function partsOf(value: string): string[] {
  const parts = [value]
  const scheme = /^([A-Za-z][A-Za-z0-9-]{0,30}) (\S.*)$/.exec(value)
  if (scheme !== null) parts.push(scheme[2]!)
  if (scheme?.[1]!.toLowerCase() === 'basic') {
    const pair = Buffer.from(scheme[2]!, 'base64').toString()
    const colon = pair.indexOf(':')
    if (colon !== -1) parts.push(pair, pair.slice(colon + 1))
  }
  if (scheme === null && value.includes('='))
    for (const cookie of value.split(';')) {
      const equals = cookie.indexOf('=')
      if (equals !== -1)
        parts.push(
          cookie
            .slice(equals + 1)
            .trim()
            .replace(/^"|"$/g, ''),
        )
    }
  return parts
}

/** How deep JSON may be within JSON strings. */
const JSON_LEVELS = 4

/** Plain, in JSON, in JSON within JSON strings, and in URLs and forms. */
function encodingsOf(text: string): string[] {
  const inUrl = isWellFormed(text) ? encodeURIComponent(text) : text
  const encodings = [text, inUrl, inUrl.replaceAll('%20', '+')]
  let inJson = text
  for (let level = 0; level < JSON_LEVELS; level++) {
    inJson = JSON.stringify(inJson).slice(1, -1)
    encodings.push(
      inJson,
      inJson.replaceAll('/', '\\/'),
      inJson.replace(/[^ -~]/g, character => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`),
    )
  }
  return encodings
}

/** Whether all surrogates are in pairs. */
function isWellFormed(text: string): boolean {
  return !/\p{Surrogate}/u.test(text)
}

/** A number without quotes may be part of JSON, which would be broken. */
function replaceWords(text: string, secret: string, marker: string): string {
  const isNumber = /^\d+$/.test(secret)
  const isQuote = (character: string | undefined): boolean => character === '"' || character === "'"
  const parts: string[] = []
  let from = 0
  for (let at = text.indexOf(secret); at !== -1; at = text.indexOf(secret, at + secret.length)) {
    const [before, after] = [text[at - 1], text[at + secret.length]]
    const isWord =
      !(before !== undefined && WORD_CHARACTER.test(before)) && !(after !== undefined && WORD_CHARACTER.test(after))
    if (!isWord || (isNumber && !(isQuote(before) && isQuote(after)))) continue
    parts.push(text.slice(from, at), marker)
    from = at + secret.length
  }
  return parts.join('') + text.slice(from)
}
