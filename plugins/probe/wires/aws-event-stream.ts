/** Messages of an AWS event stream (`application/vnd.amazon.eventstream`), with their checksums. */
import { crc32 } from 'node:zlib'
import { eventOf } from './sse.ts'
import type { GrammarProblem, StreamEvent } from './types.ts'

const PRELUDE_BYTES = 12
const CHECKSUM_BYTES = 4
const MAX_MESSAGE_BYTES = 24 * 1024 * 1024
const MAX_EVENTS = 4_000
/** Bytes of a header's value by its type; -1: a length of two bytes comes first. */
const VALUE_BYTES = [0, 0, 1, 2, 4, 8, -1, -1, 8, 16]
const TEXT_TYPE = 7

export interface AwsEvent extends StreamEvent {
  /** `event`, `exception` or `error`. */
  messageType: string
}

/** Reads until the first message that is not complete or has a wrong checksum, which no SDK reads on from. */
export function readAwsEvents(body: Buffer): { events: AwsEvent[]; problems: GrammarProblem[] } {
  const events: AwsEvent[] = []
  const problems: GrammarProblem[] = []
  const stop = (text: string): { events: AwsEvent[]; problems: GrammarProblem[] } => {
    problems.push({ at: `event ${events.length}`, text, isNote: false })
    return { events, problems }
  }
  for (let at = 0; at < body.length && events.length < MAX_EVENTS; ) {
    if (body.length - at < PRELUDE_BYTES + CHECKSUM_BYTES) return stop('a message is cut')
    const total = body.readUInt32BE(at)
    const headers = body.readUInt32BE(at + 4)
    if (crc32(body.subarray(at, at + 8)) !== body.readUInt32BE(at + 8))
      return stop('the checksum of a prelude is wrong')
    if (total < PRELUDE_BYTES + headers + CHECKSUM_BYTES || total > MAX_MESSAGE_BYTES)
      return stop('the lengths of a message are wrong')
    if (at + total > body.length) return stop('a message is cut')
    const end = at + total - CHECKSUM_BYTES
    if (crc32(body.subarray(at, end)) !== body.readUInt32BE(end)) return stop('the checksum of a message is wrong')
    const start = at + PRELUDE_BYTES
    const named = readHeaders(body.subarray(start, start + headers))
    if (named === null) return stop('the headers of a message are wrong')
    const messageType = named.get(':message-type') ?? ''
    const name = named.get(':event-type') ?? named.get(':exception-type') ?? named.get(':error-code') ?? null
    events.push({ ...eventOf(name, body.toString('utf8', start + headers, end)), messageType })
    at += total
  }
  return { events, problems }
}

/** The texts; null if the bytes are not headers. */
function readHeaders(bytes: Buffer): Map<string, string> | null {
  const named = new Map<string, string>()
  for (let at = 0; at < bytes.length; ) {
    const nameEnd = at + 1 + bytes[at]!
    if (nameEnd >= bytes.length) return null
    const name = bytes.toString('utf8', at + 1, nameEnd)
    const type = bytes[nameEnd]!
    const fixed = VALUE_BYTES[type]
    if (fixed === undefined) return null
    const start = nameEnd + (fixed === -1 ? 3 : 1)
    if (start > bytes.length) return null
    const length = fixed === -1 ? bytes.readUInt16BE(nameEnd + 1) : fixed
    if (start + length > bytes.length) return null
    if (type === TEXT_TYPE) named.set(name, bytes.toString('utf8', start, start + length))
    at = start + length
  }
  return named
}
