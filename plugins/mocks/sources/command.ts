/** The command `svc mock`: checks documents, serves them, or pushes them to a running instance. */
import { readFile } from 'node:fs/promises'
import { basename, resolve } from 'node:path'
import { gzip } from 'node:zlib'
import { promisify } from 'node:util'
import { type Command, type CommandResult } from 'svc/plugin'
import { boundedFetch, isRecord } from 'svc/toolkit'
import { boundsFor } from '../bounds.ts'
import { checkDefinition } from '../check/check.ts'
import { OfficialSchema } from '../check/official-schema.ts'
import { showReport, type Report } from '../check/report.ts'
import { reportText } from '../check/report-text.ts'
import { parseJson } from '../document/json.ts'
import { isMockName, nameFrom } from '../management/mock-name.ts'
import { bundle } from './bundle.ts'

const USAGE = `usage: svc mock check FILE [--against OLD] [--fail-on breaking] [--json]
       svc mock serve FILE... [--name N] [--config FILE]
       svc mock push NAME FILE --url URL [--token T] [--draft]

  check   check a document without deploying it; exits with 0 if it is deployable, with 1 if it is not or if it has
          breaking changes and --fail-on breaking is set
  serve   start the server with these documents as mocks
  push    deploy a document to a running instance, or save it as a draft with --draft
`

/** The options of all subcommands, and whether they take a value. */
const FLAGS: Record<string, boolean> = {
  '--against': true,
  '--fail-on': true,
  '--json': false,
  '--name': true,
  '--config': true,
  '--url': true,
  '--token': true,
  '--draft': false,
}

interface Arguments {
  positionals: string[]
  flags: Map<string, string>
}

export const mockCommand: Command = {
  name: 'mock',
  summary: 'check, serve or push mocks of APIs',
  usage: USAGE,
  group: 'test',
  complete: () => ({ '': ['check', 'serve', 'push'], '--fail-on': ['breaking'] }),
  async run(args) {
    const parsed = parseArguments(args)
    if (typeof parsed === 'string') return usageError(parsed)
    const [action, ...operands] = parsed.positionals
    if (action === 'check' && operands.length === 1) return check(operands[0] ?? '', parsed.flags)
    if (action === 'serve' && operands.length > 0) return serve(operands, parsed.flags)
    if (action === 'push' && operands.length === 2 && parsed.flags.has('--url'))
      return push(operands[0] ?? '', operands[1] ?? '', parsed.flags)
    return usageError(
      action === undefined
        ? 'expected check, serve or push'
        : `invalid arguments: mock ${parsed.positionals.join(' ').slice(0, 200)}`,
    )
  },
}

function parseArguments(args: string[]): Arguments | string {
  const parsed: Arguments = { positionals: [], flags: new Map() }
  for (let index = 0; index < args.length; index++) {
    const argument = args[index] ?? ''
    if (!argument.startsWith('--')) {
      parsed.positionals.push(argument)
      continue
    }
    const [flag = '', inline] = argument.split(/=(.*)/s, 2)
    if (!Object.hasOwn(FLAGS, flag)) return `unknown option ${flag}`
    const value = FLAGS[flag] ? (inline ?? args[++index]) : 'true'
    if (value === undefined) return `the option ${flag} requires a value`
    parsed.flags.set(flag, value)
  }
  return parsed
}

function usageError(message: string): CommandResult {
  process.stderr.write(`${message}\n${USAGE}`)
  return { exitCode: 2 }
}

/** The document, joined with the files that it refers to; null if it can't be read, which is reported. */
async function readText(file: string): Promise<string | null> {
  try {
    const options = { folder: process.cwd(), bounds: boundsFor(false), watch: (): void => {} }
    const { text, problems } = await bundle(resolve(file), await readFile(file, 'utf8'), options)
    for (const problem of problems) process.stderr.write(`${file}: ${problem}\n`)
    return text
  } catch (error) {
    process.stderr.write(`${file}: ${(error as Error).message}\n`)
    return null
  }
}

async function check(file: string, flags: ReadonlyMap<string, string>): Promise<CommandResult> {
  const against = flags.get('--against')
  if (flags.has('--fail-on') && flags.get('--fail-on') !== 'breaking')
    return usageError('the option --fail-on only accepts "breaking"')
  const text = await readText(file)
  const old = against === undefined ? undefined : await readText(against)
  if (text === null || old === null) return { exitCode: 2 }
  const { report } = await checkDefinition(
    { text, against: old === undefined ? null : { version: 0, text: old }, publicMode: false, maxDelayMs: 30_000 },
    new OfficialSchema(),
  )
  process.stdout.write(
    flags.has('--json') ? `${JSON.stringify(showReport(report), null, 2)}\n` : reportText(file, report),
  )
  const breaks = flags.get('--fail-on') === 'breaking' && (report.changes?.breaking.length ?? 0) > 0
  return { exitCode: report.deployable && !breaks ? 0 : 1 }
}

async function serve(files: string[], flags: ReadonlyMap<string, string>): Promise<CommandResult> {
  const given = flags.get('--name')
  if (given !== undefined && files.length > 1)
    return usageError('the option --name can only be used with a single file')
  const served = files.map(file => ({
    name: given ?? nameFrom(basename(file).replace(/\.[^.]+$/, '')),
    spec: resolve(file),
  }))
  const invalid = served.find(({ name }) => !isMockName(name))
  if (invalid)
    return usageError(`"${invalid.name}" is not a valid mock name (use a-z, 0-9 and "-"); set one with --name`)
  for (const file of files) if ((await readText(file)) === null) return { exitCode: 2 }
  const config = flags.get('--config')
  return {
    serve: true,
    environment: config === undefined ? {} : { SVC_CONFIG_FILE: config },
    options: { served },
    whenListening: url => {
      for (const { name } of served) process.stdout.write(`mock ${name} at ${url}/mock/${name}\n`)
    },
  }
}

const compress = promisify(gzip)

/** A check of a large document takes up to 30 s. */
const PUSH_TIMEOUT_MS = 120_000
const MAX_REPORT_BYTES = 16 * 1024 * 1024

async function push(name: string, file: string, flags: ReadonlyMap<string, string>): Promise<CommandResult> {
  const text = await readText(file)
  if (text === null) return { exitCode: 2 }
  const base = flags.get('--url') ?? ''
  if (!URL.canParse(base))
    return usageError('the option --url must be the URL of an instance, such as http://localhost:8080')
  const token = flags.get('--token')
  const url = `${base.replace(/\/$/, '')}/_svc/mocks/${encodeURIComponent(name)}${flags.has('--draft') ? '/draft' : ''}`
  try {
    const response = await boundedFetch(url, {
      method: 'PUT',
      timeoutMs: PUSH_TIMEOUT_MS,
      maxBytes: MAX_REPORT_BYTES,
      followsRedirects: true,
      headers: {
        'content-type': 'application/octet-stream',
        'content-encoding': 'gzip',
        ...(token === undefined ? {} : { 'x-svc-admin-token': token }),
      },
      body: new Uint8Array(await compress(text)),
    })
    return pushed(file, url, response.status, response.body.toString())
  } catch (error) {
    process.stderr.write(`${url}: ${reasonOf(error)}\n`)
    return { exitCode: 1 }
  }
}

/** The innermost cause: what the system reports about the connection. */
function reasonOf(error: unknown): string {
  return error instanceof Error && error.cause !== undefined ? reasonOf(error.cause) : (error as Error).message
}

function pushed(file: string, url: string, status: number, body: string): CommandResult {
  const value = parseJson(body)
  const report = isRecord(value) && isRecord(value['report']) ? (value['report'] as unknown as Report) : null
  if (report) process.stdout.write(reportText(file, report))
  if (status < 300) {
    process.stdout.write(`pushed to ${url}\n`)
    return { exitCode: 0 }
  }
  process.stderr.write(`${url}: ${status} ${isRecord(value) ? String(value['message'] ?? value['error']) : ''}\n`)
  return { exitCode: 1 }
}
