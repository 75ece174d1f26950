/** The query of `/ws`: what a socket does besides echoing. */
import { integerParameter, invalidParameter, quoteInput } from 'svc/plugin'

const NONE = 'none'
const MAX_REASON_BYTES = 123
/** Bytes that the number of pongs takes in a reason. */
const PONGS_BYTES = 20
const MAX_AFTER_MS = 600_000
const MAX_FRAGMENT = 1_048_576
/** No code at all, and no close frame: RFC 6455, 7.1.5. */
export const WITHOUT_CODE = 1005
export const WITHOUT_FRAME = 1006

export interface EchoOptions {
  /** The subprotocol to select, false for none; null: the first one that is offered. */
  subprotocol: string | false | null
  /** Whether permessage-deflate is accepted, and with new contexts for each message. */
  compression: 'context-takeover' | 'no-context-takeover' | null
  /** Sent at once. */
  first: string | null
  pingMs: number | null
  close: Close | null
  /** Bytes of a fragment; null: whole messages. */
  fragment: number | null
}

export interface Close {
  code: number
  reason: string
  /** After this number of messages, or after these milliseconds. */
  after: { messages: number } | { ms: number }
}

/** Throws `invalid_parameter` for a value that is not valid, or has no effect. */
export function readEchoOptions(query: URLSearchParams): EchoOptions {
  const pingMs = integerParameter(query, 'ping_ms', { fallback: null, min: 100, max: 60_000 })
  return {
    subprotocol: readSubprotocol(query),
    compression: readCompression(query),
    first: query.get('first'),
    pingMs,
    close: readClose(query, pingMs !== null),
    fragment: integerParameter(query, 'fragment', { fallback: null, min: 1, max: MAX_FRAGMENT }),
  }
}

/** Throws if the client does not offer the subprotocol that is to be selected. */
export function checkOffered({ subprotocol }: EchoOptions, offered: string | undefined): void {
  if (subprotocol === null || subprotocol === false) return
  const names = (offered ?? '').split(',').map(name => name.trim())
  if (names.includes(subprotocol)) return
  throw invalidParameter('subprotocol', `the client does not offer the subprotocol ${quoteInput(subprotocol)}`)
}

function readSubprotocol(query: URLSearchParams): EchoOptions['subprotocol'] {
  const name = query.get('subprotocol')
  if (name === '') throw invalidParameter('subprotocol', `expected the name of a subprotocol, or ${NONE}`)
  return name === NONE ? false : name
}

function readCompression(query: URLSearchParams): EchoOptions['compression'] {
  const isOn = readFlag(query, 'deflate', false)
  const keepsContext = readFlag(query, 'context', true)
  if (!isOn && query.has('context')) throw invalidParameter('context', 'context has no effect without deflate=1')
  if (!isOn) return null
  return keepsContext ? 'context-takeover' : 'no-context-takeover'
}

function readFlag(query: URLSearchParams, name: string, fallback: boolean): boolean {
  const text = query.get(name)
  if (text === null) return fallback
  if (text !== '0' && text !== '1')
    throw invalidParameter(name, `invalid ${name} ${quoteInput(text)} (expected 0 or 1)`)
  return text === '1'
}

function readClose(query: URLSearchParams, hasPongs: boolean): Close | null {
  const messages = integerParameter(query, 'after', { fallback: null, max: 1_000_000 })
  const ms = integerParameter(query, 'after_ms', { fallback: null, max: MAX_AFTER_MS })
  const text = query.get('close')
  const name = messages === null ? 'after_ms' : 'after'
  if (text === null) {
    if (messages === null && ms === null) return null
    throw invalidParameter(name, `${name} has no effect without close`)
  }
  if (messages !== null && ms !== null) throw invalidParameter('after_ms', 'expected either after or after_ms')
  const separator = text.indexOf(':')
  const codeText = separator === -1 ? text : text.slice(0, separator)
  const reason = separator === -1 ? '' : text.slice(separator + 1)
  const code = /^\d{4}$/.test(codeText) ? Number(codeText) : 0
  if (!isCloseCode(code))
    throw invalidParameter(
      'close',
      `invalid close code ${quoteInput(codeText)} (expected 1000 to 1003, 1005 to 1014 or 3000 to 4999)`,
    )
  const isSilent = code === WITHOUT_CODE || code === WITHOUT_FRAME
  if (isSilent && reason !== '') throw invalidParameter('close', `a close with ${code} has no reason`)
  const most = hasPongs ? MAX_REASON_BYTES - PONGS_BYTES : MAX_REASON_BYTES
  if (Buffer.byteLength(reason) > most) throw invalidParameter('close', `the reason has more than ${most} bytes`)
  return { code, reason, after: ms === null ? { messages: messages ?? 0 } : { ms } }
}

/** Codes that a server may send (RFC 6455, 7.4), those without a meaning of their own included, and the two silent ends. */
function isCloseCode(code: number): boolean {
  return (code >= 1000 && code <= 1003) || (code >= WITHOUT_CODE && code <= 1014) || (code >= 3000 && code <= 4999)
}
