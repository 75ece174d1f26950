/** The servers of agentgateway's testbox that have ports; `examples/drop-in/testbox.yaml` has the same. */
import { existsSync } from 'node:fs'
import type { Sections, StandIn } from './stand-in.ts'

const CERTIFICATE = '/tls/tls.crt'
const KEY = '/tls/tls.key'

function tool(name: string, text: string): Record<string, unknown> {
  return { name, answers: [{ text }] }
}

const FETCH = tool('fetch', 'fetched: {{args.url}}')

export const TESTBOX: StandIn = {
  flags: {},
  sections: (): Sections => ({
    drop_in: {
      listeners: [
        { name: 'app', port: 80, serve: 'istio-echo' },
        {
          name: 'app-tls',
          port: 443,
          serve: 'istio-echo',
          tls: existsSync(CERTIFICATE) && existsSync(KEY) ? { cert: CERTIFICATE, key: KEY } : true,
        },
        { name: 'app-grpc', port: 7070, serve: 'grpc' },
        { name: 'llm', port: 9234, serve: 'testbox-llm' },
        { name: 'a2a', port: 9999, serve: 'testbox-a2a' },
        { name: 'ext-proc', port: 18_080, serve: 'grpc' },
        { name: 'ext-authz', port: 9000, serve: 'grpc' },
        { name: 'ext-mcp', port: 9001, serve: 'grpc' },
      ],
    },
    layer4: {
      listeners: [
        { name: 'app-tcp', port: 9090, mode: 'istio' },
        { name: 'raw-headers', port: 18_081, mode: 'raw-headers' },
      ],
    },
    mcp: {
      servers: [
        { name: 'mcp-website-fetcher', info_name: 'mcp-website-fetcher', tools: [FETCH] },
        { name: 'mcp-admin-server', info_name: 'mcp-admin-server', tools: [FETCH, tool('admin_status', 'ok')] },
      ],
      listeners: [
        { name: 'mcp-website-fetcher', port: 8000, server: 'mcp-website-fetcher' },
        { name: 'mcp-admin-server', port: 3001, server: 'mcp-admin-server' },
      ],
    },
  }),
}
