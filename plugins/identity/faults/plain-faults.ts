/** Faults that do not depend on what the endpoint would send. */
import type { FastifyReply, FastifyRequest, Svc } from 'svc/plugin'
import { OAuthError } from '../oauth/errors.ts'
import { sendJson } from '../oauth/json-response.ts'

const HTML = '<!doctype html><title>Maintenance</title><h1>Down for maintenance</h1>'

/**
 * Sends the response of a fault that replaces the whole response, after its delay. Null if the endpoint has to send one
 * itself.
 */
export async function sendPlainFault(
  { kind, ms }: { kind: string; ms: number },
  { http }: Pick<Svc, 'http'>,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply | null> {
  switch (kind) {
    case 'slow':
      await http.delay(request, ms)
      return null
    case '500':
    case '503':
    case '404':
      return sendJson(reply.code(Number(kind)), { error: 'server_error', error_description: 'an injected fault' })
    case 'temporarily_unavailable':
      return sendJson(reply.code(503), { error: kind, error_description: 'an injected fault' })
    case 'invalid_client':
      throw new OAuthError('invalid_client', 'an injected fault')
    case 'html':
      return reply.headers({ 'Content-Type': 'text/html; charset=utf-8', 'Cache-Control': 'no-store' }).send(HTML)
    case 'not-json':
      return reply
        .headers({ 'Content-Type': 'application/json; charset=utf-8', 'Cache-Control': 'no-store' })
        .send('{"this is not": JSON')
    case 'reset':
      reply.hijack()
      http.abortResponse(request, reply)
      return reply
    default:
      return null
  }
}
