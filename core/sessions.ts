/** The key by which state, limits and views are grouped. It is not a credential. */
import type { SessionKey, SessionOrigin } from './contract/plugin.ts'

/** Whether a text is a valid session name: 1 to 128 characters of `A-Za-z0-9._:-`. */
export function isSessionName(text: string): boolean {
  return text.length <= 128 && /^[\w.:-]+$/.test(text)
}

/**
 * The session of a request that names it, else the client address. An invalid name counts as absent; surrounding spaces
 * are ignored. `key` starts with the kind, so that a name `ip:10.0.0.9` never collides with that address; `label` shows
 * both the same way.
 */
export function sessionKey(name: string | undefined, clientIp: string, from: SessionOrigin = 'header'): SessionKey {
  const header = name?.trim()
  if (header !== undefined && isSessionName(header)) return { key: `header:${header}`, label: header, header, from }
  const label = `ip:${clientIp}`
  return { key: label, label, header: null, from: null }
}

/** Where a request may name its session, besides its path. */
export interface SessionNames {
  /** The first line of a header by its lower-case name. */
  header(name: string): string | undefined
  /** Further headers that name sessions, in lower case. */
  extraHeaders: readonly string[]
  /** Whether `X-Svc-Key` is an API key and names no session. */
  hasApiKeys: boolean
}

const BEARER = /^bearer +(\S{1,300})\s*$/i
const KEY_HEADERS = ['x-api-key', 'api-key', 'x-goog-api-key']
const KEY = /^(?:sk-)?svc-session-(.{1,128})$/

/** The name in the headers of a request, and where it was: header, baggage, or credential. Every request asks for it. */
export function sessionInHeaders({
  header,
  extraHeaders,
  hasApiKeys,
}: SessionNames): { name: string; from: SessionOrigin } | null {
  const inHeader = validName(header('x-svc-session')) ?? firstName(extraHeaders, place => validName(header(place)))
  if (inHeader !== null) return { name: inHeader, from: 'header' }
  const baggage = header('baggage')
  const inBaggage = baggage === undefined ? null : sessionInBaggage(baggage)
  if (inBaggage !== null) return { name: inBaggage, from: 'baggage' }
  const inKey =
    sessionInBearer(header('authorization')) ??
    firstName(KEY_HEADERS, place => sessionInKey(header(place))) ??
    (hasApiKeys ? null : sessionInKey(header('x-svc-key')))
  return inKey === null ? null : { name: inKey, from: 'key' }
}

function firstName(places: readonly string[], nameIn: (place: string) => string | null): string | null {
  for (const place of places) {
    const name = nameIn(place)
    if (name !== null) return name
  }
  return null
}

function validName(text: string | undefined): string | null {
  const name = text?.trim()
  return name !== undefined && isSessionName(name) ? name : null
}

function sessionInBearer(value: string | undefined): string | null {
  return value === undefined || value.length > 400 ? null : sessionInKey(BEARER.exec(value)?.[1])
}

function sessionInKey(credential: string | undefined): string | null {
  if (credential === undefined || credential.length > 200) return null
  const name = KEY.exec(credential.trim())?.[1]
  return name !== undefined && isSessionName(name) ? name : null
}

/** Longest baggage that is read, in characters (W3C Baggage, 3.3.2, asks for 8192 bytes). */
const MAX_BAGGAGE = 8192

/** The value of the member `svc.session` (W3C Baggage, 3.3.1); null if it is absent or not a valid name. */
function sessionInBaggage(baggage: string): string | null {
  for (const member of baggage.slice(0, MAX_BAGGAGE).split(',')) {
    const [pair = ''] = member.split(';', 1)
    const equals = pair.indexOf('=')
    if (equals === -1 || pair.slice(0, equals).trim() !== 'svc.session') continue
    const name = decode(pair.slice(equals + 1).trim())
    if (name !== null && isSessionName(name)) return name
  }
  return null
}

/** A target without its session prefix `/s/{session}`. */
export interface SessionTarget {
  target: string
  session: string
}

const S = 0x73
const PERCENT = 0x25
const WELL_KNOWN = '/.well-known/'

/**
 * Takes the prefix `/s/{session}` off a target in origin form, once; null if it has none. `/s/a` is `/`. RFC 8414 (3.1) and
 * RFC 9728 (3.1) insert the well-known part in front of the path of an issuer or a resource:
 * `/.well-known/<name>/s/{session}/<rest>` is `/.well-known/<name>/<rest>`.
 */
export function takeSessionPrefix(target: string): SessionTarget | null {
  const first = target.charCodeAt(1)
  if (first === S || first === PERCENT) return takeAt(target, 0)
  if (!target.startsWith(WELL_KNOWN)) return null
  const nameEnd = target.indexOf('/', WELL_KNOWN.length)
  return nameEnd === -1 ? null : takeAt(target, nameEnd)
}

/** The prefix must begin at this slash. */
function takeAt(target: string, slash: number): SessionTarget | null {
  const prefixEnd = segmentEnd(target, slash + 1)
  if (target[prefixEnd] !== '/' || decode(target.slice(slash + 1, prefixEnd)) !== 's') return null
  const nameEnd = segmentEnd(target, prefixEnd + 1)
  const session = decode(target.slice(prefixEnd + 1, nameEnd))
  if (session === null || !isSessionName(session)) return null
  const rest = target.slice(0, slash) + target.slice(nameEnd)
  return { session, target: rest.startsWith('/') ? rest : `/${rest}` }
}

function segmentEnd(target: string, start: number): number {
  for (let index = start; index < target.length; index++) {
    const char = target[index]
    if (char === '/' || char === '?' || char === '#') return index
  }
  return target.length
}

function decode(text: string): string | null {
  if (!text.includes('%')) return text
  try {
    return decodeURIComponent(text)
  } catch {
    return null
  }
}
