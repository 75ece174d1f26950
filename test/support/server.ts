/** A server of the product for one test: in this process, on free ports, with its files in a temporary folder. */
import { launch } from '../../core/testing/launch.ts'
import type { LaunchOptions } from '../../core/testing/launch.ts'
import type { TestServer as PublicTestServer } from '../../core/testing/index.ts'
import type { Server } from '../../core/server/server.ts'
import { pluginsOfArea } from './areas.ts'

export type TestServer = PublicTestServer & Server
export type TestServerOptions = LaunchOptions

/** What a test's teardown needs: `t` of tap. */
interface Test {
  teardown(callback: () => unknown): unknown
}

/** Starts a server that ends with the test. Unless the options say what it runs, these are the plugins of the test's folder. */
export async function serve(t: Test, options: TestServerOptions = {}): Promise<TestServer> {
  const server = await launch({ ...(saysWhatRuns(options) ? {} : { plugins: pluginsOfArea() }), ...options })
  t.teardown(() => server.stop())
  return server
}

function saysWhatRuns({ yaml, plugins, folders, packages, builtinFolder, env }: TestServerOptions): boolean {
  return [yaml, plugins, folders, packages, builtinFolder, env?.SVC_PLUGINS_DIR].some(option => option !== undefined)
}
