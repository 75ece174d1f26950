/** JSON or XML by `Accept` (RFC 9110, 12.5.1) for the plain data endpoints. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { wantsXml } from './accept.ts'
import { mergeVary } from './cors.ts'
import { toXml } from './xml.ts'

/** Sends `value` in the form that the client prefers, with `Vary: Accept`; never a 406. */
export function negotiate(request: FastifyRequest, reply: FastifyReply, value: unknown): FastifyReply {
  const type = wantsXml(request.headers.accept)
  const vary = reply.getHeader('vary')
  reply.header('Vary', vary === undefined ? 'Accept' : mergeVary(String(vary), 'Accept'))
  reply.header('Content-Type', `${type}; charset=utf-8`)
  return reply.send(type === 'application/json' ? JSON.stringify(value) : toXml(value))
}
