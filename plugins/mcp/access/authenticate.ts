/** Authenticates the caller of a server. */
import type { Exchange } from '../calls/exchange.ts'
import type { JsonObject } from '../types.ts'
import { checkApiKey } from './api-key.ts'
import { checkBearer } from './bearer.ts'

/** The caller's claims; null on open servers. Throws 401. */
export async function authenticate(exchange: Exchange): Promise<JsonObject | null> {
  if (exchange.server.auth === 'oauth') return checkBearer(exchange)
  return exchange.server.auth === 'apikey' ? checkApiKey(exchange) : null
}
