/** The command line in this process, with what it prints. */
import { runCommandLine } from '../../core/cli/command-line.ts'
import type { Outcome } from '../../core/cli/command-line.ts'

export interface CommandLineRun {
  /** Null: it asks to serve. */
  code: number | null
  output: string
  errors: string
  outcome: Outcome
}

export interface CommandLineOptions {
  folder?: string
  env?: Record<string, string>
  /** What a terminal with colors says of itself. */
  isTerminal?: boolean
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
  })
  return { code: 'exitCode' in outcome ? outcome.exitCode : null, output: written.out, errors: written.err, outcome }
}
