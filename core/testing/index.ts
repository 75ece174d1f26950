/**
 * `svc/testing`: a server for the tests of plugins, and of what stands in front of svc. It belongs to no test runner.
 *
 *     const server = await startTestServer({ folders: [import.meta.dirname], plugins: ['orders'] })
 *     const response = await fetch(`${server.url}/orders`)
 *     await server.stop()
 */
import { launch } from './launch.ts'
import type { TestServer, TestServerOptions } from './types.ts'

export type { TestServer, TestServerOptions } from './types.ts'
export type { LoadError, PluginRecord, ReloadResult } from '../contract/plugin.ts'

/**
 * Starts a server in this process, on free ports of 127.0.0.1.
 * Rejects when options contradict each other; a plugin that fails is in `plugins()`, a wrong setting in `problems()`.
 */
export const startTestServer: (options?: TestServerOptions) => Promise<TestServer> = launch
