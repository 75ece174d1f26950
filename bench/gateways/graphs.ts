/** Configurations of gateways that join graphs. */
import type { GatewayConfiguration } from './configuration.ts'

const SUPERGRAPH = '/s/probe/graphql/supergraph.graphql'

/** Of gateways that join graphs: subgraphs are given up after 10 s where that can be set. */
const ofGraphs = {
  kind: 'default',
  part: 'graphs',
  probe: () => ['--groups', 'gql', '--timeout', '20'],
} as const

export const OF_GRAPHS: readonly GatewayConfiguration[] = [
  {
    ...ofGraphs,
    product: 'Hive Gateway',
    program: 'hive-gateway',
    version: ['--version'],
    file: 'gateway.config.mjs',
    text: ({ up, port }) => `export const gatewayConfig = {
  supergraph: 'http://127.0.0.1:${up}${SUPERGRAPH}',
  host: '127.0.0.1',
  port: ${port},
  propagateHeaders: {
    fromClientToSubgraphs: ({ request }) => ({ 'x-tenant': request.headers.get('x-tenant') ?? undefined }),
  },
  upstreamTimeout: 10_000,
}
`,
    arguments: file => ['supergraph', '--config-path', file],
    routes: () => 'gql: { propagates: [x-tenant], timeout_s: 10 }\n',
  },
  {
    ...ofGraphs,
    product: 'Apollo Gateway',
    // A library: NODE_PATH has to name the folder with @apollo/gateway and @apollo/server.
    program: 'node',
    version: ['-p', "require('@apollo/gateway/package.json').version"],
    file: 'gateway.cjs',
    text: ({ up, port }) => `const { ApolloServer } = require('@apollo/server')
const { startStandaloneServer } = require('@apollo/server/standalone')
const { ApolloGateway, RemoteGraphQLDataSource } = require('@apollo/gateway')

class Subgraph extends RemoteGraphQLDataSource {
  willSendRequest({ request, context }) {
    if (context.tenant) request.http.headers.set('x-tenant', context.tenant)
  }
}

fetch('http://127.0.0.1:${up}${SUPERGRAPH}')
  .then(response => response.text())
  .then(supergraphSdl => {
    const gateway = new ApolloGateway({ supergraphSdl, buildService: ({ url }) => new Subgraph({ url }) })
    return startStandaloneServer(new ApolloServer({ gateway }), {
      listen: { host: '127.0.0.1', port: ${port}, path: '/graphql' },
      context: async ({ req }) => ({ tenant: req.headers['x-tenant'] }),
    })
  })
`,
    arguments: file => [file],
    environment: { NODE_ENV: 'production' },
    routes: () => 'gql: { propagates: [x-tenant] }\n',
  },
]
