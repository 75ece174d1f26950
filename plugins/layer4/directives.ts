/** The line with which a client steers its connection, or the answer to its datagram. */
import type { Abort } from './abort.ts'
import type { Drip, ModeName } from './options.ts'

export const PREFIX = 'SVC '
/** Bytes of a line, with its end. */
export const MAX_LINE = 512
const MODES: readonly ModeName[] = ['hash', 'info', 'discard', 'echo']
const MAX_SIZE = 65_507

/** What a line asks for. */
export interface Directives {
  words: string[]
  session?: string
  delayMs?: number
  drip?: Drip
  abort?: Abort
  send?: number
  mode?: ModeName
  drop?: true
  twice?: true
  /** Bytes of the answer. */
  size?: number
}

/** A sentence about what was expected. */
export class DirectiveError extends Error {}

interface Reading {
  found: Directives
  maxSend: number
  maxDelayMs: number
}

type Read = (value: string | undefined, word: string, reading: Reading) => void

const abort: Read = (value, word, { found }) => {
  const kind = word as Abort['kind']
  if (kind === 'hang' || kind === 'half') expectNone(value, word)
  found.abort = { kind, after: value === undefined ? 0 : whole(value, word, 0, 1_073_741_824) }
}
const mode: Read = (value, word, { found }) => {
  expectNone(value, word)
  found.mode = word as ModeName
}
const delay: Read = (value, word, { found, maxDelayMs }) => {
  found.delayMs = Math.min(whole(value, word, 0, 3_600_000), maxDelayMs)
}
const session: Read = (value, word, { found }) => {
  if (value === undefined || !/^[A-Za-z0-9._:-]{1,128}$/.test(value))
    throw new DirectiveError(`${word}=<name>, 1 to 128 of A-Z, a-z, 0-9, "._:-"`)
  found.session = value
}

const TCP: Record<string, Read> = {
  session,
  delay,
  drip(value, _word, { found }) {
    const parts = /^(\d{1,5})\/(\d{1,5})$/.exec(value ?? '')
    const [bytes, interval] = [Number(parts?.[1]), Number(parts?.[2])]
    if (parts === null || bytes < 1 || interval < 1) throw new DirectiveError('drip=<bytes>/<ms>')
    found.drip = { bytes, interval_ms: interval }
  },
  reset: abort,
  close: abort,
  hang: abort,
  half: abort,
  send(value, word, { found, maxSend }) {
    found.send = whole(value, word, 0, maxSend)
  },
  ...Object.fromEntries(MODES.map(name => [name, mode])),
}

const UDP: Record<string, Read> = {
  session,
  delay,
  drop(value, word, { found }) {
    expectNone(value, word)
    found.drop = true
  },
  twice(value, word, { found }) {
    expectNone(value, word)
    found.twice = true
  },
  size(value, word, { found }) {
    found.size = whole(value, word, 0, MAX_SIZE)
  },
  ...Object.fromEntries(MODES.map(name => [name, mode])),
}

/**
 * Reads a line, without its end. Throws a `DirectiveError`. `maxSend`: bytes that `send=` may ask for; `maxDelayMs`: the delay
 * limit.
 */
export function readDirectives(
  line: Buffer,
  transport: 'tcp' | 'udp',
  bounds: { maxSend: number; maxDelayMs: number },
): Directives {
  if (line.some(byte => byte > 126 || byte < 32)) throw new DirectiveError('a line of printable ASCII')
  const words = line
    .toString('latin1')
    .slice(PREFIX.length)
    .split(' ')
    .filter(word => word !== '')
  const known = transport === 'tcp' ? TCP : UDP
  const reading: Reading = { found: { words }, ...bounds }
  if (words.length === 0) throw new DirectiveError(`one of ${Object.keys(known).join(', ')}`)
  for (const word of words) {
    const equals = word.indexOf('=')
    const name = equals === -1 ? word : word.slice(0, equals)
    if (!Object.hasOwn(known, name)) throw new DirectiveError(`one of ${Object.keys(known).join(', ')}, not ${name}`)
    known[name]!(equals === -1 ? undefined : word.slice(equals + 1), name, reading)
  }
  return reading.found
}

/** What is known of a first line. `line` is without its end; `length` with it. */
export type FirstLine =
  | { state: 'more' }
  | { state: 'data' }
  | { state: 'line'; line: Buffer; length: number }
  | { state: 'too-long' }

/** Looks for a line that steers at the beginning of the bytes received so far. */
export function findFirstLine(bytes: Buffer): FirstLine {
  const compared = Math.min(bytes.length, PREFIX.length)
  if (bytes.toString('latin1', 0, compared) !== PREFIX.slice(0, compared)) return { state: 'data' }
  const end = bytes.subarray(0, MAX_LINE).indexOf(10)
  if (end === -1) return bytes.length >= MAX_LINE ? { state: 'too-long' } : { state: 'more' }
  const isCrlf = bytes[end - 1] === 13
  return { state: 'line', line: bytes.subarray(0, isCrlf ? end - 1 : end), length: end + 1 }
}

function expectNone(value: string | undefined, word: string): void {
  if (value !== undefined) throw new DirectiveError(`${word} without a value`)
}

function whole(value: string | undefined, word: string, min: number, max: number): number {
  if (value === undefined || !/^\d{1,10}$/.test(value) || Number(value) < min || Number(value) > max)
    throw new DirectiveError(`${word}=<n>, a whole number from ${min} to ${max}`)
  return Number(value)
}
