/** The plugins that test servers run by default, by the folder of the test file. A server with all plugins takes several times as long to start. */
import { currentFile } from '../runner/current.ts'

const TOOLBOX = [
  'bins',
  'caching',
  'delay',
  'demo-data',
  'echo',
  'images',
  'info',
  'jsonrpc',
  'orchestration',
  'query',
  'redirects',
  'reliability',
  'sse',
  'status',
  'transfer',
  'webhooks',
  'websocket',
]

/** Plugins by path prefix below `test/`; the longest prefix wins, and dependencies are added. `null` means all plugins. */
const PLUGINS: Record<string, readonly string[] | null> = {
  'integration/graphql-subgraphs/': ['graphql-subgraphs'],
  'integration/a2a/': ['a2a', 'identity', 'echo'],
  'integration/auth/': ['auth', 'identity', 'echo'],
  'integration/core/': ['docs', 'echo', 'status', 'info', 'delay', 'transfer', 'sse', 'websocket', 'reliability'],
  'integration/core/connection-faults': ['grpc', 'echo', 'info', 'delay', 'websocket'],
  'integration/control-mcp/': ['control-mcp', 'identity', 'mocks', 'tls', 'echo'],
  'integration/grpc-services/': ['grpc-services', 'httpbin'],
  'integration/drop-in/': ['drop-in', 'httpbin'],
  'integration/layer4/': ['layer4', 'httpbin', 'echo'],
  'integration/orca/': ['orca', 'grpc-services', 'llm-openai', 'echo', 'sse', 'status'],
  'integration/guardrails/': ['guardrails', 'llm', 'llm-openai'],
  'integration/identity/': ['identity', 'auth', 'echo'],
  'integration/mcp/': ['mcp', 'identity', 'echo'],
  'integration/mcp-extensions/': ['mcp', 'mcp-extensions', 'identity'],
  'integration/mcp-hostile/': ['mcp-hostile', 'identity'],
  'integration/mocks/': ['mocks', 'identity', 'echo', 'status'],
  'integration/mocks/real-documents': null,
  'integration/mocks/graphql': ['mocks', 'graphql', 'graphql-subgraphs', 'echo'],
  'integration/protocols/': ['graphql', 'grpc', 'soap', 'demo-data', 'echo', 'websocket'],
  'integration/rules/': ['echo', 'status', 'info', 'delay', 'websocket', 'reliability'],
  'integration/rules/protocols': [
    'jsonrpc',
    'graphql',
    'grpc',
    'soap',
    'mcp',
    'a2a',
    'demo-data',
    'llm-openai',
    'echo',
  ],
  'integration/tls/': ['tls', 'auth'],
  'integration/toolbox/': [...TOOLBOX, 'auth'],
  'integration/toolbox/catalog': null,
  'integration/toolbox/openapi-document': null,
  'integration/toolbox/hostile-input': null,
  'sdk/control-mcp': ['control-mcp', 'echo'],
  'sdk/graphql': ['graphql'],
  'sdk/grpc': ['grpc'],
  'sdk/identity': ['identity', 'mcp', 'auth'],
  'sdk/mcp': ['mcp', 'mcp-extensions', 'identity'],
  'sdk/mocks': ['mocks', 'identity'],
  'sdk/soap': ['soap'],
  'sdk/toolbox': [...TOOLBOX, 'auth'],
}

/** The plugins for the current test file; undefined means all. */
export function pluginsOfArea(): readonly string[] | undefined {
  const file = currentFile() ?? ''
  const area = Object.keys(PLUGINS)
    .filter(beginning => file.startsWith(beginning))
    .sort((one, other) => other.length - one.length)[0]
  return area === undefined ? undefined : (PLUGINS[area] ?? undefined)
}
