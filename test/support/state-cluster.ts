/** A cluster of six Redis or Valkey servers: three with a replica each. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { STATE_SERVER } from './state-store.ts'
import { until } from './until.ts'
import { freePort } from './free-ports.ts'

interface Test {
  teardown(callback: () => unknown): unknown
}

const CLI = STATE_SERVER?.replace('-server', '-cli') ?? ''

/** Options of tests that need a cluster. */
export const NEEDS_CLUSTER =
  STATE_SERVER === null || spawnSync(CLI, ['--version']).status !== 0
    ? { skip: 'the server or the command line of the state store is not on the PATH' }
    : {}

export interface StateCluster {
  /** The URL of one of its servers. */
  url: string
  /** Ends the server that has the slot of this key, at once, so that its replica is promoted. */
  killOwnerOf(key: string): Promise<void>
}

export async function startStateCluster(t: Test): Promise<StateCluster> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-cluster-'))
  const servers = new Map<number, ChildProcess>()
  t.teardown(async () => {
    await Promise.all([...servers.values()].map(end))
    rmSync(folder, { recursive: true, force: true })
  })
  for (let index = 0; index < 6; index++) {
    const port = await freePort()
    const data = join(folder, String(port))
    mkdirSync(data)
    servers.set(port, await startNode(port, await freePort(), data))
  }
  const ports = [...servers.keys()]
  const cli = (port: number, ...words: string[]): string =>
    spawnSync(CLI, ['-p', String(port), ...words], { encoding: 'utf8' }).stdout.trim()
  const addresses = ports.map(port => `127.0.0.1:${port}`)
  const made = spawnSync(CLI, ['--cluster', 'create', ...addresses, '--cluster-replicas', '1', '--cluster-yes'], {
    encoding: 'utf8',
  })
  if (made.status !== 0) throw new Error(`the cluster was not made: ${made.stdout}${made.stderr}`)
  const isReady = (port: number): boolean => cli(port, 'CLUSTER', 'INFO').includes('cluster_state:ok')
  await until(() => ports.every(isReady), 'the cluster')
  await until(() => ports.every(port => cli(port, 'CLUSTER', 'NODES').split('\n').length === 6), 'its servers')
  // A replica that has never been in sync is not promoted.
  const replication = (port: number): string => cli(port, 'INFO', 'replication')
  await until(
    () => ports.filter(port => /role:slave[^]*master_link_status:up/.test(replication(port))).length === 3,
    'its replicas',
  )
  return {
    url: `redis://127.0.0.1:${ports[0]}`,
    async killOwnerOf(key) {
      const slot = Number(cli(ports[0]!, 'CLUSTER', 'KEYSLOT', key))
      const owner = cli(ports[0]!, 'CLUSTER', 'NODES')
        .split('\n')
        .map(line => line.split(' '))
        .find(([, , flags, , , , , , ...ranges]) => flags!.includes('master') && ranges.some(range => has(range, slot)))
      const port = Number(/:(\d+)@/.exec(owner![1]!)![1])
      await end(servers.get(port)!)
    },
  }
}

function has(range: string, slot: number): boolean {
  const [from, to = from] = range.split('-').map(Number)
  return slot >= from! && slot <= to!
}

async function startNode(port: number, busPort: number, folder: string): Promise<ChildProcess> {
  const settings = {
    port,
    'cluster-port': busPort,
    bind: '127.0.0.1',
    dir: folder,
    save: '',
    appendonly: 'no',
    'cluster-enabled': 'yes',
    'cluster-node-timeout': 2000,
    'cluster-config-file': 'nodes.conf',
    'repl-diskless-sync-delay': 0,
  }
  const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)])
  const child = spawn(STATE_SERVER!, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  let output = ''
  child.stdout.on('data', chunk => {
    output += String(chunk)
  })
  await until(() => output.includes('Ready to accept connections'), STATE_SERVER!)
  return child
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = new Promise(resolve => child.once('exit', resolve))
  child.kill('SIGKILL')
  await exited
}
