/** `svc demo run`. */
import { randomUUID } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { rootCertificates } from 'node:tls'
import type { CommandContext, CommandResult } from 'svc/plugin'
import {
  ArgumentError,
  type CommandUpstream,
  parseYaml,
  readOrProblem,
  startUpstream,
  visible,
  YamlProblem,
} from 'svc/toolkit'
import type { ClientAddress, ClientRoutes, ProbeClient } from '../../probe/types.ts'
import { BOUNDS } from '../file/bounds.ts'
import type { Demo } from '../file/demo.ts'
import { withValues } from '../file/read-demo.ts'
import { htmlReport } from '../report/html-report.ts'
import { junitReport } from '../report/junit-report.ts'
import { markdownReport } from '../report/markdown-report.ts'
import { controlOf, createReport, isFailed, type DemoReport, type JudgedDemo } from '../report/report.ts'
import { controlLine, demoLine, responseLine, stepLines } from '../report/terminal.ts'
import { directTarget, type Target } from '../run/context.ts'
import { ControlClient } from '../run/control.ts'
import { DemoRun, type DemoResult, type RunInput } from '../run/demo-run.ts'
import { readRunOptions, type Format, type RunOptions } from './options.ts'
import { StepProgress } from './progress.ts'
import { borrowed } from './borrowed.ts'
import { chosenDemos } from './selection.ts'

/** Throws `ArgumentError` for what exit code 2 is for. */
export async function runDemos(
  args: readonly string[],
  context: CommandContext,
  folder: string,
): Promise<CommandResult> {
  const options = readRunOptions(args, context.environment)
  const chosen = await chosenDemos(options, context, folder)
  const valuesOf = new Map(chosen.map(({ demo }) => [demo, readValues(demo, options.set)]))
  const client = await context.use('probe.client')
  if (client === undefined) throw new ArgumentError('the plugin probe is off')
  const given = addressOf(client, options.upstream)
  const settings = options.listen === null ? {} : settingsOf(chosen.map(({ demo }) => demo))
  const gateway = options.through === null ? null : addressOf(client, options.through)
  const lanes = Object.entries(options.lanes).map(([name, url]) => [name, addressOf(client, url)] as const)
  const [ca, routes] = [await readCa(options, context), await readRoutes(options, client, context)]
  const out = options.out === null ? null : await preparedFolder(resolve(context.workingDirectory, options.out))
  const stopping = new AbortController()
  const stop = (): void => stopping.abort()
  process.on('SIGINT', stop).on('SIGTERM', stop)
  let started: CommandUpstream | null = null
  try {
    if (options.listen !== null)
      try {
        started = await startUpstream(context, options.listen, settings)
      } catch (error) {
        context.err.write(`the upstream could not start: ${(error as Error).message}\n`)
        return { exitCode: 3 }
      }
    const upstream = started === null ? given : addressOf(client, started.url)
    const token = started?.token ?? options.token
    let base: RunInput['context']
    try {
      const control = new ControlClient(client, await client.resolve(upstream), token)
      const laneControls: Record<string, ControlClient> = {}
      for (const [name, address] of lanes)
        laneControls[name] = new ControlClient(client, await client.resolve(address), options.token)
      const target: Target =
        gateway === null
          ? directTarget(control, options.fields)
          : {
              address: await client.resolve(gateway),
              isDirect: false,
              trust: { ca, insecure: options.isInsecure, name: options.host?.replace(/:\d+$/, '') ?? null },
              host: options.host,
              fields: options.fields,
              prefix: options.prefix,
              routes,
            }
      const { timeoutMs } = options
      const more = timeoutMs === null ? {} : { timeoutMs }
      base = {
        client,
        ...borrowed(context, folder),
        control,
        laneControls,
        target,
        bounds: BOUNDS,
        signal: stopping.signal,
        ...more,
      }
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      context.err.write(`cannot reach the gateway or the upstream: ${code ?? String(error)}\n`)
      return { exitCode: 3 }
    }
    const runner = new Runner(options, base, context)
    const [from, startedAt] = [performance.now(), new Date()]
    const results: JudgedDemo[] = []
    for (const { demo } of chosen)
      for (let round = 0; round < options.repeat && !stopping.signal.aborted; round++)
        results.push(await runner.run(demo, valuesOf.get(demo)!))
    const { url } = base.target.address
    const facts = {
      id: randomUUID(),
      startedAt,
      tookMs: performance.now() - from,
      arguments: ['run', ...args],
      version: context.version,
      url,
      prefix: options.prefix,
    }
    await writeReport(client.masked(createReport(results, facts), runner.secrets), options, out, context)
    return { exitCode: stopping.signal.aborted ? 130 : exitCodeOf(results) }
  } finally {
    process.off('SIGINT', stop).off('SIGTERM', stop)
    await started?.server.stop()
  }
}

/** What the demos need of an upstream that is started for them. Throws `ArgumentError` if two of them contradict each other. */
function settingsOf(demos: readonly Demo[]): Record<string, string> {
  const settings: Record<string, string> = {}
  for (const { demo, settings: own } of demos)
    for (const [name, value] of Object.entries(own)) {
      if ((settings[name] ?? value) !== value)
        throw new ArgumentError(`--listen: ${demo} needs ${name}=${value}, and another demo ${settings[name]}; run one`)
      settings[name] = value
    }
  return settings
}

class Runner {
  readonly secrets: string[]
  readonly #options: RunOptions
  readonly #base: RunInput['context']
  readonly #context: CommandContext
  /** Standard output is for the terminal, not for a report. */
  readonly #isShown: boolean

  constructor(options: RunOptions, base: RunInput['context'], context: CommandContext) {
    this.#options = options
    this.#base = base
    this.#context = context
    this.#isShown = options.formats.includes('terminal')
    this.secrets = [...options.secrets]
  }

  async run(demo: Demo, values: RunInput['values']): Promise<JudgedDemo> {
    const { isQuiet, isVerbose, isYes, stopAtFirst, step, isControl, fields } = this.#options
    const showsSteps = this.#isShown && !isQuiet
    // Lines about each answer say it, too.
    const progress = new StepProgress(this.#context, !isQuiet && !isVerbose)
    const input: RunInput = {
      demo,
      values,
      context: this.#base,
      ask: text => ask(text, isYes, this.#context),
      stopAtFirst,
      fromStep: Math.min(step, demo.steps.length),
      events: {
        onStep: () => progress.begin(),
        onBegin: step => progress.sent(step),
        onSent: (step, sent) => {
          progress.answered(step)
          if (showsSteps && isVerbose) this.#write(responseLine(sent))
        },
        onStepEnd: result => {
          progress.clear()
          if (showsSteps) this.#write(stepLines(result, { isVerbose }))
        },
      },
    }
    if (showsSteps) this.#write(`${demo.title}\n`)
    const result = await this.#once(input)
    const direct = directTarget(this.#base.control, fields)
    const control =
      isControl && !this.#base.target.isDirect
        ? controlOf(
            await this.#once({ ...input, context: { ...this.#base, target: direct }, events: {} }),
            demo.control,
          )
        : null
    if (this.#isShown) this.#write(demoLine(result))
    if (this.#isShown && control !== null) this.#write(controlLine(control))
    return { result, control }
  }

  async #once(input: RunInput): Promise<DemoResult> {
    const run = new DemoRun(input)
    const result = await run.run()
    this.secrets.push(...run.secrets)
    return result
  }

  #write(text: string): void {
    this.#context.out.write(this.#base.client.masked(text, this.secrets))
  }
}

const WRITERS: Record<Exclude<Format, 'terminal'>, { file: string; write(report: DemoReport): string }> = {
  json: { file: 'report.json', write: report => `${JSON.stringify(report, null, 2)}\n` },
  junit: { file: 'report.xml', write: junitReport },
  markdown: { file: 'report.md', write: markdownReport },
  html: { file: 'report.html', write: htmlReport },
}

/** The lines of the terminal were written while the demos ran. */
async function writeReport(
  report: DemoReport,
  { formats }: RunOptions,
  out: string | null,
  context: CommandContext,
): Promise<void> {
  for (const format of new Set<Format>(out === null ? formats : [...formats, 'json'])) {
    if (format === 'terminal') continue
    const { file, write } = WRITERS[format]
    if (out === null) context.out.write(write(report))
    else await writeFile(join(out, file), write(report))
  }
}

/** Throws `ArgumentError` for a folder that cannot be written, before anything runs. */
async function preparedFolder(folder: string): Promise<string> {
  try {
    await mkdir(folder, { recursive: true })
    await writeFile(join(folder, WRITERS.json.file), '', { flag: 'a' })
    return folder
  } catch (error) {
    throw new ArgumentError(`--out cannot be written: ${(error as NodeJS.ErrnoException).code ?? String(error)}`)
  }
}

function exitCodeOf(results: readonly JudgedDemo[]): number {
  if (results.some(({ result, control }) => isFailed({ verdict: result.verdict, control }))) return 1
  if (results.some(({ result }) => !result.isReached)) return 3
  return results.every(({ result }) => result.verdict === 'seen') ? 0 : 4
}

function readValues(demo: Demo, set: Readonly<Record<string, string>>): RunInput['values'] {
  const read = readOrProblem(() => withValues(demo.variables, set))
  if ('value' in read) return read.value
  throw new ArgumentError(`--${read.problem.at.replace('.', ' ')}: ${read.problem.details}`)
}

function addressOf(client: ProbeClient, url: string): ClientAddress {
  const address = client.address(url)
  if (typeof address === 'string') throw new ArgumentError(address)
  return address
}

async function readCa({ ca }: RunOptions, context: CommandContext): Promise<string[] | null> {
  return ca === null ? null : [...rootCertificates, await readText(ca, '--ca', context)]
}

async function readRoutes(
  { routes: file }: RunOptions,
  client: ProbeClient,
  context: CommandContext,
): Promise<ClientRoutes | null> {
  if (file === null) return null
  let value: unknown
  try {
    ;({ value } = parseYaml(await readText(file, '--routes', context)))
  } catch (error) {
    if (!(error instanceof YamlProblem)) throw error
    throw new ArgumentError(`--routes: ${error.message}`)
  }
  const routes = client.routes(value)
  if (typeof routes === 'string') throw new ArgumentError(`--routes: ${routes}`)
  return routes
}

async function readText(file: string, option: string, { workingDirectory }: CommandContext): Promise<string> {
  const path = resolve(workingDirectory, file)
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    throw new ArgumentError(
      `${option}: cannot read ${path} (${(error as NodeJS.ErrnoException).code ?? String(error)})`,
    )
  }
}

/** Waits for Enter on a terminal. */
async function ask(text: string, isYes: boolean, { out }: CommandContext): Promise<boolean> {
  if (isYes) return true
  if (out.isTTY !== true || process.stdin.isTTY !== true) return false
  const lines = createInterface({ input: process.stdin, output: process.stdout })
  try {
    await lines.question(`${visible(text)}\nPress Enter to continue. `)
    return true
  } finally {
    lines.close()
  }
}
