/** Which test file runs the examples of which page. Every page of the documentation stands in one of the lists. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../support/examples.ts'

export const GROUPS = {
  http: ['toolbox', 'reliability', 'bins', 'faults'],
  apis: ['identity', 'mocks', 'jsonrpc', 'exports'],
  protocols: ['graphql', 'grpc', 'soap', 'streams'],
  models: ['llm', 'guardrails'],
  agents: ['mcp', 'a2a'],
  operations: ['limits', 'observability', 'control-plane', 'configuration', 'console', 'security'],
} as const

/** Pages that an author of plugins follows in a folder of his own; `test/integration/kit/<name>-page.test.ts` runs them. */
export const AUTHORING = ['plugins', 'state', 'command-line']

/** Pages without examples of the running service, and those that `test/integration/kit` runs in a project of their own. */
export const ELSEWHERE = [
  'README',
  'architecture',
  'areas',
  'comparison',
  'deployment',
  'hardening',
  'plugins',
  'command-line',
]

export const pagesOf = (group: keyof typeof GROUPS): string[] => GROUPS[group].map(name => `docs/${name}.md`)

/** `docs/<name>.md` as they lie on disk, names alone. */
export function pagesOnDisk(): string[] {
  return readdirSync(join(root, 'docs'))
    .filter(name => name.endsWith('.md'))
    .map(name => name.slice(0, -'.md'.length))
}

/** The pages beside the code, and the README. */
export function readmes(): string[] {
  return readdirSync(join(root, 'plugins')).map(name => `plugins/${name}/README.md`)
}
