/** Assigns each page of the documentation to the test file that runs its examples. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../support/examples.ts'

export const GROUPS = {
  http: ['toolbox', 'httpbin', 'reliability', 'bins', 'proxy', 'faults', 'testing', 'gateway-services'],
  apis: ['identity', 'mocks', 'jsonrpc', 'exports', 'provider-hosts'],
  protocols: ['drop-in', 'graphql', 'grpc', 'layer4', 'soap', 'streams'],
  models: ['llm', 'validation', 'coding-agents', 'guardrails', 'frameworks'],
  agents: ['mcp', 'mcp-attacks', 'a2a'],
  operations: [
    'limits',
    'load-testing',
    'observability',
    'control-plane',
    'configuration',
    'console',
    'security',
    'probe',
    'replicas',
    'demos',
  ],
} as const

/** Pages that a plugin author follows in an empty folder; `test/integration/kit/<name>-page.test.ts` runs them. */
export const AUTHORING = ['plugins', 'state', 'command-line', 'three-demos']

/** Pages without examples that run against a server, and those that `test/integration/kit` and `test/programs` run in a separate project. */
export const ELSEWHERE = [
  'README',
  'architecture',
  'areas',
  'clients',
  'coming-over',
  'comparison',
  'demos-matrix',
  'deployment',
  'github-action',
  'hardening',
  'plugins',
  'command-line',
]

export const pagesOf = (group: keyof typeof GROUPS): string[] => GROUPS[group].map(name => `docs/${name}.md`)

/** Names of all `docs/<name>.md` files. */
export function pagesOnDisk(): string[] {
  return readdirSync(join(root, 'docs'))
    .filter(name => name.endsWith('.md'))
    .map(name => name.slice(0, -'.md'.length))
}

/** The READMEs of the plugins. */
export function readmes(): string[] {
  return readdirSync(join(root, 'plugins')).map(name => `plugins/${name}/README.md`)
}
