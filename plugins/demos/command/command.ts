/** The command `svc demo`. */
import type { Command, CommandContext, CommandResult } from 'svc/plugin'
import { ArgumentError, splitArguments, unknownName } from 'svc/toolkit'
import { ConfigurationProblem, configurationOf, fileLine } from '../catalog/configuration.ts'
import { checkFiles } from './check.ts'
import { runDemos } from './run.ts'
import { newDemo } from './new.ts'
import { allDemos, checkArea, named } from './selection.ts'
import { watchRun } from './watch.ts'

const COMMANDS = ['list', 'show', 'run', 'check', 'new', 'watch']

const USAGE = `usage: svc demo list [--area a] [--json]
       svc demo show <name> [--gateway envoy] [--compose] [--through URL] [--upstream URL]
       svc demo run <name or file>.. | --area a | --all  --through <gateway URL> [options]
       svc demo check <file or folder>..
       svc demo new <name> [--area a]
       svc demo watch <run> [--upstream URL] [--once]

Shows what a gateway does, step by step: sends traffic through it, and says whether what had to be seen was seen, at the
client and at svc behind the gateway. "show --gateway" prints a configuration of the gateway, with --compose a Compose
file with svc and the gateway. "new" writes a file to begin with. "watch" prints what a client sent and what arrived,
of a run over HTTP with "tap".

  --through URL           the gateway; without it, --direct: straight to svc
  --upstream URL          the svc behind the gateway (default: http://localhost:$SVC_HTTP_PORT, or :8080)
  --listen [host:]port    start an svc in this process instead; also --listen-https, --listen-grpc
  --upstream-token T      its admin token (default: SVC_ADMIN_TOKEN)
  --prefix /path          in front of all paths
  --routes file           where the gateway has models and MCP servers, as for svc probe
  --host name             Host of the requests to the gateway
  --header 'Name: value'  field of every request; repeat it for several; --bearer T is a credential;
                          \${NAME} is a variable of the environment
  --ca file, --insecure   trust for https gateways
  --timeout seconds       for requests of which the demo does not say it (default: 10)
  --set name=value        a variable of the demo; repeat it for several
  --lane name=URL         the lane is another svc
  --step n                from this step
  --repeat n              runs each demo n times; all must be seen
  --yes                   what a step asks for is done
  --stop-at-first         ends at the first step that is not seen
  --control               runs without the gateway too, and compares with the file
  --format list           terminal, json, junit, markdown, html; several need --out
  --out folder            writes report.json, report.xml, report.md, report.html there
  --quiet                 only the last line
  --verbose               each answer, and all that was expected

Exit codes: 0 all seen, 1 something not seen, 2 invalid command line or file, 3 the gateway or upstream can't be reached,
4 not judged, 130 interrupted.
`

/** `folder`: that of the plugin. */
export function demoCommand(folder: string): Command {
  return {
    name: 'demo',
    summary: 'show what a gateway does, and judge it',
    usage: USAGE,
    async run(args, context) {
      if (context === undefined) throw new Error('svc demo needs the context of the command line')
      const [first, ...rest] = args
      try {
        if (first === 'list') return await list(rest, context, folder)
        if (first === 'show') return await show(rest, context, folder)
        if (first === 'run') return await runDemos(rest, context, folder)
        if (first === 'check') return await checkFiles(rest, context, folder)
        if (first === 'new') return await newDemo(rest, context)
        if (first === 'watch') return await watchRun(rest, context)
        const { message, remedy } = unknownName('command', first ?? '', COMMANDS)
        throw new ArgumentError(
          first === undefined ? 'expected list, show, run, check, new or watch' : `${message}; ${remedy}`,
        )
      } catch (error) {
        if (!(error instanceof ArgumentError)) throw error
        context.err.write(`${error.message}\nSee svc demo --help.\n`)
        return { exitCode: 2 }
      }
    },
  }
}

async function list(args: readonly string[], context: CommandContext, folder: string): Promise<CommandResult> {
  const { words, values, flags } = splitArguments(args, { area: 'name' }, ['json'])
  if (words.length > 0) throw new ArgumentError(`unexpected argument: ${words[0]!.slice(0, 200)}`)
  const area = values.get('area')?.[0]
  if (area !== undefined) checkArea(area)
  const { out } = context
  const demos = (await allDemos(context, folder))
    .map(({ demo }) => demo)
    .filter(demo => area === undefined || demo.area === area)
  if (flags.has('json')) {
    const shown = demos.map(({ demo, title, area: of, shows, feature, minutes, gateways, lanes, variables }) => ({
      demo,
      title,
      area: of,
      shows,
      feature,
      minutes,
      gateways: Object.keys(gateways),
      lanes,
      variables,
    }))
    out.write(`${JSON.stringify({ demos: shown }, null, 2)}\n`)
    return { exitCode: 0 }
  }
  const width = Math.max(...demos.map(({ demo }) => demo.length))
  for (const { demo, area: of, title } of demos) out.write(`${demo.padEnd(width)}  ${of.padEnd(13)}  ${title}\n`)
  return { exitCode: 0 }
}

async function show(args: readonly string[], context: CommandContext, folder: string): Promise<CommandResult> {
  const { words, values, flags } = splitArguments(args, { gateway: 'name', through: 'URL', upstream: 'URL' }, [
    'compose',
  ])
  const { out } = context
  if (words.length !== 1) throw new ArgumentError('expected the name of a demo')
  const { demo, file } = await named(words[0]!, context, folder)
  const gateway = values.get('gateway')?.[0]
  if (gateway !== undefined) {
    const [through, upstream] = [values.get('through')?.[0] ?? null, values.get('upstream')?.[0] ?? null]
    try {
      out.write(await configurationOf(demo, file, { gateway, isCompose: flags.has('compose'), through, upstream }))
    } catch (error) {
      if (!(error instanceof ConfigurationProblem)) throw error
      const place = error.part === 'gateway' ? '' : `--${error.part}: `
      throw new ArgumentError(`${place}${error.message}${error.remedy === null ? '' : `; ${error.remedy}`}`)
    }
    return { exitCode: 0 }
  }
  if (values.size + flags.size > 0) throw new ArgumentError('--compose, --through and --upstream need --gateway')
  out.write(`${demo.title}\n\n${demo.shows}\n`)
  if (demo.presenter !== '') out.write(`\nThe gateway:\n${demo.presenter.trimEnd()}\n`)
  out.write(`\nRoute: ${demo.route.path}\n`)
  for (const [name, value] of Object.entries(demo.variables)) out.write(`--set ${name}=${String(value)}\n`)
  for (const lane of demo.lanes) out.write(`Lane ${lane}: upstream path /s/lane-${lane}\n`)
  for (const [name, path] of Object.entries(demo.files))
    out.write(`File ${name}: ${fileLine(name, `http://localhost:8080${path}`)}\n`)
  for (const [name, files] of Object.entries(demo.gateways))
    out.write(
      `--gateway ${name} prints a configuration${files.compose === null ? '' : ', with --compose a Compose file'}\n`,
    )
  return { exitCode: 0 }
}
