/** The field `Proxy-Status` (RFC 9209): what an intermediary did with a response, and why it sent an error itself. */

/** Error types (RFC 9209, 2.3) that the proxy reports. */
export type ProxyError =
  | 'connection_refused'
  | 'connection_terminated'
  | 'connection_timeout'
  | 'destination_ip_unroutable'
  | 'destination_unavailable'
  | 'dns_error'
  | 'http_protocol_error'
  | 'http_request_error'
  | 'http_response_header_section_size'
  | 'http_response_incomplete'
  | 'http_response_timeout'
  | 'proxy_internal_response'
  | 'proxy_loop_detected'
  | 'tls_certificate_error'
  | 'tls_protocol_error'

const BY_CODE: Readonly<Record<string, ProxyError>> = {
  ECONNREFUSED: 'connection_refused',
  ETIMEDOUT: 'connection_timeout',
  EHOSTUNREACH: 'destination_ip_unroutable',
  ENETUNREACH: 'destination_ip_unroutable',
  ENOTFOUND: 'dns_error',
  HPE_HEADER_OVERFLOW: 'http_response_header_section_size',
  EPROTO: 'tls_protocol_error',
  HOSTNAME_MISMATCH: 'tls_certificate_error',
}
/** Codes of OpenSSL for certificates that fail verification, as Node names them. */
const CERTIFICATE_CODE = /CERT|CRL|UNABLE_TO|INVALID_(?:CA|PURPOSE)|PATH_LENGTH/

/** The error type for the code of an error of Node without a response. `hasBegun`: a part of the response has arrived. */
export function proxyErrorOf(code: string | undefined, hasBegun: boolean): ProxyError {
  if (code === undefined) return 'destination_unavailable'
  if (Object.hasOwn(BY_CODE, code)) return BY_CODE[code]!
  if (code.startsWith('EAI_')) return 'dns_error'
  if (CERTIFICATE_CODE.test(code)) return 'tls_certificate_error'
  if (code === 'ECONNRESET' || code === 'EPIPE' || code === 'HPE_INVALID_EOF_STATE')
    return hasBegun ? 'http_response_incomplete' : 'connection_terminated'
  if (code.startsWith('ERR_SSL_') || code.startsWith('ERR_TLS_')) return 'tls_protocol_error'
  return code.startsWith('HPE_') ? 'http_protocol_error' : 'destination_unavailable'
}

/** The field of an error that the proxy sends itself. `details`: printable ASCII. */
export function proxyStatus(error: ProxyError, details?: string): { 'Proxy-Status': string } {
  const text = details === undefined ? '' : `; details="${details.replaceAll(/["\\]/g, String.raw`\$&`)}"`
  return { 'Proxy-Status': `svc; error=${error}${text}` }
}

/**
 * The field of an upstream's response with the member of the proxy behind those that it has; undefined if it has none.
 * `received` is the status that the upstream sent, null for a response that is replayed.
 */
export function continuedStatus(before: string | string[] | undefined, received: number | null): string | undefined {
  if (before === undefined) return undefined
  const own = received === null ? 'svc' : `svc; received-status=${received}`
  return [...[before].flat().filter(value => value !== ''), own].join(', ')
}
