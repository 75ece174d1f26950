/** `svc demo run`. */
import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { rootCertificates } from 'node:tls'
import type { CommandContext, CommandResult } from 'svc/plugin'
import { ArgumentError, fieldProblem, isToken, readOrProblem, splitArguments, trimEndCharacters } from 'svc/toolkit'
import type { CheckField, ClientAddress, ProbeClient } from '../../probe/types.ts'
import { BOUNDS } from '../file/bounds.ts'
import type { Demo } from '../file/demo.ts'
import { withValues } from '../file/read-demo.ts'
import { directTarget, type Target } from '../run/context.ts'
import { ControlClient } from '../run/control.ts'
import { DemoRun, type DemoResult, type RunInput } from '../run/demo-run.ts'
import { createReport, type ControlResult } from '../report/report.ts'
import { controlLine, demoLine, stepLines } from '../report/terminal.ts'
import { chosenDemos } from './selection.ts'

const VALUES = {
  through: 'URL',
  upstream: 'URL',
  'upstream-token': 'token',
  prefix: 'path',
  host: 'name',
  'header*': "'Name: value'",
  bearer: 'token',
  ca: 'file',
  'set*': 'name=value',
  'lane*': 'name=URL',
  step: 'number',
  area: 'name',
}
const FLAGS = ['direct', 'insecure', 'yes', 'stop-at-first', 'control', 'json', 'quiet', 'all']

/** Throws `ArgumentError` for what exit code 2 is for. */
export async function runDemos(
  args: readonly string[],
  context: CommandContext,
  folder: string,
): Promise<CommandResult> {
  const { words, values, flags } = splitArguments(args, VALUES, FLAGS)
  const one = (name: string): string | undefined => values.get(name)?.[0]
  const through = one('through')
  if (through === undefined && !flags.has('direct'))
    throw new ArgumentError('expected --through with the URL of the gateway, or --direct')
  if (through !== undefined && flags.has('direct')) throw new ArgumentError('--through and --direct cannot be combined')
  const chosen = await chosenDemos({ words, area: one('area'), isAll: flags.has('all') }, context, folder)
  const set = pairs(values.get('set') ?? [], '--set')
  const valuesOf = new Map(chosen.map(({ demo }) => [demo, readValues(demo, set)]))
  const step = one('step') ?? '1'
  if (!/^\d{1,2}$/.test(step) || Number(step) < 1) throw new ArgumentError('--step must be a number from 1')
  const fields = (values.get('header') ?? []).map(readField)
  const bearer = one('bearer')
  if (bearer !== undefined) fields.push(['Authorization', `Bearer ${bearer}`])
  const token = one('upstream-token') ?? context.environment.SVC_ADMIN_TOKEN ?? null
  const prefix = trimEndCharacters(one('prefix') ?? '', '/')
  if (prefix !== '' && !prefix.startsWith('/')) throw new ArgumentError('--prefix must be a path such as /svc')
  const client = await context.use('probe.client')
  if (client === undefined) throw new ArgumentError('the plugin probe is off')
  const { SVC_HTTP_PORT: port = '8080' } = context.environment
  const upstream = addressOf(client, one('upstream') ?? `http://localhost:${port}`)
  const gateway = through === undefined ? null : addressOf(client, through)
  const laneUrls = pairs(values.get('lane') ?? [], '--lane')
  const ca = one('ca')
  const certificates =
    ca === undefined ? null : [...rootCertificates, await readCa(resolve(context.workingDirectory, ca))]
  const host = one('host') ?? null
  const trust = { ca: certificates, insecure: flags.has('insecure'), name: host?.replace(/:\d+$/, '') ?? null }
  const stopping = new AbortController()
  const stop = (): void => stopping.abort()
  process.on('SIGINT', stop).on('SIGTERM', stop)
  try {
    let control: ControlClient
    let target: Target
    const laneControls: Record<string, ControlClient> = {}
    try {
      control = new ControlClient(client, await client.resolve(upstream), token)
      for (const [name, url] of Object.entries(laneUrls))
        laneControls[name] = new ControlClient(client, await client.resolve(addressOf(client, url)), token)
      target =
        gateway === null
          ? directTarget(control, fields)
          : { address: await client.resolve(gateway), isDirect: false, trust, host, fields, prefix, routes: null }
    } catch (error) {
      if (error instanceof ArgumentError) throw error
      context.err.write(
        `cannot reach the gateway or the upstream: ${(error as NodeJS.ErrnoException).code ?? String(error)}\n`,
      )
      return { exitCode: 3 }
    }
    const isQuiet = flags.has('quiet') || flags.has('json')
    const results: { result: DemoResult; control: ControlResult | null }[] = []
    const secrets = [...fields.map(([, value]) => value), ...(token === null ? [] : [token])]
    const from = performance.now()
    const startedAt = new Date()
    for (const { demo } of chosen) {
      if (stopping.signal.aborted) break
      const input: RunInput = {
        demo,
        values: valuesOf.get(demo)!,
        context: { client, control, laneControls, target, bounds: BOUNDS, signal: stopping.signal },
        ask: text => ask(text, flags.has('yes'), context),
        stopAtFirst: flags.has('stop-at-first'),
        fromStep: Math.min(Number(step), demo.steps.length),
        events: {
          onStepEnd: result => {
            if (!isQuiet) context.out.write(client.masked(stepLines(result), secrets))
          },
        },
      }
      if (!isQuiet) context.out.write(`${demo.title}\n`)
      const result = await runOnce(input, secrets)
      const compared =
        flags.has('control') && !target.isDirect ? await controlRun(input, control, fields, secrets) : null
      results.push({ result, control: compared })
      if (!flags.has('json')) context.out.write(client.masked(demoLine(result), secrets))
      if (compared !== null && !flags.has('json')) context.out.write(controlLine(compared))
    }
    if (flags.has('json')) {
      const report = createReport(results, {
        id: randomUUID(),
        startedAt,
        tookMs: performance.now() - from,
        version: context.version,
        url: target.address.url,
        prefix,
      })
      context.out.write(`${JSON.stringify(client.masked(report, secrets), null, 2)}\n`)
    }
    return { exitCode: stopping.signal.aborted ? 130 : exitCodeOf(results) }
  } finally {
    process.off('SIGINT', stop).off('SIGTERM', stop)
  }
}

async function runOnce(input: RunInput, secrets: string[]): Promise<DemoResult> {
  const run = new DemoRun(input)
  const result = await run.run()
  secrets.push(...run.secrets)
  return result
}

/** The same demo without the gateway. */
async function controlRun(
  input: RunInput,
  control: ControlClient,
  fields: readonly CheckField[],
  secrets: string[],
): Promise<ControlResult> {
  const context = { ...input.context, target: directTarget(control, fields) }
  const { verdict } = await runOnce({ ...input, context, events: {} }, secrets)
  return { verdict, wanted: input.demo.control }
}

function exitCodeOf(results: readonly { result: DemoResult; control: ControlResult | null }[]): number {
  if (
    results.some(
      ({ result, control }) =>
        result.verdict === 'not-seen' || (control !== null && control.verdict !== control.wanted),
    )
  )
    return 1
  if (results.some(({ result }) => !result.isReached)) return 3
  return results.every(({ result }) => result.verdict === 'seen') ? 0 : 4
}

function readValues(demo: Demo, set: Readonly<Record<string, string>>): RunInput['values'] {
  const read = readOrProblem(() => withValues(demo.variables, set))
  if ('value' in read) return read.value
  throw new ArgumentError(`--${read.problem.at.replace('.', ' ')}: ${read.problem.details}`)
}

function pairs(texts: readonly string[], option: string): Record<string, string> {
  return Object.fromEntries(
    texts.map(text => {
      const equals = text.indexOf('=')
      if (equals < 1) throw new ArgumentError(`${option} needs the form name=value`)
      return [text.slice(0, equals), text.slice(equals + 1)]
    }),
  )
}

function addressOf(client: ProbeClient, url: string): ClientAddress {
  const address = client.address(url)
  if (typeof address === 'string') throw new ArgumentError(address)
  return address
}

function readField(text: string): CheckField {
  const colon = text.indexOf(':')
  const name = text.slice(0, Math.max(0, colon))
  const value = text.slice(colon + 1).trim()
  if (!isToken(name) || fieldProblem(name, value) !== null)
    throw new ArgumentError("--header needs the form 'Name: value'")
  return [name, value]
}

async function readCa(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    throw new ArgumentError(`--ca: cannot read ${path} (${(error as NodeJS.ErrnoException).code ?? String(error)})`)
  }
}

/** Waits for Enter on a terminal. */
async function ask(text: string, isYes: boolean, { out }: CommandContext): Promise<boolean> {
  if (isYes) return true
  if (out.isTTY !== true || process.stdin.isTTY !== true) return false
  const lines = createInterface({ input: process.stdin, output: process.stdout })
  try {
    await lines.question(`${text}\nPress Enter to continue. `)
    return true
  } finally {
    lines.close()
  }
}
