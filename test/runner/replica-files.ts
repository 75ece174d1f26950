/** The integration tests that run a second time, against several replicas with a shared state store. */
import { spawnSync } from 'node:child_process'
import type { TestFile } from './tiers.ts'

/** What a replica writes and another one reads. The whole suite takes about twenty minutes. */
const AREAS = [
  'toolbox/bin',
  'identity/authorization-code',
  'identity/registration',
  'identity/rotation',
  'identity/single-use',
  'mcp/configured',
  'mcp/http-sse',
  'mcp/many-sessions',
  'mcp/resuming',
  'mcp/sessions',
  'a2a/messages',
  'a2a/push',
  'a2a/tenants',
  'mocks/management',
  'mocks/rules',
  'mocks/traffic',
  'rules/reset',
  'rules/routes',
  'rules/sessions',
]

/** Replicas, unless `SVC_TEST_REPLICAS` says otherwise. */
const COUNT = '3'

/** Empty without a program for the store: the tests are not run then. */
export function replicaFiles(all: readonly TestFile[]): { files: TestFile[]; env: Record<string, string> } {
  const { SVC_TEST_REPLICAS: count } = process.env
  const isChosen = ({ name }: TestFile): boolean =>
    count === undefined ? AREAS.some(area => name.startsWith(`integration/${area}`)) : name.startsWith('integration/')
  const files = hasStateServer() ? all.filter(file => file.mode !== 'loader' && isChosen(file)) : []
  return { files: files.map(file => ({ ...file, tier: 'replicas' })), env: { SVC_TEST_REPLICAS: count ?? COUNT } }
}

/** A line for the summary if the files do not run for lack of a program, otherwise undefined. */
export function missingReplicas(): string | undefined {
  return hasStateServer()
    ? undefined
    : 'skipped: the integration tests with three replicas, because neither valkey-server nor redis-server is on the PATH\n'
}

function hasStateServer(): boolean {
  return ['valkey-server', 'redis-server'].some(name => spawnSync(name, ['--version']).status === 0)
}
