/** `svc probe diff`, `matrix` and `replay`, which read reports. */
import { resolve } from 'node:path'
import type { CommandContext, CommandResult } from 'svc/plugin'
import { comparisonMarkdown, comparisonText, compareReports } from '../report/comparison.ts'
import { sidesText } from '../report/junit-report.ts'
import { matrix } from '../report/matrix.ts'
import { readReport } from '../report/read-report.ts'
import { judgeAgain } from '../report/judge-again.ts'
import { counts, type Report, type ReportedResult } from '../report/report.ts'
import { protocolText, resultText } from '../report/result-text.ts'
import type { Check } from '../catalog/check.ts'
import type { Wire } from '../wires/types.ts'
import { wiresWith } from '../wires/registry.ts'
import { catalogWith } from '../checks/custom/registry.ts'
import { ArgumentError, readFailOn, splitArguments, unknownCheck } from './options.ts'
import { probeReport } from './run.ts'

async function load(path: string, { workingDirectory }: CommandContext): Promise<Report> {
  const report = await readReport(resolve(workingDirectory, path))
  if (typeof report === 'string') throw new ArgumentError(report)
  return report
}

export async function diffReports(args: readonly string[], context: CommandContext): Promise<CommandResult> {
  const { words, values } = splitArguments(args, { format: 'terminal, json or markdown' }, [])
  if (words.length !== 2) throw new ArgumentError('expected two reports: svc probe diff <old.json> <new.json>')
  const format = values.get('format')?.[0] ?? 'terminal'
  if (!['terminal', 'json', 'markdown'].includes(format))
    throw new ArgumentError(`--format: unknown "${format.slice(0, 50)}"; expected terminal, json or markdown`)
  const comparison = compareReports(await load(words[0]!, context), await load(words[1]!, context))
  context.out.write(
    format === 'json'
      ? `${JSON.stringify(comparison, null, 2)}\n`
      : format === 'markdown'
        ? comparisonMarkdown(comparison)
        : comparisonText(comparison),
  )
  return { exitCode: comparison.worse.length > 0 ? 1 : 0 }
}

export async function matrixOfReports(args: readonly string[], context: CommandContext): Promise<CommandResult> {
  const { words, values, flags } = splitArguments(args, { only: 'differing' }, ['pairs'])
  const only = values.get('only')?.[0]
  if (only !== undefined && only !== 'differing') throw new ArgumentError('--only takes the word differing')
  if (words.length === 0) throw new ArgumentError('expected reports: svc probe matrix <a.json> <b.json> ..')
  const reports = await Promise.all(words.map(path => load(path, context)))
  context.out.write(matrix(reports, { onlyDiffering: only === 'differing', byPair: flags.has('pairs') }))
  return { exitCode: 0 }
}

/** Options of a run that a replay uses too, if the command line has none. */
const REMEMBERED = ['--prefix', '--host', '--routes', '--ca', '--listen-https', '--listen-grpc'] as const

/** Runs one check again with the options of the report; other options replace them. With `--offline`, judges its evidence. */
export async function replayCheck(args: readonly string[], context: CommandContext): Promise<CommandResult> {
  const [path, id, ...rest] = args
  if (path === undefined || id === undefined || path.startsWith('--') || id.startsWith('--'))
    throw new ArgumentError('expected a report and the id of a check: svc probe replay <report.json> <ID>')
  const report = await load(path, context)
  const catalog = catalogWith(await context.use('probe.checks'))
  const check = catalog.find(one => one.id === id)
  if (check === undefined) throw new ArgumentError(unknownCheck(id, catalog))
  if (rest.includes('--offline'))
    return replayOffline(report, { check, wires: wiresWith(await context.use('probe.wires')) }, rest, context)
  const hasUrl = rest[0] !== undefined && !rest[0].startsWith('--')
  const url = hasUrl ? rest[0]! : report.gateway.url
  const given = hasUrl ? rest.slice(1) : rest
  const ran = await probeReport(
    [
      url,
      ...rememberedOptions(report, given),
      ...(check.hostile === true ? ['--hostile'] : []),
      '--checks',
      id,
      '--verbose',
      ...given,
    ],
    context,
  )
  if (ran.report === null) return { exitCode: ran.exitCode }
  if (ran.report.results.length === 0) return { exitCode: 3 }
  for (const result of ran.report.results) context.out.write(`${headline(result)}\n${sidesText(result)}\n`)
  return { exitCode: ran.exitCode }
}

function headline(result: ReportedResult): string {
  return `${result.id}${protocolText(result)} ${result.verdict}: ${resultText(result)}`
}

/** Judges the evidence of the report again; nothing is sent. */
function replayOffline(
  report: Report,
  { check, wires }: { check: Check; wires: readonly Wire[] },
  args: readonly string[],
  context: CommandContext,
): CommandResult {
  const { words, values } = splitArguments(args, { 'fail-on': 'list' }, ['offline'])
  if (words.length > 0) throw new ArgumentError('--offline contacts no gateway, so it takes no URL')
  const failOn = readFailOn(values.get('fail-on')?.[0] ?? 'fail')
  const results = report.results.filter(({ id }) => id === check.id)
  if (results.length === 0) throw new ArgumentError(`the report has no result of ${check.id}`)
  const judged = results.map(result => {
    const found = judgeAgain(report, result, check, wires)
    if (typeof found === 'string') throw new ArgumentError(found)
    const again = { ...result, ...found, baseline: null }
    const isSame = again.verdict === result.verdict || result.verdict === 'flaky'
    const before = isSame ? '' : ` (the report says ${result.verdict})`
    context.out.write(`${headline(again)}${before}\n${sidesText(again)}\n`)
    return again
  })
  return { exitCode: judged.some(result => counts(result, failOn)) ? 1 : 0 }
}

/** Options of the run that the report remembers, apart from those that are given and from credentials. */
function rememberedOptions({ run, upstream, options }: Report, given: readonly string[]): string[] {
  const has = (name: string): boolean => given.some(argument => argument === name || argument.startsWith(`${name}=`))
  const valuesOf = (name: string): string[] =>
    run.arguments.flatMap((argument, at) => {
      const value = run.arguments[at + 1]
      return argument === name && value !== undefined ? [name, value] : []
    })
  const flag = (name: string, isSet: boolean): string[] => (isSet && !has(name) ? [name] : [])
  const number = (name: string, value: unknown): string[] =>
    typeof value === 'number' && !has(name) ? [name, String(value)] : []
  const isListening = upstream.mode === 'listen'
  const upstreams = valuesOf('--upstream')
  const [, listen = ''] = valuesOf('--listen')
  const where =
    has('--upstream') || has('--listen')
      ? []
      : isListening
        ? ['--listen', listen === '' || listen.endsWith(':0') ? new URL(upstream.base_url).host : listen]
        : upstreams.length > 0
          ? upstreams
          : ['--upstream', upstream.base_url]
  return [
    ...where,
    ...REMEMBERED.filter(name => !has(name) && !(has('--upstream') && name.startsWith('--listen'))).flatMap(valuesOf),
    ...flag('--h2', options.h2 === true),
    ...flag('--slow', options.slow === true),
    ...flag('--insecure', run.arguments.includes('--insecure')),
    ...number('--repeat', options.repeat),
    ...number('--timeout', options.timeout_s),
  ]
}
