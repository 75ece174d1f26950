/** The command line and the process's signals; nothing else. */
import { HttpPortError, VERSION, startServer } from './server.ts'
import type { Server } from './server.ts'

const USAGE = `usage: svc [--config <file>]

  --config <file>   read this svc.yaml (else SVC_CONFIG_FILE, else ./svc.yaml if it exists)
  --version         print the version
  --help            print this

Settings are environment variables (SVC_*); see README.md.
`

interface Arguments { config?: string }

/** Exit code 2 is for a command line that is not understood. */
function parseArguments(args: string[]): Arguments {
  const parsed: Arguments = {}
  for (let index = 0; index < args.length; index++) {
    const argument = args[index]!
    if (argument === '--help') exitWith(0, USAGE)
    if (argument === '--version') exitWith(0, `${VERSION}\n`)
    if (argument.startsWith('--config=') && argument.length > '--config='.length) parsed.config = argument.slice('--config='.length)
    else if (argument === '--config' && args[index + 1]) parsed.config = args[++index]!
    else exitWith(2, argument.startsWith('--config') ? `--config needs a file\n\n${USAGE}` : `unknown argument: ${argument}\n\n${USAGE}`)
  }
  return parsed
}

function exitWith(code: number, text: string): never {
  (code === 0 ? process.stdout : process.stderr).write(text)
  process.exit(code)
}

/** Wrappers and process groups deliver a signal twice; only a later one means haste. */
const DUPLICATE_SIGNAL_MS = 1_000

function handleSignals(server: Server): void {
  let firstAt = 0
  const onStop = (): void => {
    const now = performance.now()
    if (firstAt === 0) {
      firstAt = now
      void server.stop().then(() => process.exit(0))
    } else if (now - firstAt > DUPLICATE_SIGNAL_MS) {
      server.hurry()
    }
  }
  process.on('SIGTERM', onStop).on('SIGINT', onStop)
  process.on('SIGHUP', () => void server.host.reload())
}

const { config } = parseArguments(process.argv.slice(2))
let server: Server | undefined

/** A plugin's mistake must not end the process; before the server stands, it goes to standard error. */
function report(what: string, error: unknown): void {
  if (server === undefined) process.stderr.write(`${what}: ${error instanceof Error ? error.stack : String(error)}\n`)
  else server.log.error(what, { error, plugin: server.host.ownerOf(error) })
}

process.on('uncaughtException', error => report('uncaught exception', error))
process.on('unhandledRejection', error => report('unhandled rejection', error))
try {
  server = await startServer({ configArgument: config })
  handleSignals(server)
} catch (error) {
  process.stderr.write(`${error instanceof HttpPortError ? error.message : String((error as Error).stack)}\n`)
  process.exit(1)
}
