/** Owns the `curl` command, for a POSIX shell, that sends a signed message byte for byte. */

export interface SignedDelivery {
  url: string
  /** Without `?`; may be empty. */
  query: string
  headers: Record<string, string>
  secret: string
  body: string
}

export function curlCommand({ url, query, headers, secret, body }: SignedDelivery): string {
  const inHeader = fitsInHeader(secret)
  const parameters = [query, inHeader ? '' : `secret=${encodeURIComponent(secret)}`].filter(part => part !== '')
  const target = parameters.length === 0 ? url : `${url}?${parameters.join('&')}`
  const lines = Object.entries(headers).map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`)
  if (inHeader) lines.push(`-H ${quote(`X-Webhook-Secret: ${secret}`)}`)
  const command = `curl -sS -X POST ${quote(target)} ${lines.join(' ')}`
  // No argument of a program can hold a NUL.
  return body.includes('\0') ? `printf ${quote(toPrintf(body))} | ${command} --data-binary @-` : `${command} --data-raw ${quote(body)}`
}

/** A header loses the blanks around its value and cannot hold control characters (RFC 9110, 5.5). */
function fitsInHeader(secret: string): boolean {
  // oxlint-disable-next-line no-control-regex
  return secret === secret.trim() && !/[\x00-\x1f\x7f]/.test(secret)
}

/** POSIX shell, 2.2.2: within single quotes everything is literal but the single quote. */
function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}

function toPrintf(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('%', '%%').replaceAll('\0', String.raw`\000`)
}
