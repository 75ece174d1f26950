/** Reads a client certificate from a header value, in the forms used by gateways. */

/** Maximum length of a header value; longer ones are rejected unread. */
const maxHeaderCharacters = 65_536

const beginMarker = /-----BEGIN[ +]CERTIFICATE-----/
const endMarker = /-----END[ +]CERTIFICATE-----/

/**
 * The bytes of the certificate, not yet parsed; null if the value has none of these forms: percent-encoded or raw PEM
 * (RFC 7468; line ends may have become spaces, tabs or nothing; only the first certificate is used), base64 DER, and
 * base64 DER between colons (RFC 9440, 2.1).
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

/** Decodes percent-encoding only (RFC 3986, 2.1); `+` is kept, because the base64 of a PEM may contain it. */
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

/** Checks the alphabet, because Buffer skips invalid characters: text, NULs or a second PEM are not valid base64. */
function decodeBase64(text: string): Buffer | null {
  const base64 = text.replace(/[ \t\r\n]+/g, '')
  return /^[A-Za-z0-9+/]+={0,2}$/.test(base64) ? Buffer.from(base64, 'base64') : null
}
