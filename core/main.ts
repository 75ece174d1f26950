/** Entry point of the process: runs a command and exits with its exit code, or starts the server. */
import { runCommandLine } from './cli/command-line.ts'
import { serve } from './cli/serve.ts'
import type { Bundler } from './contract/bundler.ts'
import { createBundler } from './host/bundler.mjs'
import type { EarlyBundles } from './host/module-loader.ts'
import type { Terminal } from './cli/terminal.ts'
import type { TestReplicas, TestReplicasOptions, TestServer, TestServerOptions } from './testing/types.ts'

const TERMINAL: Terminal = {
  out: process.stdout,
  err: process.stderr,
  environment: process.env,
  workingDirectory: process.cwd(),
}

/** Ignores a closed pipe, as in `svc routes | head -3`. */
function onClosedPipe(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE' && error.code !== 'ERR_STREAM_DESTROYED') throw error
}

/** Used by `svc/testing` in the npm package. */
export async function launchTestServer(options: TestServerOptions): Promise<TestServer> {
  const { launch } = await import('./testing/launch.ts')
  return launch(options)
}

/** Used by `svc/testing` in the npm package. */
export async function launchTestReplicas(count: number, options: TestReplicasOptions): Promise<TestReplicas> {
  const { launchReplicas } = await import('./testing/replicas.ts')
  return launchReplicas(count, options)
}

/** What the launcher has begun in a checkout. */
export interface Launched {
  /** Bundles of built-in plugins. */
  early?: EarlyBundles
  /** The owner of esbuild's service. */
  bundler?: Bundler
}

export async function main({ early, bundler = createBundler() }: Launched = {}): Promise<void> {
  process.stdout.on('error', onClosedPipe)
  const outcome = await runCommandLine(process.argv.slice(2), { ...TERMINAL, bundler })
  if ('serve' in outcome) {
    process.stdout.off('error', onClosedPipe)
    const { options, ...rest } = outcome.serve
    await serve(
      {
        ...rest,
        options: { ...options, bundler, knownCode: { definitions: new Map(), schemas: new WeakMap(), early } },
      },
      TERMINAL,
    )
  } else {
    // Exit explicitly, because inspected plugins may have timers, but only after the output has been written.
    process.stdout.write('', () => process.exit(outcome.exitCode))
  }
}
