/** Chooses JSON or XML by `Accept` (RFC 9110, 12.5.1) for the plain data endpoints. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type NegotiatedType, negotiateType } from '../../fields/accept.ts'
import { OutputBudget, OutputTooLarge } from '../../contract/budgets.ts'
import { mergeVary } from './cors.ts'
import { toXml } from './xml.ts'

/** Characters above which encoding a text once is cheaper than counting its bytes three times. */
const LARGE = 64 * 1024

/** Constant strings: a header value that is concatenated each time is a new string each time. */
const CONTENT_TYPES: Record<NegotiatedType, string> = {
  'application/json': 'application/json; charset=utf-8',
  'application/xml': 'application/xml; charset=utf-8',
  'text/xml': 'text/xml; charset=utf-8',
}

/**
 * Sends `value` in the format that the client prefers, with `Vary: Accept`; never a 406. Throws `OutputTooLarge` if it has more
 * than `most` bytes.
 */
export function negotiate(request: FastifyRequest, reply: FastifyReply, value: unknown, most = Infinity): FastifyReply {
  const type = negotiateType(request.headers.accept)
  const text = type === 'application/json' ? JSON.stringify(value) : toXml(value, new OutputBudget(most))
  if (text.length > most) throw new OutputTooLarge(most)
  const vary = reply.getHeader('vary')
  reply.header('Vary', vary === undefined ? 'Accept' : mergeVary(String(vary), 'Accept'))
  reply.header('Content-Type', CONTENT_TYPES[type])
  // Otherwise Fastify, svc and Node each count its bytes, and Node encodes it when it writes.
  return reply.send(text.length > LARGE ? Buffer.from(text) : text)
}
