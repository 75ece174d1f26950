/** Files with which gateways start over the subgraphs: `/graphql/supergraph/config/{gateway}`. */

/** What the files contain. */
export interface GatewayFacts {
  subgraphs: readonly { name: string; url: string; wsPath: string; schemaUrl: string }[]
  /** The address of the supergraph. */
  supergraphUrl: string
}

export interface GatewayFile {
  filename: string
  type: string
  text(facts: GatewayFacts): string
}

const YAML = 'application/yaml; charset=utf-8'
const SCRIPT = 'text/javascript; charset=utf-8'

/** By the name of the gateway or composer. */
export const GATEWAY_FILES: Readonly<Record<string, GatewayFile>> = {
  rover: {
    filename: 'supergraph.yaml',
    type: YAML,
    text: ({ subgraphs }) =>
      [
        '# rover supergraph compose --config supergraph.yaml > supergraph.graphql',
        'subgraphs:',
        ...subgraphs.flatMap(({ name, url }) => [
          `  ${name}:`,
          `    routing_url: ${url}`,
          '    schema:',
          `      subgraph_url: ${url}`,
        ]),
      ].join('\n'),
  },
  cosmo: {
    filename: 'graph.yaml',
    type: YAML,
    text: ({ subgraphs }) =>
      [
        '# wgc router compose --input graph.yaml --out config.json',
        'version: 1',
        'subgraphs:',
        ...subgraphs.flatMap(({ name, url }) => [
          `  - name: ${name}`,
          `    routing_url: ${url}`,
          '    introspection:',
          `      url: ${url}`,
          '    subscription:',
          `      url: ${url}/ws`,
          '      protocol: ws',
        ]),
      ].join('\n'),
  },
  'apollo-router': {
    filename: 'router.yaml',
    type: YAML,
    text: ({ subgraphs, supergraphUrl }) =>
      [
        `# curl -o supergraph.graphql '${supergraphUrl}'`,
        '# router --config router.yaml --supergraph supergraph.graphql',
        'supergraph:',
        '  listen: 127.0.0.1:4000',
        'include_subgraph_errors:',
        '  all: true',
        'subscription:',
        '  enabled: true',
        '  mode:',
        '    passthrough:',
        '      subgraphs:',
        ...subgraphs.flatMap(({ name, wsPath }) => [
          `        ${name}:`,
          `          path: ${wsPath}`,
          '          protocol: graphql_ws',
        ]),
      ].join('\n'),
  },
  'apollo-gateway': {
    filename: 'gateway.mjs',
    type: SCRIPT,
    text: ({ supergraphUrl }) =>
      [
        '// npm install @apollo/gateway @apollo/server graphql && node gateway.mjs',
        "import { ApolloGateway } from '@apollo/gateway'",
        "import { ApolloServer } from '@apollo/server'",
        "import { startStandaloneServer } from '@apollo/server/standalone'",
        '',
        `const response = await fetch(${JSON.stringify(supergraphUrl)})`,
        'if (!response.ok) throw new Error(await response.text())',
        'const gateway = new ApolloGateway({ supergraphSdl: await response.text() })',
        'const { url } = await startStandaloneServer(new ApolloServer({ gateway }), { listen: { port: 4000 } })',
        'console.log(url)',
      ].join('\n'),
  },
  'hive-gateway': {
    filename: 'gateway.config.ts',
    type: SCRIPT,
    text: ({ supergraphUrl }) =>
      [
        '// npx hive-gateway supergraph',
        "import { defineConfig } from '@graphql-hive/gateway'",
        '',
        'export const gatewayConfig = defineConfig({',
        `  supergraph: ${JSON.stringify(supergraphUrl)},`,
        '})',
      ].join('\n'),
  },
  'hive-router': {
    filename: 'router.config.yaml',
    type: YAML,
    text: ({ supergraphUrl }) =>
      [
        `# curl -o supergraph.graphql '${supergraphUrl}'`,
        '# hive_router',
        'supergraph:',
        '  source: file',
        '  path: ./supergraph.graphql',
        'http:',
        '  port: 4000',
      ].join('\n'),
  },
  grafbase: {
    filename: 'grafbase.toml',
    type: 'application/toml; charset=utf-8',
    text: ({ supergraphUrl }) =>
      [
        `# curl -o supergraph.graphql '${supergraphUrl}'`,
        '# grafbase-gateway --schema supergraph.graphql --config grafbase.toml',
        '[network]',
        'listen_address = "127.0.0.1:4000"',
        '',
        '[graph]',
        'introspection = true',
      ].join('\n'),
  },
}
