/** Reads the webhook secret of a request. */
import { isUtf8 } from 'node:buffer'
import type { FastifyRequest } from 'svc/plugin'

/** The header `X-Webhook-Secret`, else the parameter `secret`; empty if both are absent. */
export function presentedSecret(request: FastifyRequest, query: URLSearchParams): string {
  const header = request.headers['x-webhook-secret']
  if (typeof header === 'string' && header.trim() !== '') return asText(header)
  return query.get('secret') ?? ''
}

/** Node reads header bytes as Latin-1, but shells send UTF-8. */
function asText(header: string): string {
  const bytes = Buffer.from(header, 'latin1')
  return isUtf8(bytes) ? bytes.toString() : header
}
