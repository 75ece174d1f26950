/** `svc check`: validates the configuration and registers all plugins without serving. */
import { isAbsolute, relative } from 'node:path'
import type { Command, PluginRecord } from '../contract/plugin.ts'
import { readArguments } from './arguments.ts'
import { findProblems, type Finding } from './findings.ts'
import type { StoreReport } from './store-connection.ts'
import { inspect } from './inspection.ts'
import { painter, plural, type Terminal } from './terminal.ts'

interface Report {
  configFile: string | null
  findings: Finding[]
  plugins: PluginRecord[]
  /** Only with `--connect`. */
  store?: Omit<StoreReport, 'findings' | 'clockOffsetMs'>
}

export function checkCommand(terminal: Terminal): Command {
  return {
    name: 'check',
    summary: 'validate svc.yaml and the plugins without serving',
    group: 'configure',
    usage: `usage: svc check [--config <file>] [--connect] [--json]

Reads svc.yaml and the environment, builds all plugins as the server would at start, and reports every problem with
its place and a fix. It opens no port and writes no file; it uses the network only with --connect. Whether the ports can be
used, "svc doctor" tells.

  --config <file>   check this file
  --connect         also connect to the state store, and print its version and policy
  --json            print the findings as JSON

Exit codes: 0 no errors (there may be warnings), 1 errors, 2 invalid command line.
`,
    async run(args) {
      const { options } = readArguments(args, { config: { value: 'file' }, connect: {}, json: {} })
      const { readEnvironment } = await import('../config/environment.ts')
      const { PluginVariables } = await import('../config/plugin-variables.ts')
      // The inspection changes some variables. Report warnings about the original ones.
      const variables = new PluginVariables(terminal.environment, readEnvironment(terminal.environment))
      const report: Report = await inspect(terminal, options.config as string | undefined, async services => ({
        configFile: services.host.configFile,
        plugins: services.host.records(),
        findings: await findProblems(services, variables.warnings(services.host.declarations.definitions)),
      }))
      if (options.connect) {
        const { connectToStore } = await import('./store-connection.ts')
        const { findings, clockOffsetMs: _, ...store } = await connectToStore(terminal)
        report.findings.push(...findings)
        report.store = store
      }
      const isValid = report.findings.every(({ severity }) => severity !== 'error')
      terminal.out.write(options.json ? asJson(report, isValid) : asText(report, terminal))
      return { exitCode: isValid ? 0 : 1 }
    },
  }
}

function asJson({ configFile, findings, plugins, store }: Report, isValid: boolean): string {
  const states = plugins.map(({ name, state, error }) => ({ name, state, error }))
  return `${JSON.stringify({ ok: isValid, config_file: configFile, findings, plugins: states, ...(store && { state_store: store }) }, null, 2)}\n`
}

function asText({ configFile, findings, plugins, store }: Report, { out, workingDirectory }: Terminal): string {
  const paint = painter(out)
  const shown = findings.map(finding => {
    const place = placeOf(finding, workingDirectory)
    const severity = paint(finding.severity === 'error' ? 'red' : 'yellow', finding.severity)
    return `${paint('bold', place)}: ${severity}: ${finding.at === null ? '' : `${finding.at}: `}${finding.message}\n${finding.remedy === undefined ? '' : `    ${paint('cyan', finding.remedy)}\n`}`
  })
  const count = (severity: Finding['severity']): number =>
    findings.filter(finding => finding.severity === severity).length
  const enabled = plugins.filter(({ state }) => state === 'enabled').length
  const summary = [
    plural(count('error'), 'error'),
    plural(count('warning'), 'warning'),
    `${enabled} of ${plural(plugins.length, 'plugin')} enabled`,
  ].join(', ')
  const file = configFile === null ? 'no svc.yaml, using defaults' : shortPath(configFile, workingDirectory)
  const answered = store?.version == null ? '' : `state store ${store.host}: ${store.version}, ${store.policy}\n`
  return `${shown.join('')}${shown.length > 0 ? '\n' : ''}${answered}${file}: ${paint(count('error') > 0 ? 'red' : 'green', summary)}\n`
}

/** `file:line:column`, which editors and terminals turn into a link. */
function placeOf({ file, line, column }: Finding, workingDirectory: string): string {
  if (file === null) return 'environment'
  return [shortPath(file, workingDirectory), line, column].filter(part => part != null).join(':')
}

function shortPath(path: string, workingDirectory: string): string {
  const short = relative(workingDirectory, path)
  return short === '' || short.startsWith('..') || isAbsolute(short) ? path : short
}
