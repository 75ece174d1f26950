/** Owns the metadata documents of the OAuth protected resources (RFC 9728). */
import { describe, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'svc/plugin'
import { metadata, METADATA_PATH } from '../access/protected-resource.ts'
import type { Mcp } from '../mcp.ts'
import { describeMetadata } from './descriptions.ts'

export function registerMetadata(app: FastifyInstance, mcp: Mcp): void {
  const serveProtected = (request: FastifyRequest, reply: FastifyReply) => send('protected', mcp, request, reply)
  app.get(METADATA_PATH, describe(describeMetadata(METADATA_PATH, mcp)), serveProtected)
  app.get(`${METADATA_PATH}/mcp/protected`, describe(describeMetadata(`${METADATA_PATH}/mcp/protected`, mcp)), serveProtected)
  app.get(`${METADATA_PATH}/mcp/servers/:name`, describe(describeMetadata(`${METADATA_PATH}/mcp/servers/{name}`, mcp)), (request, reply) =>
    send((request.params as { name: string }).name, mcp, request, reply),
  )
}

/** Only servers that ask for tokens have one. */
function send(name: string, mcp: Mcp, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const server = mcp.servers.get(name)
  if (server?.auth !== 'oauth' || (name !== 'protected' && !server.isNamed)) return mcp.svc.http.notFound(request, reply)
  return reply.send(metadata(mcp, server, request))
}
