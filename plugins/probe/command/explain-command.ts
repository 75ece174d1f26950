/** `svc probe explain`: a finding of a report in words. Nothing is sent anywhere. */
import { resolve } from 'node:path'
import type { CommandContext, CommandResult } from 'svc/plugin'
import { catalogWith } from '../checks/custom/registry.ts'
import { explanation, issueText } from '../report/explain.ts'
import { isFinding } from '../report/findings.ts'
import { readReport } from '../report/read-report.ts'
import { ArgumentError, splitArguments, unknownCheck } from './options.ts'

export async function explainFinding(args: readonly string[], context: CommandContext): Promise<CommandResult> {
  const { words, values, flags } = splitArguments(args, { pair: 'client:upstream' }, ['issue'])
  const [path, id] = words
  if (words.length !== 2) throw new ArgumentError('expected a report and a check: svc probe explain <report.json> <ID>')
  const report = await readReport(resolve(context.workingDirectory, path!))
  if (typeof report === 'string') throw new ArgumentError(report)
  const catalog = catalogWith(await context.use('probe.checks'))
  const check = catalog.find(one => one.id === id)
  const own = report.results.filter(result => result.id === id)
  if (check === undefined && own.length === 0) throw new ArgumentError(unknownCheck(id!, catalog))
  const pair = values.get('pair')?.[0]
  const known = own.flatMap(result => result.pair ?? [])
  if (pair !== undefined && !known.includes(pair))
    throw new ArgumentError(`--pair: the report has no ${pair.slice(0, 100)}; it has ${known.join(', ') || 'none'}`)
  const chosen = own.filter(result => pair === undefined || result.pair === pair)
  const found = chosen.filter(isFinding)
  if (found.length === 0) {
    context.out.write('no finding\n')
    return { exitCode: 0 }
  }
  const shown = flags.has('issue') ? found.slice(0, 1) : found
  for (const result of shown)
    context.out.write(flags.has('issue') ? issueText(report, result, check) : explanation(result, check))
  return { exitCode: 0 }
}
