/** A server of the product for one test: in this process, on free ports, with its files in a temporary folder. */
import { launch } from '../../core/testing/launch.ts'
import type { LaunchOptions } from '../../core/testing/launch.ts'
import type { TestServer as PublicTestServer } from '../../core/testing/index.ts'
import type { Server } from '../../core/server/server.ts'

export type TestServer = PublicTestServer & Server
export type TestServerOptions = LaunchOptions

/** What a test's teardown needs: `t` of tap. */
interface Test { teardown(callback: () => unknown): unknown }

/** Starts a server that ends with the test. */
export async function serve(t: Test, options?: TestServerOptions): Promise<TestServer> {
  const server = await launch(options)
  t.teardown(() => server.stop())
  return server
}
