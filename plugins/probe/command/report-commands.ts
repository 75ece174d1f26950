/** `svc probe diff`, `matrix` and `replay`, which read reports. */
import { resolve } from 'node:path'
import type { CommandContext, CommandResult } from 'svc/plugin'
import { comparisonMarkdown, comparisonText, compareReports } from '../report/comparison.ts'
import { sidesText } from '../report/junit-report.ts'
import { matrix } from '../report/matrix.ts'
import { readReport } from '../report/read-report.ts'
import type { Report } from '../report/report.ts'
import { catalogWith } from '../checks/custom/registry.ts'
import { ArgumentError, splitArguments, unknownCheck } from './options.ts'
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
  const { words, values } = splitArguments(args, { only: 'differing' }, [])
  const only = values.get('only')?.[0]
  if (only !== undefined && only !== 'differing') throw new ArgumentError('--only takes the word differing')
  if (words.length === 0) throw new ArgumentError('expected reports: svc probe matrix <a.json> <b.json> ..')
  const reports = await Promise.all(words.map(path => load(path, context)))
  context.out.write(matrix(reports, { onlyDiffering: only === 'differing' }))
  return { exitCode: 0 }
}

/** Runs one check again with the options of the report; other options replace them. */
export async function replayCheck(args: readonly string[], context: CommandContext): Promise<CommandResult> {
  const [path, id, ...rest] = args
  if (path === undefined || id === undefined || path.startsWith('--') || id.startsWith('--'))
    throw new ArgumentError('expected a report and the id of a check: svc probe replay <report.json> <ID>')
  const report = await load(path, context)
  const catalog = catalogWith(await context.use('probe.checks'))
  const check = catalog.find(one => one.id === id)
  if (check === undefined) throw new ArgumentError(unknownCheck(id, catalog))
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
  const [result] = ran.report.results
  if (result === undefined) return { exitCode: 3 }
  context.out.write(
    `${result.id} ${result.verdict}: ${result.summary === '' ? (result.reason ?? '') : result.summary}\n${sidesText(result)}\n`,
  )
  return { exitCode: ran.exitCode }
}

/** Options of the run that the report remembers, apart from those that are given and from credentials. */
function rememberedOptions({ run, upstream, options }: Report, given: readonly string[]): string[] {
  const has = (name: string): boolean => given.some(argument => argument === name || argument.startsWith(`${name}=`))
  const valueOf = (name: string): string[] => {
    const at = run.arguments.indexOf(name)
    const value = at === -1 ? undefined : run.arguments[at + 1]
    return value === undefined || has(name) ? [] : [name, value]
  }
  const where =
    has('--upstream') || has('--listen')
      ? []
      : upstream.mode === 'listen'
        ? ['--listen', new URL(upstream.base_url).host]
        : ['--upstream', upstream.base_url]
  const repeat = has('--repeat') || typeof options.repeat !== 'number' ? [] : ['--repeat', String(options.repeat)]
  const http2 = options.h2 === true && !has('--h2') ? ['--h2'] : []
  return [...where, ...http2, ...valueOf('--prefix'), ...valueOf('--host'), ...repeat]
}
