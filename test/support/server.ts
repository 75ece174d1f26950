/** A server for one test: in this process, on free ports, with its files in a temporary folder. */
import { readdirSync } from 'node:fs'
import { basename, delimiter } from 'node:path'
import { launch, type LaunchOptions } from '../../core/testing/launch.ts'
import type { TestServer as PublicTestServer } from '../../core/testing/index.ts'
import type { Server } from '../../core/server/server.ts'
import { serveReplicas } from './replica-group.ts'
import { pluginsOfArea } from './areas.ts'

export type TestServer = PublicTestServer & Server
export interface TestServerOptions extends LaunchOptions {
  /** Why the test concerns one process, so that it has one even if `SVC_TEST_REPLICAS` is set. */
  oneProcess?: string
}

/** The `t` of tap. */
interface Test {
  teardown(callback: () => unknown): unknown
  comment?(text: string): unknown
}

/**
 * Starts a server until the test ends, or several that share a state store if `SVC_TEST_REPLICAS` is set. By default it runs
 * the plugins for the test's folder.
 */
export async function serve(t: Test, { oneProcess, ...options }: TestServerOptions = {}): Promise<TestServer> {
  // Tests of svc look at the problems themselves.
  const complete = {
    allowProblems: true,
    ...(saysWhatRuns(options) ? {} : { plugins: pluginsOf(options) }),
    ...options,
  }
  const wanted = Number(process.env.SVC_TEST_REPLICAS ?? 1)
  const replicas = oneProcess === undefined ? wanted : 1
  // The report of the run counts these comments.
  if (wanted > 1) t.comment?.(oneProcess === undefined ? 'with replicas' : `one process: ${oneProcess}`)
  const server = replicas > 1 ? await serveReplicas(t, replicas, complete) : await launch(complete)
  t.teardown(() => server.stop())
  return server
}

function saysWhatRuns({ yaml, plugins, packages, builtinFolder }: TestServerOptions): boolean {
  return [yaml, plugins, packages, builtinFolder].some(option => option !== undefined)
}

/** The plugins of the area, and those in the folders of the test; undefined means all. */
function pluginsOf({ folders = [], env = {} }: TestServerOptions): readonly string[] | undefined {
  const ofArea = pluginsOfArea()
  const own = [...folders, ...(env.SVC_PLUGINS_DIR ?? '').split(delimiter)].filter(folder => folder !== '')
  return ofArea === undefined ? undefined : [...ofArea, ...own.flatMap(pluginsIn)]
}

/** Names of the plugins in a folder, which may be one. */
function pluginsIn(folder: string): string[] {
  const entries = readdirSync(folder, { withFileTypes: true })
  if (entries.some(({ name }) => name.startsWith('index.'))) return [basename(folder)]
  return entries.filter(entry => entry.isDirectory()).map(({ name }) => name)
}
