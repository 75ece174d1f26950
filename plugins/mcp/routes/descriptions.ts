/** Owns the descriptions of the MCP routes for the catalog, OpenAPI and the console. */
import type { CoreFailure, RequestFacts, RouteCredential, RouteDescription, RouteExample } from 'svc/plugin'
import { factHeaders } from '../http/exchange.ts'
import { FAIL_HEADER } from '../faults/fault-header.ts'
import { KINDS } from '../protocol/fault-kinds.ts'
import type { Mcp } from '../mcp.ts'
import { endpointPath } from '../access/protected-resource.ts'
import { UNNAMED_SERVERS } from '../registry/registry.ts'
import type { Server } from '../servers/server.ts'
import { STATELESS } from '../protocol/versions.ts'

/** A Streamable HTTP endpoint, of one server or of all named servers. */
export interface Endpoint {
  /** In Fastify's notation. */
  route: string
  /** Undefined: the path parameter names the server. */
  server?: string
  summary: string
}

const json = { name: 'Content-Type', value: 'application/json' }
const sessionHeader = {
  name: 'Mcp-Session-Id',
  in: 'header' as const,
  description: 'Session id (revision 2025-11-25 and older)',
  schema: { type: 'string' },
}
const serverName = {
  name: 'name',
  in: 'path' as const,
  description: 'Name of the server',
  required: true,
  schema: { type: 'string' },
}

const failHeader = {
  name: FAIL_HEADER,
  in: 'header' as const,
  description: `Faults to inject: \`<kind>[@<n>][:<percent>]\`, up to 5, separated by commas. Kinds: ${KINDS.join(', ')}`,
  schema: { type: 'string' },
}

/** What servers that are not open accept, by name. */
const CREDENTIALS = new Map<string, readonly RouteCredential[]>([
  ['protected', ['bearer']],
  ['apikey', ['apiKey']],
])
/** It depends on the server that the path names. */
const CREDENTIALS_OF_NAMED: readonly RouteCredential[] = ['none', 'bearer', 'apiKey']

export function describePost(endpoint: Endpoint, mcp: Mcp): RouteDescription {
  return {
    ...common(endpoint, mcp),
    summary: endpoint.summary,
    description:
      'Send one JSON-RPC message. In revision 2026-07-28 every request has an envelope in `_meta`; older revisions start a session with `initialize`. The response is JSON, or an event stream if the server sends other messages first.',
    parameters: [
      ...parameters(endpoint),
      {
        name: 'page_size',
        in: 'query',
        description: 'Number of list items per page, 1 to 1000',
        schema: { type: 'integer', default: 100 },
      },
      { name: 'MCP-Protocol-Version', in: 'header', description: 'Protocol revision', schema: { type: 'string' } },
      { name: 'Mcp-Method', in: 'header', description: 'Repeats the method (2026-07-28)', schema: { type: 'string' } },
      {
        name: 'Mcp-Name',
        in: 'header',
        description: 'Repeats the name of the tool or prompt, or the URI of the resource (2026-07-28)',
        schema: { type: 'string' },
      },
      ...(isControl(endpoint) ? [] : [failHeader]),
    ],
    requestBody: { required: true, content: { 'application/json': { type: 'object' } } },
    responses: {
      200: {
        description: 'The response, as JSON or as an event stream',
        content: { 'application/json': { type: 'object' }, 'text/event-stream': { type: 'string' } },
      },
      202: { description: 'The notification or response was accepted' },
      '4XX': { description: 'A JSON-RPC error', content: { 'application/json': { type: 'object' } } },
    },
    examples: [],
  }
}

export function describeGet(endpoint: Endpoint, mcp: Mcp): RouteDescription {
  return {
    ...common(endpoint, mcp),
    summary: 'MCP: open the event stream of a session',
    description:
      'Streams resource updates and list changes. With `Last-Event-ID`, resumes an interrupted stream. Only in revision 2025-11-25 and older.',
    parameters: [
      ...parameters(endpoint),
      sessionHeader,
      {
        name: 'Last-Event-ID',
        in: 'header',
        description: 'Id of the last event received',
        schema: { type: 'string' },
      },
    ],
    responses: {
      200: { description: 'Event stream', content: { 'text/event-stream': { type: 'string' } } },
      '4XX': { description: 'Unknown session, event streams not accepted, or a stream is already open' },
    },
    endless: true,
    examples: [
      {
        name: 'Without a session',
        path: examplePath(endpoint),
        headers: [{ name: 'Accept', value: 'text/event-stream' }, ...demoKey(endpoint.server === 'apikey')],
        expectStatus: statusWithoutSession(endpoint, mcp),
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
      200: {
        description: 'The session has ended: `{"terminated": id}`',
        content: { 'application/json': { type: 'object' } },
      },
      '4XX': { description: 'Unknown session' },
    },
    examples: [
      {
        name: 'Without a session',
        method: 'DELETE',
        path: examplePath(endpoint),
        headers: demoKey(endpoint.server === 'apikey'),
        expectStatus: statusWithoutSession(endpoint, mcp),
      },
    ],
  }
}

export function describeHttpSseStream(mcp: Mcp): RouteDescription {
  return {
    ...common({ route: '/mcp/sse', server: 'default' }, mcp),
    protocol: 'sse',
    endless: true,
    summary: 'MCP: HTTP+SSE stream (2024-11-05)',
    description:
      'The first event, `endpoint`, contains the path to post messages to. Responses arrive as `message` events. The session ends with the stream.',
    responses: { 200: { description: 'Event stream', content: { 'text/event-stream': { type: 'string' } } } },
    examples: [
      { name: 'Open', path: '/mcp/sse', headers: [{ name: 'Accept', value: 'text/event-stream' }], expectStatus: 200 },
    ],
  }
}

export function describeHttpSsePost(mcp: Mcp): RouteDescription {
  return {
    ...common({ route: '/mcp/messages', server: 'default' }, mcp),
    summary: 'MCP: send a message to an HTTP+SSE session',
    parameters: [
      {
        name: 'sessionId',
        in: 'query',
        description: 'Session id from the `endpoint` event',
        required: true,
        schema: { type: 'string' },
      },
    ],
    requestBody: { required: true, content: { 'application/json': { type: 'object' } } },
    responses: {
      202: { description: 'Accepted; the response is sent on the stream' },
      '4XX': { description: 'Unknown session or invalid JSON-RPC message' },
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
        description: 'The resource, its authorization servers and scopes',
        content: { 'application/json': { type: 'object' } },
      },
      ...(isOfNamed ? { 404: { description: 'Unknown server, or a server without OAuth' } } : {}),
    },
    examples:
      isOfNamed && named === undefined
        ? [{ name: 'A server without OAuth has none', path: path.replace('{name}', 'weather'), expectStatus: 404 }]
        : [{ name: 'Fetch', path: path.replace('{name}', named ?? ''), expectStatus: 200 }],
  }
}

/** Example requests for a server: one stateless, one that begins a session. Without a token, OAuth servers answer 401. */
export function serverExamples(server: Server, mcp: Mcp): RouteExample[] {
  const path = endpointPath(server)
  const headers = demoKey(server.auth === 'apikey')
  const label = server.definition.hostile === undefined ? server.name : `${server.name} (hostile on purpose)`
  const expectStatus =
    server.auth === 'oauth'
      ? 401
      : server.auth === 'apikey' && (server.apiKey ?? mcp.svc.variables.apiKey) !== null
        ? null
        : 200
  return [
    {
      name: `${label}: list the tools (${STATELESS.name})`,
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
      name: `${label}: begin a session`,
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
  const credentials = server === undefined ? CREDENTIALS_OF_NAMED : CREDENTIALS.get(server)
  return {
    path: route.replace(':name', '{name}'),
    category: 'MCP Server',
    area: 'mcp',
    bodyLimit: mcp.bounds.bodyBytes,
    ...(credentials && { credentials }),
    // Its tools require the scopes of their operations.
    ...(isControl({ route }) ? { controlScope: 'inspector' } : {}),
    errorForm: (failure: CoreFailure, request: RequestFacts) => ({
      headers: factHeaders({ server: server ?? serverAt(request.path, mcp) }),
      body: failure.body,
    }),
  }
}

/** Name of the server of a path; null if there is none. */
export function serverAt(path: string, mcp: Mcp): string | null {
  const [, first = '', second = '', third = ''] = path.split('/')
  if (first === 'mcp' && second === 'servers') return mcp.servers.get(third)?.isNamed === true ? third : null
  if (first === 'mcp') return UNNAMED_SERVERS.includes(second) ? second : 'default'
  return [...mcp.servers.values()].find(({ definition }) => definition.path === path)?.name ?? null
}

function isControl({ route }: Pick<Endpoint, 'route'>): boolean {
  return route.startsWith('/_svc/')
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

/** Status of a request without a session; null if it depends on a configured key. */
function statusWithoutSession({ server }: Endpoint, mcp: Mcp): number | null {
  if (server === 'protected') return 401
  return server === 'apikey' && mcp.svc.variables.apiKey !== null ? null : 400
}
