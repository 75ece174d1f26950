/** Owns the lists of the servers: what clients can call, and the state of bridged ones for the control plane. */
import { describe, type FastifyInstance, type FastifyRequest, refusal, type RouteDescription } from 'svc/plugin'
import { unknownName } from 'svc/toolkit'
import { readGrants } from '../access/grants.ts'
import { endpointPath } from '../access/protected-resource.ts'
import type { Mcp } from '../mcp.ts'
import { UNNAMED_SERVERS } from '../registry/registry.ts'
import { hostMountOf } from '../servers/served-hosts.ts'
import type { Server } from '../servers/server.ts'
import { STATELESS } from '../protocol/versions.ts'

const CATEGORY = 'MCP Server'

export function registerServerList(app: FastifyInstance, mcp: Mcp): void {
  const { svc, servers } = mcp
  const show = (request: FastifyRequest) => {
    const builtin = new Set(svc.instance.plugins().flatMap(({ name, source }) => (source === 'builtin' ? name : [])))
    return (server: Server) => ({
      ...showServer(server, path => svc.http.url(request, path)),
      ...hostsOf(server, request),
      ...(server.plugin !== null && server.source === 'plugin' && builtin.has(server.plugin)
        ? { source: 'builtin' }
        : {}),
    })
  }
  const hostsOf = (server: Server, request: FastifyRequest) => {
    const hosts = svc.http.hosts(request, hostMountOf(server), '/mcp')
    return hosts.length === 0 ? {} : { hosts }
  }
  const tools = svc.use('control.tools')
  tools.tool({ name: 'list_mcp_servers', operation: { method: 'GET', path: '/_svc/mcp-servers' } })
  tools.tool({
    name: 'restart_mcp_server',
    operation: { method: 'POST', path: '/_svc/mcp-servers/{name}/restart' },
  })
  const listed = async (): Promise<Server[]> => {
    const found = inOrder(servers)
    await Promise.all(found.map(server => readGrants(server, mcp)))
    return found
  }
  app.get('/mcp/servers', describe(describeList('/mcp/servers')), async request => ({
    servers: (await listed()).map(show(request)),
  }))
  app.get('/_svc/mcp-servers', describe(describeList('/_svc/mcp-servers')), async request => {
    const shown = show(request)
    return { servers: (await listed()).map(server => ({ ...shown(server), ...server.bridge?.status })) }
  })
  app.post<{ Params: { name: string } }>(
    '/_svc/mcp-servers/:name/restart',
    describe(describeRestart()),
    (request, reply) => {
      svc.http.guardAdmin(request)
      const { name } = request.params
      const server = servers.get(name)
      const bridged = inOrder(servers).filter(({ bridge }) => bridge !== null)
      if (!server)
        throw refusal(
          404,
          'unknown_server',
          unknownName(
            'MCP server',
            name,
            bridged.map(known => known.name),
          ).message,
        )
      if (!server.bridge)
        throw refusal(409, 'not_bridged', `the MCP server ${name} is part of svc, so there is nothing to restart`)
      const { bridge } = server
      bridge
        .restart()
        .catch((error: unknown) => svc.log.warn('an MCP server could not be restarted', { server: name, error }))
      return reply.code(202).send({ name, ...bridge.status })
    },
  )
}

/** Those without a name in their path first, then in order of registration, without those of the control plane. */
function inOrder(servers: ReadonlyMap<string, Server>): Server[] {
  const unnamed = UNNAMED_SERVERS.flatMap(name => servers.get(name) ?? [])
  const others = [...servers.values()].filter(server => !unnamed.includes(server) && !server.isControl)
  return [...unnamed, ...others]
}

function showServer(server: Server, urlOf: (path: string) => string) {
  const { name, definition, auth, source, tools, methods, bridge } = server
  return {
    name,
    title: definition.title,
    url: urlOf(endpointPath(server)),
    auth,
    source,
    hostile: definition.hostile !== undefined,
    extensions: Object.keys(server.extensions(STATELESS)),
    // A server that lists its tools itself has a number of its own.
    tools: methods.has('tools/list') ? null : tools.size,
    state: bridge?.status.state ?? 'up',
  }
}

function describeList(path: string): RouteDescription {
  const isControl = path.startsWith('/_svc/')
  return {
    category: CATEGORY,
    summary: isControl ? 'MCP: state of the servers' : 'MCP: list the servers',
    description: isControl
      ? 'Servers that are processes, URLs or objects of an SDK also have their process id, restarts, last error and number of calls.'
      : 'Where each server is, which credentials it wants, and where it comes from. `tools` is null for servers with lists of their own.',
    responses: {
      200: { description: 'The servers', content: { 'application/json': { type: 'object' } } },
    },
    examples: [{ name: 'List', path, expectStatus: 200 }],
  }
}

function describeRestart(): RouteDescription {
  return {
    category: CATEGORY,
    summary: 'MCP: restart a bridged server',
    description: 'Ends the process or the connections of the server, and starts it again at once.',
    credentials: ['none', 'adminToken'],
    responses: {
      202: { description: 'The server is being restarted' },
      404: { description: '`unknown_server`' },
      409: { description: '`not_bridged`: the server is part of svc' },
    },
    examples: [
      { name: 'A server of svc', method: 'POST', path: '/_svc/mcp-servers/weather/restart', expectStatus: 409 },
    ],
  }
}
