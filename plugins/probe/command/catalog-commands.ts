/** `svc probe list` and `svc probe show`. */
import type { CommandContext, CommandResult, CompletionWords } from 'svc/plugin'
import { catalogWith } from '../checks/custom/registry.ts'
import { listedCheck } from '../catalog/listed-check.ts'
import { CATALOGUE } from '../catalog/version.ts'
import { checkText } from '../report/check-text.ts'
import REPORT_SCHEMA from '../report.schema.json' with { type: 'json' }
import { ArgumentError, listOf, splitArguments, unknownCheck } from './options.ts'

/** What shells complete: subcommands, groups, and the ids of all checks, also those of other plugins. */
export async function completeWords(context: CommandContext): Promise<CompletionWords> {
  const catalog = catalogWith(await context.use('probe.checks'))
  const ids = catalog.map(({ id }) => id)
  return {
    '': ['list', 'show', 'diff', 'matrix', 'explain', 'replay'],
    '--groups': [...new Set(catalog.map(({ group }) => group))],
    '--checks': ids,
    show: ids,
  }
}

export async function listChecks(args: readonly string[], context: CommandContext): Promise<CommandResult> {
  const { out } = context
  const { words, values, flags } = splitArguments(args, { groups: 'list' }, ['json', 'schema'])
  if (words.length > 0) throw new ArgumentError(`unexpected argument: ${words[0]!.slice(0, 100)}`)
  if (flags.has('schema')) {
    out.write(`${JSON.stringify(REPORT_SCHEMA, null, 2)}\n`)
    return { exitCode: 0 }
  }
  const catalog = catalogWith(await context.use('probe.checks'))
  const known = [...new Set(catalog.map(({ group }) => group))]
  const text = values.get('groups')?.[0]
  const groups = text === undefined ? undefined : listOf(text, known, '--groups')
  const checks = catalog.filter(({ group }) => groups === undefined || groups.includes(group))
  if (flags.has('json'))
    out.write(`${JSON.stringify({ catalogue: CATALOGUE, checks: checks.map(listedCheck) }, null, 2)}\n`)
  else {
    const width = Math.max(...checks.map(({ id }) => id.length))
    for (const { id, group, level, title, hostile } of checks)
      out.write(
        `${id.padEnd(width)}  ${group.padEnd(11)}  ${level.padEnd(11)}  ${title}${hostile === true ? ' (--hostile)' : ''}\n`,
      )
    out.write(`${checks.length} checks, catalog ${CATALOGUE}\n`)
  }
  return { exitCode: 0 }
}

export async function showCheck(args: readonly string[], context: CommandContext): Promise<CommandResult> {
  const { words } = splitArguments(args, {}, [])
  if (words.length !== 1) throw new ArgumentError('expected the id of a check, such as HDR-CONN')
  const catalog = catalogWith(await context.use('probe.checks'))
  const check = catalog.find(({ id }) => id === words[0])
  if (check === undefined) throw new ArgumentError(unknownCheck(words[0]!, catalog))
  context.out.write(checkText(check))
  return { exitCode: 0 }
}
