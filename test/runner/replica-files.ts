/** The integration tests that run a second time, against several replicas with a shared state store. */
import { spawnSync } from 'node:child_process'
import { join, resolve } from 'node:path'
import { importsFile } from './imports.ts'
import type { TestFile } from './tiers.ts'

/** What a replica writes and another one reads: `npm run test:all` runs only this, since all of them take up to an hour. */
const SELECTION = [
  'toolbox/bin',
  'identity/authorization-code',
  'identity/registration',
  'identity/rotation',
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

const TEST = resolve(import.meta.dirname, '..')
/** Its `serve` starts the replicas. */
const SERVER = join(TEST, 'support', 'server.ts')
const MEMORY = 'integration/store-memory/'

export interface ReplicaFiles {
  files: TestFile[]
  /** Numbers of integration files that are not run with replicas, by reason. */
  leftOut: Map<string, number>
  env: { SVC_TEST_REPLICAS: string }
}

/** Three replicas, unless `SVC_TEST_REPLICAS` says otherwise. No files without a program for the store. */
export function replicaFiles(all: readonly TestFile[], which: 'all' | 'selection'): ReplicaFiles {
  const { SVC_TEST_REPLICAS: count = '3' } = process.env
  const leftOut = new Map<string, number>()
  const files = all.filter(file => {
    if (!file.name.startsWith('integration/') && !file.name.startsWith('sdk/tools/')) return false
    const reason = reasonAgainst(file, which)
    if (reason !== undefined) leftOut.set(reason, (leftOut.get(reason) ?? 0) + 1)
    return reason === undefined
  })
  return {
    files: hasStateServer() ? files.map(file => ({ ...file, tier: 'replicas' })) : [],
    leftOut,
    env: { SVC_TEST_REPLICAS: count },
  }
}

function reasonAgainst({ name, path }: TestFile, which: 'all' | 'selection'): string | undefined {
  if (name.startsWith(MEMORY)) return 'the memory of one process is measured'
  if (!importsFile(path, SERVER, TEST)) return 'no server is started by test/support/server.ts'
  if (which === 'selection' && !SELECTION.some(area => name.startsWith(`integration/${area}`)))
    return 'not in the selection; `npm run test:replicas` runs all'
  return undefined
}

export function hasStateServer(): boolean {
  return ['valkey-server', 'redis-server'].some(name => spawnSync(name, ['--version']).status === 0)
}
