/**
 * `svc/testing`: starts a server for tests of plugins, gateways and clients. It works with every test runner.
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
 * Starts a server in this process, on free ports of 127.0.0.1. Rejects if the options contradict each other. Failed plugins
 * are listed in `plugins()`, invalid settings in `problems()`.
 */
export const startTestServer: (options?: TestServerOptions) => Promise<TestServer> = launch
