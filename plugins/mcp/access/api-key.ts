/** Owns the API key of `/mcp/apikey` and of configured servers with `auth: apikey`. */
import { createHash, timingSafeEqual } from 'node:crypto'
import { HttpError } from 'svc/plugin'
import type { HttpExchange } from '../http/exchange.ts'
import type { JsonObject } from '../types.ts'

const CHALLENGE = { 'WWW-Authenticate': 'ApiKey realm="svc-mcp", header="X-API-Key"' }

/** Accepts exactly the configured key, or any non-empty key if none is configured. Throws 401. */
export function checkApiKey({ request, server, mcp }: HttpExchange): JsonObject {
  const given = String(request.headers['x-api-key'] ?? '').trim()
  if (given === '') throw unauthorized('X-API-Key header required')
  const expected = server.apiKey ?? mcp.svc.variables.apiKey
  if (expected !== null && !isEqual(given, expected)) throw unauthorized('invalid X-API-Key')
  return { sub: 'api-key-client', auth: 'x-api-key' }
}

function unauthorized(description: string): HttpError {
  return new HttpError(401, { error: 'unauthorized', error_description: description }, CHALLENGE)
}

/** Compares digests, which have equal lengths, so that the timing does not reveal the length of the key. */
function isEqual(given: string, expected: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(given), digest(expected))
}
