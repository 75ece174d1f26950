/** The command `svc import`. */
import { resolve } from 'node:path'
import type { Command, CommandContext, CommandResult } from 'svc/plugin'
import { ArgumentError, splitArguments, unknownName } from 'svc/toolkit'
import type { ImportKind } from '../types.ts'
import { convertFiles } from './convert.ts'
import { createKinds } from './kinds.ts'
import { checkOutput, writeFiles, writtenFiles } from './output.ts'
import { readFiles } from './read-files.ts'
import { findingLine, findingOf, Report } from './report.ts'

const USAGE = `usage: svc import <file or folder>.. [--out folder] [--from kind] [--check] [--strict] [--closed] [--json] [--force]

Reads stubs, recordings and documents of other tools, and writes a folder that runs as it is:
svc --config svc-import/svc.yaml. Each part that cannot be carried over is a line on standard error, and an item of
import-report.json.

  --out folder   where to write (default: svc-import)
  --from kind    reads all files as this kind: wiremock, mockserver, mockoon, postman, har, go-vcr, openapi, aimock, llm-d-sim
  --check        only reports; writes nothing
  --strict       exits with 1 if anything was lost, disabled or skipped
  --closed       requests that no imported rule answers get 404 instead of svc's own routes
  --json         the report as JSON on standard output
  --force        writes into a folder that has files

Exit codes: 0 imported, 1 with --strict something was left out, 2 invalid command line, or nothing that can be imported.
`
const DEFAULT_OUT = 'svc-import'
const KINDS = ['wiremock', 'mockserver', 'mockoon', 'postman', 'har', 'go-vcr', 'openapi', 'aimock', 'llm-d-sim']

export const importCommand: Command = {
  name: 'import',
  summary: 'import stubs, recordings and documents of other tools',
  usage: USAGE,
  group: 'move',
  complete: () => ({ '--from': KINDS }),
  async run(args, context) {
    if (context === undefined) throw new Error('svc import needs the context of the command line')
    try {
      return await run(args, context)
    } catch (error) {
      if (!(error instanceof ArgumentError)) throw error
      context.err.write(`svc import: ${error.message}\nSee svc import --help.\n`)
      return { exitCode: 2 }
    }
  },
}

async function run(args: readonly string[], context: CommandContext): Promise<CommandResult> {
  const { words, values, flags } = splitArguments(args, { out: 'folder', from: 'kind' }, [
    'check',
    'strict',
    'closed',
    'json',
    'force',
  ])
  if (words.length === 0) throw new ArgumentError('expected a file or folder')
  const { workingDirectory, err, out } = context
  const target = resolve(workingDirectory, values.get('out')?.[0] ?? DEFAULT_OUT)
  const isCheck = flags.has('check')
  if (!isCheck)
    await checkOutput(
      target,
      words.map(word => resolve(workingDirectory, word)),
      { isForced: flags.has('force') },
    )
  const kinds = ((await context.use('import.kinds')) ?? createKinds()).list()
  const only = kindNamed(values.get('from')?.[0], kinds)
  const report = new Report()
  const { files, skipped } = await readFiles(words, workingDirectory)
  for (const { name, position, severity, message } of skipped)
    report.add(findingOf(name, position, [], severity, message))
  const imported = await convertFiles(files, kinds, only, report)
  const isJson = flags.has('json')
  if (!isJson) for (const finding of report.findings) err.write(`${findingLine(finding)}\n`)
  if (report.counts.size === 0) {
    if (isJson) out.write(report.asJson(context.version))
    err.write('svc import: nothing that can be imported\n')
    return { exitCode: 2 }
  }
  if (!isCheck) {
    const written = await writtenFiles(imported, { isClosed: flags.has('closed') })
    await writeFiles(target, [...written, { path: 'import-report.json', content: report.asJson(context.version) }])
  }
  out.write(isJson ? report.asJson(context.version) : report.summary())
  return { exitCode: flags.has('strict') && report.hasLosses ? 1 : 0 }
}

function kindNamed(id: string | undefined, kinds: readonly ImportKind[]): ImportKind | null {
  if (id === undefined) return null
  const found = kinds.find(kind => kind.id === id)
  if (found !== undefined) return found
  const { message, remedy } = unknownName(
    'kind',
    id,
    kinds.map(kind => kind.id),
  )
  throw new ArgumentError(`--from: ${message}; ${remedy}`)
}
