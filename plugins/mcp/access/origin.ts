/** Checks `Origin`, to protect local servers from DNS rebinding. */
import type { Exchange } from '../calls/exchange.ts'
import { transportError } from '../errors.ts'

/** Accepts requests without `Origin`, because browsers send it. Throws 403. */
export function checkOrigin({ request, mcp }: Pick<Exchange, 'request' | 'mcp'>): void {
  const { origin } = request.headers
  const { allowedOrigins } = mcp.svc.variables
  if (origin === undefined || allowedOrigins.includes('*')) return
  if (!allowedOrigins.includes(origin.replace(/\/$/, '').toLowerCase()))
    throw transportError(403, 'Forbidden: this Origin is not allowed')
}
