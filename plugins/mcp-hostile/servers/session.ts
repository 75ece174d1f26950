/** `hostile-session`: sessions that are lost, change their id, or do not end. */
import { randomBytes } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'svc/plugin'
import type { MessageExchange } from '../../mcp/types.ts'
import { addServer, type HostileParts, wholeQuery, wordQuery } from '../hostile-server.ts'

const KINDS = ['lost', 'rotate', 'long', 'undead'] as const
const ID_HEADER = 'mcp-session-id'
const LONG = 4000

export function registerSession(parts: HostileParts): void {
  const kindOf = (request: FastifyRequest) => wordQuery(request, 'kind', KINDS, 'lost')
  const limitOf = (request: FastifyRequest) => wholeQuery(request, 'requests', 1, 100, 3)
  const server = addServer(parts, {
    what: 'session',
    attack: 'Its sessions are lost, change their id, have long ids or do not end.',
    hooks: {
      arrive(request, reply) {
        limitOf(request)
        const kind = kindOf(request)
        // Only the end of a long id is the id.
        const id = request.headers[ID_HEADER]
        if (kind === 'long' && typeof id === 'string' && id.length === LONG) request.headers[ID_HEADER] = id.slice(-32)
        return kind === 'undead' && request.method === 'DELETE' && pretendToEnd(id, reply)
      },
      async message(exchange) {
        const { request, method } = exchange
        const kind = kindOf(request)
        if (method === 'initialize') return exchange.answer(answer => sendChanged(kind, answer.text, answer, exchange))
        if (kind === 'rotate') exchange.reply.header('Mcp-Session-Id', randomBytes(16).toString('hex'))
        if (kind !== 'lost' || request.headers[ID_HEADER] === undefined) return
        if ((await exchange.count(`requests of ${String(request.headers[ID_HEADER])}`)) > limitOf(request))
          await exchange.fault('session-lost')
      },
    },
  })
  parts.servers.tool({
    name: 'session_ping',
    description: 'Returns pong.',
    servers: [server],
    fixture: true,
    inputSchema: { type: 'object', properties: {}, additionalProperties: false },
    call: () => ({ content: [{ type: 'text', text: 'pong' }] }),
  })
}

function pretendToEnd(id: unknown, reply: FastifyReply): boolean {
  void reply.send({ terminated: id ?? null })
  return true
}

/** The response to `initialize`, with a long id. */
function sendChanged(
  kind: (typeof KINDS)[number],
  text: string,
  answer: { send(text: string): void },
  { reply }: MessageExchange,
): void {
  const id = reply.getHeader(ID_HEADER)
  if (kind === 'long' && typeof id === 'string') reply.header('Mcp-Session-Id', 'x'.repeat(LONG - id.length) + id)
  answer.send(text)
}
