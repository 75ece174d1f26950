/** A server for one test: in this process, on free ports, with its files in a temporary folder. */
import { launch } from '../../core/testing/launch.ts'
import type { LaunchOptions } from '../../core/testing/launch.ts'
import type { TestServer as PublicTestServer } from '../../core/testing/index.ts'
import type { Server } from '../../core/server/server.ts'
import { pluginsOfArea } from './areas.ts'

export type TestServer = PublicTestServer & Server
export type TestServerOptions = LaunchOptions

/** The `t` of tap, for teardown. */
interface Test {
  teardown(callback: () => unknown): unknown
}

/** Starts a server until the test ends. By default it runs the plugins for the test's folder. */
export async function serve(t: Test, options: TestServerOptions = {}): Promise<TestServer> {
  const server = await launch({ ...(saysWhatRuns(options) ? {} : { plugins: pluginsOfArea() }), ...options })
  t.teardown(() => server.stop())
  return server
}

function saysWhatRuns({ yaml, plugins, folders, packages, builtinFolder, env }: TestServerOptions): boolean {
  return [yaml, plugins, folders, packages, builtinFolder, env?.SVC_PLUGINS_DIR].some(option => option !== undefined)
}
