/** The key by which state, limits and views are grouped. It is no credential. */
import type { SessionKey } from './contract/plugin.ts'

/** Whether a text is a session's name: 1 to 128 characters of `A-Za-z0-9._:-`. */
export function isSessionName(text: string): boolean {
  return text.length <= 128 && /^[\w.:-]+$/.test(text)
}

/**
 * The session of a request: the first `X-Svc-Session` value when it is a session's name (blanks around it ignored),
 * else the client's address. An invalid value counts as absent. `key` begins with the kind, so a header that reads
 * `ip:10.0.0.9` never meets that address; `label` prints both alike.
 */
export function sessionKey(headerValue: string | undefined, clientIp: string): SessionKey {
  const header = headerValue?.trim()
  if (header !== undefined && isSessionName(header)) return { key: `header:${header}`, label: header, header }
  const label = `ip:${clientIp}`
  return { key: label, label, header: null }
}
