/** Entry point of the process: runs a command and exits with its exit code, or starts the server. */
import { runCommandLine } from './cli/command-line.ts'
import { serve } from './cli/serve.ts'
import type { EarlyBundles } from './host/module-loader.ts'
import type { Terminal } from './cli/terminal.ts'
import type { TestReplicas, TestReplicasOptions, TestServer, TestServerOptions } from './testing/types.ts'

const terminal: Terminal = {
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

/** `early`: bundles of built-in plugins that the launcher has started to build; undefined in the npm package. */
export async function main(early?: EarlyBundles): Promise<void> {
  process.stdout.on('error', onClosedPipe)
  const outcome = await runCommandLine(process.argv.slice(2), terminal)
  if ('serve' in outcome) {
    process.stdout.off('error', onClosedPipe)
    const { options, ...rest } = outcome.serve
    await serve(
      { ...rest, options: { ...options, knownCode: { definitions: new Map(), schemas: new WeakMap(), early } } },
      terminal,
    )
  } else {
    // Exit explicitly, because inspected plugins may have timers, but only after the output has been written.
    process.stdout.write('', () => process.exit(outcome.exitCode))
  }
}
