/** The command line and the process's signals; nothing else. */
import { delimiter } from 'node:path'
import { findCommands } from './commands.ts'
import { HttpPortError, VERSION, startServer } from './server.ts'
import type { Server, ServerOptions } from './server.ts'

const USAGE = `usage: svc [--config <file>]
       svc <command> ...   (svc <command> --help)

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

/** What the server is started with when the command line begins with a command; ends the process when there is nothing to start. */
async function runCommand(name: string, args: string[]): Promise<{ options: ServerOptions; whenListening?: (url: string) => void }> {
  const folders = (process.env.SVC_PLUGINS_DIR ?? '').split(delimiter).filter(folder => folder !== '')
  const commands = await findCommands(folders, process.cwd())
  const found = commands.find(({ command }) => command.name === name)
  if (found === undefined) {
    const list = commands.map(({ command }) => `  ${command.name.padEnd(10)} ${command.summary}\n`).join('')
    return exitWith(2, `unknown command: ${name}\n\n${USAGE}\ncommands:\n${list}`)
  }
  if (args.includes('--help')) return exitWith(0, found.command.usage)
  const result = await found.command.run(args)
  if ('exitCode' in result) process.exit(result.exitCode)
  return {
    options: {
      environment: { ...process.env, ...result.environment },
      extraOptions: result.options && { plugin: found.plugin, options: result.options },
    },
    whenListening: result.whenListening,
  }
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

const args = process.argv.slice(2)
const isCommand = args[0] !== undefined && !args[0].startsWith('-')
const { options, whenListening } = isCommand ? await runCommand(args[0]!, args.slice(1)) : { options: { configArgument: parseArguments(args).config } satisfies ServerOptions, whenListening: undefined }
let server: Server | undefined

/** A plugin's mistake must not end the process; before the server stands, it goes to standard error. */
function report(what: string, error: unknown): void {
  if (server === undefined) process.stderr.write(`${what}: ${error instanceof Error ? error.stack : String(error)}\n`)
  else server.log.error(what, { error, plugin: server.host.ownerOf(error) })
}

process.on('uncaughtException', error => report('uncaught exception', error))
process.on('unhandledRejection', error => report('unhandled rejection', error))
try {
  server = await startServer(options)
  handleSignals(server)
  whenListening?.(`http://localhost:${server.ports.http}`)
} catch (error) {
  process.stderr.write(`${error instanceof HttpPortError ? error.message : String((error as Error).stack)}\n`)
  process.exit(1)
}
