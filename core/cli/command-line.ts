/** Parses the command line and runs the command. */
import { resolve } from 'node:path'
import { nearest } from '../toolkit/nearest.ts'
import { IS_EXECUTABLE, VERSION } from '../product.ts'
import { UsageError, readArguments, type Arguments } from './arguments.ts'
import { commandContext } from './command-context.ts'
import { COMMAND_GROUPS, type CommandGroup } from '../contract/command.ts'
import { allCommands, coreCommands, pluginCommands, type FoundCommand, variableCommands } from './commands.ts'
import { SERVE_OPTIONS, serveVariables } from './serve-options.ts'
import type { ServeRequest } from './serve.ts'
import { PORT_VARIABLES, type ListenerKind } from '../server/fallback-ports.ts'
import { painter, table, type Terminal } from './terminal.ts'

const USAGE = `usage: svc [options] [<command> ...]

Without a command, or with "serve", starts the server. Options win over environment variables.

  --config <file>       use this svc.yaml (default: SVC_CONFIG_FILE, then ./svc.yaml if it exists)
  --port <port>         port of HTTP (SVC_HTTP_PORT; default: 80, else the first free one of 8080 to 8089)
  --https-port <port>   port of HTTPS (SVC_HTTPS_PORT; default: 443, else the first free one of 8443 to 8452)
  --grpc-port <port>    port of gRPC (SVC_GRPC_PORT; default: 50051, else the first free one of 50052 to 50060)
  --host <address>      listen on this address (SVC_HOST; default: 0.0.0.0)
  --quiet               do not print the pages and first requests after the start
  --open                open the console in the browser after the start
  --version             print the version
  --help                print this help; "svc <command> --help" prints the usage of a command
`
const GROUPS: Record<CommandGroup, string> = {
  run: 'Run',
  configure: 'Configure',
  test: 'Test',
  move: 'Move from other tools',
}
const FOOTER = 'Configure svc with environment variables (SVC_*) and svc.yaml; see README.md and svc.yaml.example.\n'

/** First arguments that are for svc, whatever variables are set. */
const OWN_WORDS = ['serve', 'help', '--help', '--version', '--config', '--quiet']

export type Outcome = { exitCode: number } | { serve: ServeRequest }

/** Runs a command, or returns how to start the server. Returns exit code 2 for an invalid command line. */
export async function runCommandLine(args: string[], terminal: Terminal): Promise<Outcome> {
  const { leading, command, rest } = split(args)
  try {
    const chosen = await commandOfVariable(args, terminal)
    if (chosen !== null) return await runFound(chosen.found, [chosen.value, ...args], terminal)
    const { options } = readArguments(leading, { ...SERVE_OPTIONS, version: {}, help: {} })
    // `--config` applies to all commands, including those of plugins.
    const configured =
      options.config === undefined
        ? terminal
        : {
            ...terminal,
            environment: {
              ...terminal.environment,
              SVC_CONFIG_FILE: resolve(terminal.workingDirectory, String(options.config)),
            },
          }
    if (options.version)
      return print(IS_EXECUTABLE ? `${VERSION} (executable, node ${process.versions.node})` : VERSION, terminal)
    if (options.help || command === 'help') return print(await usage(configured), terminal)
    if (command === null || command === 'serve') return serveWith(rest, configured, options)
    const [unused] = Object.keys(options).filter(name => name !== 'config')
    if (unused !== undefined) throw new UsageError(`--${unused} is an option of serve, not of ${command.slice(0, 200)}`)
    return await runCommand(command, rest, configured)
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    terminal.err.write(`${painter(terminal.err)('red', error.message)}\n\n${error.usage ?? USAGE}`)
    return { exitCode: 2 }
  }
}

/** Splits the arguments at the command: the first word that is neither an option nor the value of one. */
function split(args: string[]): { leading: string[]; command: string | null; rest: string[] } {
  const takesValue = (option = ''): boolean =>
    option.startsWith('--') && SERVE_OPTIONS[option.slice(2)]?.value !== undefined
  const at = args.findIndex((argument, index) => !argument.startsWith('-') && !takesValue(args[index - 1]))
  return at === -1
    ? { leading: args, command: null, rest: [] }
    : { leading: args.slice(0, at), command: args[at]!, rest: args.slice(at + 1) }
}

function print(text: string, { out }: Terminal): Outcome {
  out.write(text.endsWith('\n') ? text : `${text}\n`)
  return { exitCode: 0 }
}

async function usage(terminal: Terminal): Promise<string> {
  const commands = await allCommands(terminal)
  const paint = painter(terminal.out)
  const rows = COMMAND_GROUPS.flatMap(group => [
    [GROUPS[group]],
    ...(group === 'run' ? [['  serve', 'start the server']] : []),
    ...commands
      .filter(({ command }) => (command.group ?? 'test') === group)
      .map(({ command }) => [`  ${command.name}`, command.summary]),
  ]).filter((row, index, all) => row.length > 1 || all[index + 1]?.length === 2)
  return `${USAGE}\n${table(rows, (cell, column) => (column === 0 ? paint('bold', cell) : cell))}\n${FOOTER}`
}

/** `leading` are the options in front of the command; those behind it win. */
function serveWith(args: string[], { environment }: Terminal, leading: Arguments['options']): Outcome {
  const own = readArguments(args, SERVE_OPTIONS).options
  const options: Arguments['options'] = { ...leading, ...own }
  return {
    serve: {
      options: {
        environment: { ...environment, ...serveVariables(options) },
        configArgument: own.config as string | undefined,
      },
      isQuiet: options.quiet === true,
      opens: options.open === true,
    },
  }
}

async function runCommand(name: string, args: string[], terminal: Terminal): Promise<Outcome> {
  return runFound(await findCommand(name, terminal), args, terminal)
}

/**
 * The command that a variable of the environment runs, with the value of the variable; null if none does. Arguments that name a
 * command of svc, or are for svc itself, win.
 */
async function commandOfVariable(
  args: readonly string[],
  terminal: Terminal,
): Promise<{ found: FoundCommand; value: string } | null> {
  const [first] = args
  if (
    first !== undefined &&
    [...OWN_WORDS, ...coreCommands(terminal).map(({ command }) => command.name)].includes(first)
  )
    return null
  const { environment } = terminal
  const found = await variableCommands(terminal)
  for (const one of found) {
    const { variable } = one.command
    const value = variable === undefined ? '' : (environment[variable.name] ?? '')
    if (value === '' || !(await variable!.takes(value, await commandContext(one, terminal)))) continue
    // Commands of plugins are looked up last, because all plugins are loaded for it.
    const ofPlugins = first === undefined || first.startsWith('-') ? [] : await pluginCommands(terminal)
    return ofPlugins.some(({ command }) => command.name === first) ? null : { found: one, value }
  }
  return null
}

async function runFound(found: FoundCommand, args: string[], terminal: Terminal): Promise<Outcome> {
  const { plugin, command } = found
  if (args.includes('--help')) return print(command.usage, terminal)
  const context = await commandContext(found, terminal)
  const result = await Promise.resolve(command.run(args, context)).catch((error: unknown) => {
    if (error instanceof UsageError) error.usage = command.usage
    throw error
  })
  if ('exitCode' in result) return result
  const environment = { ...terminal.environment, ...result.environment }
  const { sections, yieldsPorts } = result
  const yielded = yieldsPorts === undefined ? [] : yieldedListeners(environment, yieldsPorts)
  return {
    serve: {
      options: {
        environment: { ...environment, ...Object.fromEntries(yielded.map(kind => [PORT_VARIABLES[kind], '0'])) },
        extraOptions: plugin !== null && result.options ? { plugin, options: result.options } : undefined,
        ...(sections && { addedSections: sections }),
        ...(yielded.length > 0 && { loopback: yielded }),
      },
      whenListening: result.whenListening,
    },
  }
}

/** Listeners of the process whose port is not set, or is one of `needed`. */
function yieldedListeners(environment: NodeJS.ProcessEnv, needed: readonly number[]): ListenerKind[] {
  return (Object.keys(PORT_VARIABLES) as ListenerKind[]).filter(kind => {
    const text = environment[PORT_VARIABLES[kind]] ?? ''
    return text === '' || needed.includes(Number(text))
  })
}

/** Searches the commands of the core first, because plugins are slow to load. */
async function findCommand(name: string, terminal: Terminal): Promise<FoundCommand> {
  const own = coreCommands(terminal)
  const found = own.find(({ command }) => command.name === name)
  if (found !== undefined) return found
  const ofPlugins = await pluginCommands(terminal)
  const theirs = ofPlugins.find(({ command }) => command.name === name)
  if (theirs !== undefined) return theirs
  const names = ['serve', 'help', ...[...own, ...ofPlugins].map(({ command: { name } }) => name)]
  const guess = nearest(name, names)
  throw new UsageError(
    `unknown command: ${name.slice(0, 200)}${guess === undefined ? ` (expected one of ${names.join(', ')})` : ` (did you mean ${guess}?)`}`,
  )
}
