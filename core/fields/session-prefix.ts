/** The prefix `/s/{session}` of a request target, and the names of sessions. */

/** Whether a text is a valid session name: 1 to 128 characters of `A-Za-z0-9._:-`. */
export function isSessionName(text: string): boolean {
  return text.length <= 128 && /^[\w.:-]+$/.test(text)
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

/** Null for what is not percent-encoded UTF-8. */
export function decode(text: string): string | null {
  if (!text.includes('%')) return text
  try {
    return decodeURIComponent(text)
  } catch {
    return null
  }
}
