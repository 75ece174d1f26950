/** Reads a client certificate out of a header value, in the forms in which gateways forward it. */

/** Characters of a header value at most; longer ones are refused unread. */
const maxHeaderCharacters = 65_536

const beginMarker = /-----BEGIN[ +]CERTIFICATE-----/
const endMarker = /-----END[ +]CERTIFICATE-----/

/**
 * The bytes of the certificate, not yet looked into; null when the value is in none of the forms: percent-encoded or
 * raw PEM (RFC 7468; line ends may have become blanks, tabs or nothing; of several the first), base64 DER, and that
 * between colons (RFC 9440, 2.1).
 */
export function decodeCertificateHeader(value: string): Buffer | null {
  const trimmed = value.trim()
  if (trimmed.length > maxHeaderCharacters) return null
  const text = decodePercent(trimmed)
  if (text === null) return null
  const begin = beginMarker.exec(text)
  if (begin === null) return decodeBase64(withoutColons(text.trim()))
  const body = text.slice(begin.index + begin[0].length)
  const end = endMarker.exec(body)
  return end === null ? null : decodeBase64(body.slice(0, end.index))
}

/** Percent-encoding only (RFC 3986, 2.1): `+` is left alone, since the base64 of a PEM may hold one. */
function decodePercent(text: string): string | null {
  if (!text.includes('%')) return text
  try {
    return decodeURIComponent(text)
  } catch {
    return null
  }
}

function withoutColons(text: string): string {
  return text.length > 1 && text.startsWith(':') && text.endsWith(':') ? text.slice(1, -1) : text
}

/** Strict about the alphabet, since Buffer skips what is not in it: text, NULs or a second PEM inside are no base64. */
function decodeBase64(text: string): Buffer | null {
  const base64 = text.replace(/[ \t\r\n]+/g, '')
  return /^[A-Za-z0-9+/]+={0,2}$/.test(base64) ? Buffer.from(base64, 'base64') : null
}
