/** Creates a `curl` command for a POSIX shell that sends a signed message byte for byte. */
import { curlHeader, singleQuote } from 'svc/toolkit'

export interface SignedDelivery {
  url: string
  /** Without `?`; can be empty. */
  query: string
  headers: Record<string, string>
  secret: string
  body: string
}

export function curlCommand({ url, query, headers, secret, body }: SignedDelivery): string {
  const inHeader = fitsInHeader(secret)
  const parameters = [query, inHeader ? '' : `secret=${encodeURIComponent(secret)}`].filter(part => part !== '')
  const target = parameters.length === 0 ? url : `${url}?${parameters.join('&')}`
  const lines = Object.entries(headers).map(([name, value]) => `-H ${singleQuote(curlHeader({ name, value }))}`)
  if (inHeader) lines.push(`-H ${singleQuote(`X-Webhook-Secret: ${secret}`)}`)
  const command = `curl -sS -X POST ${singleQuote(target)} ${lines.join(' ')}`
  // A program argument cannot contain NUL.
  return body.includes('\0')
    ? `printf ${singleQuote(toPrintf(body))} | ${command} --data-binary @-`
    : `${command} --data-raw ${singleQuote(body)}`
}

/** Header values lose surrounding spaces and cannot contain control characters (RFC 9110, 5.5). */
function fitsInHeader(secret: string): boolean {
  // oxlint-disable-next-line no-control-regex
  return secret === secret.trim() && !/[\x00-\x1f\x7f]/.test(secret)
}

function toPrintf(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('%', '%%').replaceAll('\0', String.raw`\000`)
}
