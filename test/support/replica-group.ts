/** Several servers over one state store, behind a balancer that sends each request to the next one. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from '../../core/testing/client.mjs'
import { launch, type LaunchOptions } from '../../core/testing/launch.ts'
import { startBalancer } from './balancer.ts'
import type { TestServer } from './server.ts'
import { startStateServer } from './state-store.ts'

interface Test {
  teardown(callback: () => unknown): unknown
}

/**
 * The first server, with the URL of the balancer; stop, reload, flush and log lines are those of all. They have the same
 * files, as the replicas of one manifest. `ports` are those of the first.
 */
export async function serveReplicas(t: Test, count: number, options: LaunchOptions): Promise<TestServer> {
  const store = await startStateServer(t)
  // The servers of a test share a process, and often a busy machine.
  const env = { SVC_STATE_STORE_TIMEOUT_MS: '10000', ...options.env, SVC_STATE_STORE: store.url }
  const folder = mkdtempSync(join(tmpdir(), 'svc-test-'))
  const servers = await Promise.all(Array.from({ length: count }, () => launch({ ...options, env, folder })))
  const balancer = await startBalancer(servers.map(({ url }) => Number(new URL(url).port)))
  const [first] = servers as [(typeof servers)[0]]
  const stop = async (): Promise<void> => {
    await Promise.all(servers.map(server => server.stop()))
    await balancer.stop()
    rmSync(folder, { recursive: true, force: true })
  }
  const token = options.env?.SVC_ADMIN_TOKEN
  return {
    ...first,
    ...connect(balancer.url, token === undefined ? {} : { token }),
    url: balancer.url,
    get lines() {
      return servers.flatMap(({ lines }) => lines)
    },
    flush: () => {
      for (const { flush } of servers) flush()
    },
    reload: async () => (await Promise.all(servers.map(({ reload }) => reload())))[0]!,
    stop,
    [Symbol.asyncDispose]: stop,
  }
}
