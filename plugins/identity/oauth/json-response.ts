/** JSON responses. */
import type { FastifyReply } from 'svc/plugin'
import { NO_STORE } from './errors.ts'

/** Sends JSON, the only format of OAuth responses. By default the response must not be cached. */
export function sendJson(
  reply: FastifyReply,
  value: unknown,
  headers: Record<string, string> = NO_STORE,
): FastifyReply {
  return reply.headers({ ...headers, 'Content-Type': 'application/json; charset=utf-8' }).send(JSON.stringify(value))
}
