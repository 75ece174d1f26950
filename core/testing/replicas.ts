/** Starts several servers that share their state, for tests of plugins. */
import { randomBytes } from 'node:crypto'
import { MemoryDeployment } from '../state/memory-deployment.ts'
import { StateRegistry } from '../state/state-registry.ts'
import { launch, type LaunchOptions } from './launch.ts'
import type { TestReplicas, TestReplicasOptions, TestServer } from './types.ts'

/** Each server closes what it has opened; nothing else ends the deployment. */
export async function launchReplicas(
  count: number,
  { store, ...options }: TestReplicasOptions = {},
): Promise<TestReplicas> {
  if (!Number.isInteger(count) || count < 1 || count > 64)
    throw new RangeError(`the number of replicas must be an integer from 1 to 64, not ${count}`)
  const start = store === undefined ? inMemory(options) : inStore(store, options)
  const started = await Promise.allSettled(Array.from({ length: count }, (_, index) => start(`test-${index + 1}`)))
  const servers = started.filter(outcome => outcome.status === 'fulfilled').map(({ value }) => value)
  const stop = async (): Promise<void> => {
    await Promise.all(servers.map(server => server.stop()))
  }
  const failed = started.find(outcome => outcome.status === 'rejected')
  if (failed !== undefined) {
    await stop()
    throw failed.reason
  }
  return {
    servers,
    via: index => servers[((index % count) + count) % count]!,
    stop,
    [Symbol.asyncDispose]: stop,
  }
}

function inMemory(options: LaunchOptions): (instanceId: string) => Promise<TestServer> {
  const deployment = new MemoryDeployment()
  return async instanceId => {
    const states = new StateRegistry({ openBackend: onError => deployment.join(instanceId, onError) })
    try {
      const server = await launch({ ...options, env: { ...options.env, SVC_INSTANCE_ID: instanceId }, states })
      const { stop: stopServer } = server
      let stopped: Promise<void> | undefined
      const stop = (): Promise<void> => (stopped ??= stopServer().finally(() => states.close()))
      // The getter of the log lines must not be copied.
      return Object.defineProperties(server, { stop: { value: stop }, [Symbol.asyncDispose]: { value: stop } })
    } catch (error) {
      await states.close()
      throw error
    }
  }
}

/** Deployments in one store differ by their prefix. */
function inStore(store: string, options: LaunchOptions): (instanceId: string) => Promise<TestServer> {
  const prefix = `test-${randomBytes(6).toString('hex')}`
  return instanceId =>
    launch({
      ...options,
      env: {
        SVC_STATE_STORE_PREFIX: prefix,
        // The servers share a process.
        SVC_STATE_STORE_TIMEOUT_MS: '10000',
        ...options.env,
        SVC_STATE_STORE: store,
        SVC_INSTANCE_ID: instanceId,
      },
    })
}
