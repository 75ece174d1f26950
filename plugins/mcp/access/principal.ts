/** Who makes a request, for data that belongs to its caller. */
import { createHash } from 'node:crypto'
import type { HttpExchange } from '../http/exchange.ts'

/** The digest of the API key or of `sub` of the token; the same for all callers of an open server. */
export function principalOf(exchange: HttpExchange): string {
  const { server, claims } = exchange
  if (server.auth === 'apikey') return digest(`key ${exchange.header('x-api-key')?.trim() ?? ''}`)
  return typeof claims?.sub === 'string' ? digest(`sub ${claims.sub}`) : 'everybody'
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64url')
}
