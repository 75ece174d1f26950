/** Runs the command line in this process and captures its output. */
import type { KnownCode } from '../../core/host/inventory.ts'
import { runCommandLine, type Outcome } from '../../core/cli/command-line.ts'

export interface CommandLineRun {
  /** Exit code; null if the command starts the server. */
  code: number | null
  output: string
  errors: string
  outcome: Outcome
}

export interface CommandLineOptions {
  folder?: string
  env?: Record<string, string>
  /** Properties of a terminal with colors. */
  isTerminal?: boolean
}

/** The commands of a test file share plugin code, so that it is loaded once. */
const KNOWN_CODE: KnownCode = {
  definitions: new Map(),
  schemas: new WeakMap(),
  isShared: true,
  fingerprints: new Map(),
}

/** Runs `svc <args>` in `folder`. */
export async function svc(
  args: string[],
  { folder = '/', env = {}, isTerminal = false }: CommandLineOptions = {},
): Promise<CommandLineRun> {
  const written = { out: '', err: '' }
  const output = (name: 'out' | 'err') => ({
    write: (text: string) => {
      written[name] += text
    },
    isTTY: isTerminal,
    hasColors: () => !('NO_COLOR' in env),
  })
  const outcome = await runCommandLine(args, {
    out: output('out'),
    err: output('err'),
    environment: env,
    workingDirectory: folder,
    knownCode: KNOWN_CODE,
  })
  return { code: 'exitCode' in outcome ? outcome.exitCode : null, output: written.out, errors: written.err, outcome }
}
