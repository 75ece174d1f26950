/** The key by which state, limits and views are grouped. It is not a credential. */
import type { SessionKey } from './contract/plugin.ts'

/** Whether a text is a valid session name: 1 to 128 characters of `A-Za-z0-9._:-`. */
export function isSessionName(text: string): boolean {
  return text.length <= 128 && /^[\w.:-]+$/.test(text)
}

/**
 * The session of a request: the first `X-Svc-Session` value if it is a valid session name (surrounding spaces are
 * ignored), else the client address. An invalid value counts as absent. `key` starts with the kind, so that a header
 * value `ip:10.0.0.9` never collides with that address; `label` shows both the same way.
 */
export function sessionKey(headerValue: string | undefined, clientIp: string): SessionKey {
  const header = headerValue?.trim()
  if (header !== undefined && isSessionName(header))
    return { key: `header:${header}`, label: header, header, from: 'header' }
  const label = `ip:${clientIp}`
  return { key: label, label, header: null, from: null }
}
