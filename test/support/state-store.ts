/** A Redis or Valkey server for the tests of replicas. */
import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createRedisLink } from '../../backends/redis/redis-link.ts'
import { SharedState, type SharedStateOptions } from '../../backends/redis/shared-state.ts'
import { StateRegistry, type StateFailure } from '../../core/state/state-registry.ts'
import { until } from './until.ts'
import { freePort } from './free-ports.ts'

interface Test {
  teardown(callback: () => unknown): unknown
}

/** The program of the server; null if there is none, so that tests report themselves as skipped. */
export const STATE_SERVER =
  ['valkey-server', 'redis-server'].find(name => spawnSync(name, ['--version']).status === 0) ?? null

/** Options of tests that need a server. */
export const NEEDS_SERVER =
  STATE_SERVER === null ? { skip: 'neither valkey-server nor redis-server is on the PATH' } : {}

export interface StateServer {
  url: string
  pid(): number
  /** Ends the server at once. */
  kill(): Promise<void>
  /** Starts it again, empty. */
  start(): Promise<void>
  /** Sends commands with a client of the server. */
  command(...words: string[]): string
}

export async function startStateServer(t: Test, options: readonly string[] = []): Promise<StateServer> {
  const port = await freePort()
  const folder = mkdtempSync(join(tmpdir(), 'svc-state-'))
  let child: ReturnType<typeof spawn> | null = null
  const server: StateServer = {
    url: `redis://127.0.0.1:${port}`,
    pid: () => child!.pid!,
    async kill() {
      if (child === null || child.exitCode !== null || child.signalCode !== null) return
      const exited = new Promise(resolve => child!.once('exit', resolve))
      child.kill('SIGKILL')
      await exited
    },
    async start() {
      let output = ''
      const common = [
        '--port',
        String(port),
        '--bind',
        '127.0.0.1',
        '--dir',
        folder,
        '--save',
        '',
        '--appendonly',
        'no',
      ]
      child = spawn(STATE_SERVER!, [...common, ...options], { stdio: ['ignore', 'pipe', 'inherit'] })
      child.stdout!.on('data', chunk => {
        output += String(chunk)
      })
      await until(() => output.includes('Ready to accept connections'), STATE_SERVER!)
    },
    command(...words) {
      const cli = STATE_SERVER!.replace('-server', '-cli')
      return spawnSync(cli, ['-p', String(port), ...words], { encoding: 'utf8' }).stdout.trim()
    },
  }
  t.teardown(async () => {
    await server.kill()
    rmSync(folder, { recursive: true, force: true })
  })
  await server.start()
  return server
}

export interface StateReplica {
  state: SharedState
  registry: StateRegistry
  failures: (StateFailure & { error: unknown })[]
}

/** State of one replica in this process. */
export async function openReplica(
  t: Test,
  url: string,
  options: Partial<SharedStateOptions> = {},
): Promise<StateReplica> {
  const failures: StateReplica['failures'] = []
  let state!: SharedState
  const registry = new StateRegistry({
    onError: (error, failure) => failures.push({ ...failure, error }),
    openBackend: onError => {
      state = new SharedState({
        createLink: () => createRedisLink({ url, password: null, ca: null, isCluster: false }),
        prefix: 'svc',
        instanceId: 'test',
        timeoutMs: 1000,
        secret: null,
        onError,
        ...options,
      })
      return state
    },
  })
  t.teardown(() => registry.close())
  await state.open()
  return { state, registry, failures }
}
