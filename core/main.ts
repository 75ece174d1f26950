/** The process: runs the command line and ends with its exit code, or serves. */
import { runCommandLine } from './cli/command-line.ts'
import { serve } from './cli/serve.ts'
import type { Terminal } from './cli/terminal.ts'

const terminal: Terminal = { out: process.stdout, err: process.stderr, environment: process.env, workingDirectory: process.cwd() }

/** `svc routes | head -3` is no error, and changes no exit code. */
function onClosedPipe(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE' && error.code !== 'ERR_STREAM_DESTROYED') throw error
}

async function main(): Promise<void> {
  process.stdout.on('error', onClosedPipe)
  const outcome = await runCommandLine(process.argv.slice(2), terminal)
  if ('serve' in outcome) {
    process.stdout.off('error', onClosedPipe)
    await serve(outcome.serve, terminal)
  } else {
    // Plugins that were looked at may hold timers; what was printed is out before they are cut off.
    process.stdout.write('', () => process.exit(outcome.exitCode))
  }
}

void main()
