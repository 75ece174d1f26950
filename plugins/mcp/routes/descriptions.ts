/** Owns what the catalog, the documents and the console know of the MCP routes. */
import type { CoreFailure, RequestFacts, RouteDescription, RouteExample } from 'svc/plugin'
import { factHeaders } from '../calls/exchange.ts'
import type { Mcp } from '../mcp.ts'
import { endpointPath } from '../access/protected-resource.ts'
import { UNNAMED_SERVERS } from '../registry/registry.ts'
import type { Server } from '../registry/server.ts'
import { STATELESS } from '../wire/versions.ts'

/** A Streamable HTTP endpoint: of one server, or of all named ones. */
export interface Endpoint {
  /** In Fastify's notation. */
  route: string
  /** Undefined: the path parameter names it. */
  server?: string
  summary: string
}

const json = { name: 'Content-Type', value: 'application/json' }
const sessionHeader = {
  name: 'Mcp-Session-Id',
  in: 'header' as const,
  description: 'Session id of the handshake versions',
  schema: { type: 'string' },
}
const serverName = {
  name: 'name',
  in: 'path' as const,
  description: 'Name of the server',
  required: true,
  schema: { type: 'string' },
}

export function describePost(endpoint: Endpoint, mcp: Mcp): RouteDescription {
  return {
    ...common(endpoint, mcp),
    summary: endpoint.summary,
    description:
      'One JSON-RPC message. 2026-07-28 carries its envelope in every request, older versions begin with `initialize`. The reply is JSON, or an event stream when something comes before the answer.',
    parameters: [
      ...parameters(endpoint),
      {
        name: 'page_size',
        in: 'query',
        description: 'Items of a list in one page, 1 to 1000',
        schema: { type: 'integer', default: 100 },
      },
      { name: 'MCP-Protocol-Version', in: 'header', description: 'Protocol version', schema: { type: 'string' } },
      { name: 'Mcp-Method', in: 'header', description: 'The method again (2026-07-28)', schema: { type: 'string' } },
      {
        name: 'Mcp-Name',
        in: 'header',
        description: 'Name of the tool or prompt, URI of the resource (2026-07-28)',
        schema: { type: 'string' },
      },
    ],
    requestBody: { required: true, content: { 'application/json': { type: 'object' } } },
    responses: {
      200: {
        description: 'The answer, as JSON or event stream',
        content: { 'application/json': { type: 'object' }, 'text/event-stream': { type: 'string' } },
      },
      202: { description: 'A notification or response was taken' },
      '4XX': { description: 'Refused; a JSON-RPC error', content: { 'application/json': { type: 'object' } } },
    },
    examples: [],
  }
}

export function describeGet(endpoint: Endpoint, mcp: Mcp): RouteDescription {
  return {
    ...common(endpoint, mcp),
    summary: 'MCP: stream from server to client of a session',
    description:
      'Resource updates and list changes; with `Last-Event-ID` what was missed of a stream that broke off. Only in the handshake versions.',
    parameters: [
      ...parameters(endpoint),
      sessionHeader,
      {
        name: 'Last-Event-ID',
        in: 'header',
        description: 'Id of the last event that arrived',
        schema: { type: 'string' },
      },
    ],
    responses: {
      200: { description: 'Event stream', content: { 'text/event-stream': { type: 'string' } } },
      '4XX': { description: 'No session, no event stream accepted, or a stream is open' },
    },
    endless: true,
    examples: [
      {
        name: 'Without a session',
        path: examplePath(endpoint),
        headers: [{ name: 'Accept', value: 'text/event-stream' }, ...demoKey(endpoint.server === 'apikey')],
        expectStatus: refusalOf(endpoint, mcp),
      },
    ],
  }
}

export function describeDelete(endpoint: Endpoint, mcp: Mcp): RouteDescription {
  return {
    ...common(endpoint, mcp),
    summary: 'MCP: end a session',
    parameters: [...parameters(endpoint), sessionHeader],
    responses: {
      200: { description: '`{"terminated": id}`', content: { 'application/json': { type: 'object' } } },
      '4XX': { description: 'No session' },
    },
    examples: [
      {
        name: 'Without a session',
        method: 'DELETE',
        path: examplePath(endpoint),
        headers: demoKey(endpoint.server === 'apikey'),
        expectStatus: refusalOf(endpoint, mcp),
      },
    ],
  }
}

export function describeLegacyStream(mcp: Mcp): RouteDescription {
  return {
    ...common({ route: '/mcp/sse', server: 'default' }, mcp),
    protocol: 'sse',
    endless: true,
    summary: 'MCP: legacy HTTP+SSE stream (2024-11-05)',
    description:
      'The first event, `endpoint`, says where to post; every answer comes as a `message` event. The session ends with the stream.',
    responses: { 200: { description: 'Event stream', content: { 'text/event-stream': { type: 'string' } } } },
    examples: [
      { name: 'Open', path: '/mcp/sse', headers: [{ name: 'Accept', value: 'text/event-stream' }], expectStatus: 200 },
    ],
  }
}

export function describeLegacyPost(mcp: Mcp): RouteDescription {
  return {
    ...common({ route: '/mcp/messages', server: 'default' }, mcp),
    summary: 'MCP: message to a legacy session',
    parameters: [
      {
        name: 'sessionId',
        in: 'query',
        description: 'Id that the `endpoint` event gave',
        required: true,
        schema: { type: 'string' },
      },
    ],
    requestBody: { required: true, content: { 'application/json': { type: 'object' } } },
    responses: {
      202: { description: 'Accepted; the answer comes on the stream' },
      '4XX': { description: 'No such session, or no JSON-RPC message' },
    },
    examples: [
      {
        name: 'Without a session',
        method: 'POST',
        path: '/mcp/messages',
        headers: [json],
        body: '{"jsonrpc":"2.0","id":1,"method":"ping"}',
        bodyType: 'json',
        expectStatus: 400,
      },
    ],
  }
}

export function describeMetadata(path: string, mcp: Mcp): RouteDescription {
  const isOfNamed = path.endsWith('{name}')
  const named = mcp.svc.options.servers.find(server => server.auth === 'oauth')?.name
  return {
    path,
    category: 'MCP Server',
    summary: 'MCP: OAuth protected resource metadata (RFC 9728)',
    parameters: isOfNamed ? [serverName] : [],
    responses: {
      200: {
        description: 'Resource, authorization servers, scopes',
        content: { 'application/json': { type: 'object' } },
      },
      ...(isOfNamed ? { 404: { description: 'No such server, or one that asks for no token' } } : {}),
    },
    examples:
      isOfNamed && named === undefined
        ? [{ name: 'An open server has none', path: path.replace('{name}', 'weather'), expectStatus: 404 }]
        : [{ name: 'Fetch', path: path.replace('{name}', named ?? ''), expectStatus: 200 }],
  }
}

/** Requests to a server that work as they stand, one for each era; without a token the challenge is what there is to see. */
export function serverExamples(server: Server, mcp: Mcp): RouteExample[] {
  const path = endpointPath(server)
  const headers = demoKey(server.auth === 'apikey')
  const expectStatus =
    server.auth === 'oauth'
      ? 401
      : server.auth === 'apikey' && (server.apiKey ?? mcp.svc.variables.apiKey) !== null
        ? null
        : 200
  return [
    {
      name: `${server.name}: list the tools (${STATELESS.name})`,
      method: 'POST',
      path,
      headers: [
        json,
        { name: 'MCP-Protocol-Version', value: STATELESS.name },
        { name: 'Mcp-Method', value: 'tools/list' },
        ...headers,
      ],
      body: '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}',
      bodyType: 'json',
      expectStatus,
    },
    {
      name: `${server.name}: begin a session`,
      method: 'POST',
      path,
      headers: [json, { name: 'Accept', value: 'application/json, text/event-stream' }, ...headers],
      body: '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"curl","version":"1"}}}',
      bodyType: 'json',
      expectStatus,
    },
  ]
}

function common(
  { route, server }: Pick<Endpoint, 'route' | 'server'>,
  mcp: Mcp,
): Omit<RouteDescription, 'summary' | 'examples'> {
  return {
    path: route.replace(':name', '{name}'),
    category: 'MCP Server',
    bodyLimit: mcp.bounds.bodyBytes,
    errorForm: (failure: CoreFailure, request: RequestFacts) => ({
      headers: factHeaders({ server: server ?? knownServer(request.path, mcp) }),
      body: failure.body,
    }),
  }
}

function knownServer(path: string, mcp: Mcp): string | null {
  const name = path.split('/')[3] ?? ''
  return mcp.servers.has(name) && !UNNAMED_SERVERS.includes(name) ? name : null
}

function parameters({ server }: Endpoint) {
  return server === undefined ? [serverName] : []
}

function examplePath({ route }: Endpoint): string {
  return route.replace(':name', 'weather')
}

function demoKey(isNeeded: boolean): { name: string; value: string }[] {
  return isNeeded ? [{ name: 'X-API-Key', value: 'demo' }] : []
}

/** What a request without a session gets; null where it depends on a key that is configured. */
function refusalOf({ server }: Endpoint, mcp: Mcp): number | null {
  if (server === 'protected') return 401
  return server === 'apikey' && mcp.svc.variables.apiKey !== null ? null : 400
}
