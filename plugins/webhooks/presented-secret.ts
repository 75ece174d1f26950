/** Owns where a request presents its webhook secret. */
import { isUtf8 } from 'node:buffer'
import type { FastifyRequest } from 'svc/plugin'

/** The header `X-Webhook-Secret`, else the parameter `secret`; empty when there is none. */
export function presentedSecret(request: FastifyRequest, query: URLSearchParams): string {
  const header = request.headers['x-webhook-secret']
  if (typeof header === 'string' && header.trim() !== '') return asText(header)
  return query.get('secret') ?? ''
}

/** Node reads header bytes as latin1; a shell sends the UTF-8 that was typed. */
function asText(header: string): string {
  const bytes = Buffer.from(header, 'latin1')
  return isUtf8(bytes) ? bytes.toString() : header
}
