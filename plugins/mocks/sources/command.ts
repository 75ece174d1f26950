/** The subcommand `mock`: checks documents, serves them, pushes them to a running instance. */
import { readFile } from 'node:fs/promises'
import { basename, resolve } from 'node:path'
import { gzip } from 'node:zlib'
import { promisify } from 'node:util'
import { isRecord, type Command, type CommandResult } from 'svc/plugin'
import { checkDefinition } from '../check/check.ts'
import { OfficialSchema } from '../check/official-schema.ts'
import { showReport, type Report } from '../check/report.ts'
import { reportText } from '../check/report-text.ts'
import { parseJson } from '../document/json.ts'
import { isMockName, nameFrom } from '../management/mock-name.ts'

const USAGE = `usage: svc mock check FILE [--against OLD] [--fail-on breaking] [--json]
       svc mock serve FILE... [--name N] [--config FILE]
       svc mock push NAME FILE --url URL [--token T] [--draft]

  check   prints what a deploy would say; exit code 0: deployable, 1: not (or breaking, with --fail-on breaking)
  serve   starts the server with these documents as mocks
  push    deploys a document on a running instance, or saves it there as a draft
`

/** Flags of all three, with whether a value follows. */
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
  words: string[]
  flags: Map<string, string>
}

export const mockCommand: Command = {
  name: 'mock',
  summary: 'check, serve or push OpenAPI mocks',
  usage: USAGE,
  async run(args) {
    const parsed = parseArguments(args)
    if (typeof parsed === 'string') return misused(parsed)
    const [action, ...words] = parsed.words
    if (action === 'check' && words.length === 1) return check(words[0] ?? '', parsed.flags)
    if (action === 'serve' && words.length > 0) return serve(words, parsed.flags)
    if (action === 'push' && words.length === 2 && parsed.flags.has('--url'))
      return push(words[0] ?? '', words[1] ?? '', parsed.flags)
    return misused(
      action === undefined
        ? 'expected check, serve or push'
        : `can't make sense of "mock ${parsed.words.join(' ').slice(0, 200)}"`,
    )
  },
}

function parseArguments(args: string[]): Arguments | string {
  const parsed: Arguments = { words: [], flags: new Map() }
  for (let index = 0; index < args.length; index++) {
    const argument = args[index] ?? ''
    if (!argument.startsWith('--')) {
      parsed.words.push(argument)
      continue
    }
    const [flag = '', inline] = argument.split(/=(.*)/s, 2)
    if (!Object.hasOwn(FLAGS, flag)) return `unknown option ${flag}`
    const value = FLAGS[flag] ? (inline ?? args[++index]) : 'true'
    if (value === undefined) return `${flag} needs a value`
    parsed.flags.set(flag, value)
  }
  return parsed
}

function misused(message: string): CommandResult {
  process.stderr.write(`${message}\n${USAGE}`)
  return { exitCode: 2 }
}

async function readText(file: string): Promise<string | null> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    process.stderr.write(`${file}: ${(error as Error).message}\n`)
    return null
  }
}

async function check(file: string, flags: ReadonlyMap<string, string>): Promise<CommandResult> {
  const against = flags.get('--against')
  if (flags.has('--fail-on') && flags.get('--fail-on') !== 'breaking') return misused('--fail-on takes "breaking"')
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
  if (given !== undefined && files.length > 1) return misused('--name goes with one file')
  const served = files.map(file => ({
    name: given ?? nameFrom(basename(file).replace(/\.[^.]+$/, '')),
    spec: resolve(file),
  }))
  const wrong = served.find(({ name }) => !isMockName(name))
  if (wrong) return misused(`"${wrong.name}" is no name for a mock (a-z, 0-9 and "-")`)
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

async function push(name: string, file: string, flags: ReadonlyMap<string, string>): Promise<CommandResult> {
  const text = await readText(file)
  if (text === null) return { exitCode: 2 }
  const base = flags.get('--url') ?? ''
  if (!URL.canParse(base)) return misused('--url takes the address of an instance, such as http://localhost:8080')
  const token = flags.get('--token')
  const url = `${base.replace(/\/$/, '')}/_svc/mocks/${encodeURIComponent(name)}${flags.has('--draft') ? '/draft' : ''}`
  try {
    const response = await fetch(url, {
      method: 'PUT',
      headers: {
        'content-type': 'application/octet-stream',
        'content-encoding': 'gzip',
        ...(token === undefined ? {} : { 'x-svc-admin-token': token }),
      },
      body: new Uint8Array(await compress(text)),
    })
    return pushed(file, url, response.status, await response.text())
  } catch (error) {
    process.stderr.write(
      `${url}: ${((error as Error).cause as Error | undefined)?.message ?? (error as Error).message}\n`,
    )
    return { exitCode: 1 }
  }
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
