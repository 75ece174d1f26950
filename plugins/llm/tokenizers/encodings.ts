/** Tokenizers of OpenAI's encodings, by the package `gpt-tokenizer`. */
import { RULE } from '../engine/tokenizer.ts'
import type { Tokenizer, NeutralRequest, Part } from '../contract/neutral.ts'
import { BadInput } from '../contract/errors.ts'

export const ENCODINGS = ['o200k_base', 'cl100k_base'] as const
export type EncodingName = (typeof ENCODINGS)[number]

interface Encoding {
  encode(text: string, options: { disallowedSpecial: Set<string> }): number[]
  decodeGenerator(tokens: Iterable<number>): Iterable<string>
}

/** Names of special tokens are ordinary text. */
const PLAIN = { disallowedSpecial: new Set<string>() }
/** Of a text, and of all texts of a request: encoding takes 50 ms for as many characters. */
const MAX_TEXT = 262_144
/** The time for a run of letters, or of white space, grows with its square: longer ones are encoded in parts. */
const MAX_RUN = 500

/** Imports megabytes of JavaScript. */
export async function loadEncoding(name: EncodingName): Promise<Tokenizer> {
  const encoding: Encoding =
    name === 'o200k_base'
      ? await import('gpt-tokenizer/encoding/o200k_base')
      : await import('gpt-tokenizer/encoding/cl100k_base')
  const check = (characters: number): void => {
    if (characters > MAX_TEXT)
      throw new BadInput(`the tokenizer ${name} takes texts of at most ${MAX_TEXT} characters`, { kind: 'too_large' })
  }
  const ids = (text: string): number[] => {
    check(text.length)
    return inParts(text).flatMap(part => encoding.encode(part, PLAIN))
  }
  /** A request is counted by limits, by its context window and for its usage. */
  const known = new WeakMap<NeutralRequest, number>()
  const tokenizer: Tokenizer = {
    name,
    ids,
    count: text => ids(text).length,
    pieces: text => piecesOf(encoding, text, ids(text)),
    promptTokens(request) {
      let tokens = known.get(request)
      if (tokens === undefined) {
        let characters = 0
        promptTokens(request, text => {
          check((characters += text.length))
          return 0
        })
        tokens = promptTokens(request, tokenizer.count)
        known.set(request, tokens)
      }
      return tokens
    },
  }
  return tokenizer
}

/** The text of each token; a character of several tokens belongs to the last of them. */
function piecesOf(encoding: Encoding, text: string, tokens: readonly number[]): string[] {
  const pieces: string[] = []
  let read = 0
  function* counted(): Iterable<number> {
    for (const token of tokens) {
      read += 1
      yield token
    }
  }
  for (const piece of encoding.decodeGenerator(counted())) {
    while (pieces.length < read - 1) pieces.push('')
    pieces.push(piece)
  }
  // A text with half a surrogate pair can't be encoded.
  return pieces.join('') === text ? pieces : RULE.pieces(text)
}

/** Cuts runs that are too long, but no surrogate pair. */
function inParts(text: string): string[] {
  const parts: string[] = []
  let start = 0
  let run = 0
  let wasSpace = false
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    const isSpace = code === 32 || (code >= 9 && code <= 13)
    run = isSpace === wasSpace ? run + 1 : 1
    wasSpace = isSpace
    const isInPair = code >= 0xdc00 && code <= 0xdfff
    if (run <= MAX_RUN || isInPair) continue
    parts.push(text.slice(start, at))
    start = at
    run = 1
  }
  parts.push(text.slice(start))
  return parts
}

const PER_REQUEST = 3
const PER_MESSAGE = 3
const PER_IMAGE = 85

/** As OpenAI counts chats: a constant for the reply and for each message, its role and its content, and the tools. */
function promptTokens({ system, messages, tools }: NeutralRequest, count: (text: string) => number): number {
  let sum = PER_REQUEST
  for (const text of system) sum += PER_MESSAGE + count('system') + count(text)
  for (const { role, parts } of messages) {
    sum += PER_MESSAGE + count(role)
    for (const part of parts) sum += partTokens(part, count)
  }
  for (const { name, description, schema } of tools) sum += count(JSON.stringify({ name, description, schema }))
  return sum
}

function partTokens(part: Part, count: (text: string) => number): number {
  switch (part.type) {
    case 'text':
      return count(part.text)
    case 'call':
      return count(part.name) + count(typeof part.args === 'string' ? part.args : (JSON.stringify(part.args) ?? ''))
    case 'result':
      return count(part.content) + (part.name === undefined ? 0 : 1 + count(part.name))
    case 'image':
      return PER_IMAGE
    default:
      return count(part.description)
  }
}
