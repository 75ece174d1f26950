/** The key by which state, limits and views are grouped. It is not a credential. */
import type { SessionKey, SessionOrigin } from './contract/plugin.ts'
import { decode, isSessionName } from './fields/session-prefix.ts'

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
