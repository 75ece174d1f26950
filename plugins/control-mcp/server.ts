/** The server `control`: its tools, resources and prompt. */
import type { FastifyInstance, Svc } from 'svc/plugin'
import type { ControlTools } from 'svc/toolkit'
import type { CallContext, McpServers, Readout } from '../mcp/types.ts'
import { runOperation } from './operation.ts'
import { diagnosis } from './diagnosis.ts'
import { toMcpTool } from './tool.ts'

export const PATH = '/_svc/mcp'
const NAME = 'control'
const SESSIONS = { normal: 50, public: 10 }

const INSTRUCTIONS = `svc is a test upstream: it runs behind a gateway and answers like the services that a gateway can front. \
It captures the requests that reach it, so that list_requests and verify_requests show what a gateway did to them. \
Rules (put_rule) inject faults, delays and fixed responses into matching requests until they are deleted or reset. \
Most operations accept a session: requests with the header X-Svc-Session of that name, its rules and its captures are separate from those of others. \
Call get_catalog to see what the instance serves, and reset when you are done.`

export function registerServer(app: FastifyInstance, servers: McpServers, tools: ControlTools, svc: Svc): void {
  servers.server({
    name: NAME,
    title: 'svc control plane',
    description: 'Operations of the control plane as tools',
    instructions: INSTRUCTIONS,
    path: PATH,
    app,
    callerScopes: request => svc.http.controlScopes(request),
    filterByScope: true,
    maxSessions: svc.config.publicMode ? SESSIONS.public : SESSIONS.normal,
    complete(own) {
      for (const tool of tools.list()) own.tool(toMcpTool(tool, NAME, svc))
    },
  })
  addResources(servers, svc)
  servers.prompt({ ...diagnosis, servers: [NAME], fixture: true })
}

function addResources(servers: McpServers, svc: Svc): void {
  const shared = { servers: [NAME], fixture: true, isPrivate: true, mimeType: 'application/json' }
  servers.resource({
    ...shared,
    uri: 'svc://control/openapi.json',
    name: 'openapi',
    title: 'OpenAPI document',
    description: 'All operations of the instance',
    read: context => read(svc, context, '/openapi.json'),
  })
  servers.resource({
    ...shared,
    uri: 'svc://control/config',
    name: 'config',
    title: 'Configuration',
    description: 'The effective configuration, without secrets',
    read: context => read(svc, context, '/_svc/config'),
  })
  servers.template({
    ...shared,
    uriTemplate: 'svc://control/requests/{id}',
    name: 'request',
    title: 'Captured request',
    description: 'A captured request by its id or request id',
    ttlMs: 0,
    exists: ({ id }) => id !== undefined && id.length <= 200,
    read: ({ id }, context) => read(svc, context, `/_svc/requests/${encodeURIComponent(id!)}`),
  })
}

/** The document at a path, as the client of the call may read it. */
async function read(svc: Svc, context: CallContext, path: string): Promise<Readout> {
  const session = svc.http.session(context.http.request).header
  const query = path.startsWith('/_svc/requests/') && session !== null ? `session=${encodeURIComponent(session)}` : ''
  const { status, text, body } = await runOperation(svc, context.http.request, { method: 'GET', path, query })
  if (status === 200) return { text }
  throw context.rpcError(
    status === 404 ? -32602 : status === 403 ? 403 : -32603,
    `The resource can't be read: status ${status}`,
    {
      status,
      body,
    },
  )
}
