/** The process: runs the command line and ends with its exit code, or serves. */
import { runCommandLine } from './cli/command-line.ts'
import { serve } from './cli/serve.ts'
import type { EarlyBundles } from './host/module-loader.ts'
import type { Terminal } from './cli/terminal.ts'
import type { TestServer, TestServerOptions } from './testing/types.ts'

const terminal: Terminal = {
  out: process.stdout,
  err: process.stderr,
  environment: process.env,
  workingDirectory: process.cwd(),
}

/** `svc routes | head -3` is no error, and changes no exit code. */
function onClosedPipe(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE' && error.code !== 'ERR_STREAM_DESTROYED') throw error
}

/** For `svc/testing` in a packed product. */
export async function launchTestServer(options: TestServerOptions): Promise<TestServer> {
  const { launch } = await import('./testing/launch.ts')
  return launch(options)
}

/** `early`: bundles of the built-in plugins, as far as they were begun; none in a package. */
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
    // Plugins that were looked at may hold timers; what was printed is out before they are cut off.
    process.stdout.write('', () => process.exit(outcome.exitCode))
  }
}
