/** Owns the metadata documents of the OAuth protected resources (RFC 9728). */
import { describe, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'svc/plugin'
import { metadata, METADATA_PATH } from '../access/protected-resource.ts'
import type { Mcp } from '../mcp.ts'
import type { Server } from '../servers/server.ts'
import type { ServerDefinition } from '../types.ts'
import { describeMetadata } from './descriptions.ts'

export function registerMetadata(app: FastifyInstance, mcp: Mcp): void {
  const serveProtected = (request: FastifyRequest, reply: FastifyReply) =>
    send(mcp.servers.get('protected'), mcp, request, reply)
  app.get(METADATA_PATH, describe(describeMetadata(METADATA_PATH, mcp)), serveProtected)
  app.get(
    `${METADATA_PATH}/mcp/protected`,
    describe(describeMetadata(`${METADATA_PATH}/mcp/protected`, mcp)),
    serveProtected,
  )
  app.get(
    `${METADATA_PATH}/mcp/servers/:name`,
    describe(describeMetadata(`${METADATA_PATH}/mcp/servers/{name}`, mcp)),
    (request, reply) => {
      const server = mcp.servers.get((request.params as { name: string }).name)
      return send(server?.isNamed ? server : undefined, mcp, request, reply)
    },
  )
}

/** The metadata of a server at a path of its own. */
export function registerOwnMetadata(app: FastifyInstance, mcp: Mcp, { name, path }: ServerDefinition): void {
  const route = `${METADATA_PATH}${path}`
  app.get(route, describe(describeMetadata(route, mcp)), (request, reply) =>
    send(mcp.servers.get(name), mcp, request, reply),
  )
}

/** Only servers with OAuth have metadata. */
function send(server: Server | undefined, mcp: Mcp, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (server?.auth !== 'oauth') return mcp.svc.http.notFound(request, reply)
  return reply.send(metadata(mcp, server, request))
}
