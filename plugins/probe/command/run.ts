/** `svc probe <gateway URL>`: runs the checks and writes the report. */
import { randomUUID } from 'node:crypto'
import type { CommandContext, CommandResult, CommandServer } from 'svc/plugin'
import { resolveAddress, type Address } from '../client/address.ts'
import { BackChannel, BackChannelError, instancesOf } from '../client/back-channel.ts'
import { ProbeRun, type RunResult } from '../client/probe-run.ts'
import { ReachError } from '../client/reach.ts'
import { resolvedRoutes, secretsOfRoutes } from '../client/routes.ts'
import { shownPatterns, type FoundPair } from '../pairs/pair.ts'
import { masked } from '../report/masking.ts'
import { createReport, type Report } from '../report/report.ts'
import { readInput, trustOf, type RunInput } from './input.ts'
import { listen } from './listen.ts'
import { createProgress } from './progress.ts'
import { writeReport } from './report-files.ts'
import { reportedArguments } from './reported-arguments.ts'

const SESSION_S = 15 * 60

/** Throws `ArgumentError` for what exit code 2 is for. */
export async function runProbe(args: readonly string[], context: CommandContext): Promise<CommandResult> {
  const input = await readInput(args, context)
  const { report, exitCode } = await runWith(input, context)
  if (report !== null) await writeReport(report, input.options, input.out, context)
  return { exitCode }
}

export interface Probed {
  exitCode: number
  /** Null if there was no run. */
  report: Report | null
}

/** The same without writing the report. */
export async function probeReport(args: readonly string[], context: CommandContext): Promise<Probed> {
  return runWith(await readInput(args, context), context)
}

async function runWith(input: RunInput, context: CommandContext): Promise<Probed> {
  const { options } = input
  const stopping = new AbortController()
  const stop = (): void => stopping.abort()
  process.on('SIGINT', stop).on('SIGTERM', stop)
  let server: CommandServer | null = null
  let channels: BackChannel[] = []
  try {
    let addresses = options.upstreams
    let token = options.upstreamToken
    if (options.listen !== null) {
      const started = await listen(context, options.listen, options.host ?? options.gateway.authority)
      server = started.server
      token = started.token
      addresses = [started.address]
    }
    channels = (await Promise.all(addresses.map(resolveAddress))).map(address => new BackChannel(address, token))
    const [first, ...others] = channels as [BackChannel, ...BackChannel[]]
    await first.open(SESSION_S)
    for (const channel of others) await channel.open(SESSION_S, first.session)
    return await probe(input, context, channels, stopping.signal, options.listen !== null)
  } catch (error) {
    if (error instanceof ReachError || error instanceof BackChannelError || isNetworkError(error)) {
      context.err.write(`${(error as Error).message}\n`)
      return { exitCode: 3, report: null }
    }
    throw error
  } finally {
    process.off('SIGINT', stop).off('SIGTERM', stop)
    await Promise.all(channels.map(channel => channel.close()))
    await server?.stop()
  }
}

async function probe(
  { options, baseline, configuration, routes }: RunInput,
  context: CommandContext,
  channels: readonly BackChannel[],
  signal: AbortSignal,
  isListening: boolean,
): Promise<Probed> {
  const startedAt = new Date()
  const from = performance.now()
  const { environment, err } = context
  const isPlain = Boolean(environment.NO_COLOR) || Boolean(environment.CI) || environment.TERM === 'dumb'
  const gateway = await resolveGateway(options.gateway)
  const run = new ProbeRun({
    checks: options.checks,
    gateway,
    prefix: options.prefix,
    channels,
    route: {
      trust: await trustOf(options, context),
      extraFields: options.fields,
      authority: options.host ?? gateway.authority,
    },
    isHostile: options.isHostile,
    isSlow: options.isSlow,
    routes: await resolvedRoutes(routes, resolveGateway),
    triesHttp2: options.isHttp2 || gateway.isTls,
    pairs: options.pairs,
    repeat: options.repeat,
    timeoutMs: options.timeoutS * 1000,
    concurrency: options.concurrency,
    hasCredentials: options.fields.some(([name]) => name.toLowerCase() === 'authorization'),
    signal,
    onProgress: update => progress.update(update),
  })
  const { isQuiet, isVerbose } = options
  const progress = createProgress(err, { isPlain, isQuiet, isVerbose, groups: run.groups })
  let result: RunResult
  try {
    result = await run.run()
  } catch (error) {
    const soFar = run.soFar
    if (!signal.aborted || soFar === null) throw error
    result = soFar
  } finally {
    progress.end()
  }
  if (options.pairs !== null && result.facts.pairs.every(({ state }) => state !== 'tested'))
    err.write(`no such pair; there are ${namesOf(result.facts.pairs)}\n`)
  const report = masked(
    createReport({
      run: result,
      facts: {
        id: randomUUID(),
        startedAt,
        tookMs: performance.now() - from,
        arguments: reportedArguments(options),
        svc: {
          version: context.version,
          git_sha: context.gitSha,
          node: process.versions.node,
          platform: `${process.platform} ${process.arch}`,
        },
        upstream: {
          mode: isListening ? 'listen' : 'url',
          base_url: channels[0]!.address.url,
          ...instancesOf(channels),
        },
      },
      gateway: { url: options.gateway.url, prefix: options.prefix, name: options.name, configuration },
      options: {
        groups: options.groups,
        checks: options.ids,
        pairs: shownPatterns(options.pairs),
        hostile: options.isHostile,
        h2: options.isHttp2,
        slow: options.isSlow,
        repeat: options.repeat,
        timeout_s: options.timeoutS,
        concurrency: options.concurrency,
        fail_on: options.failOn,
      },
      failOn: options.failOn,
      baseline,
      notes: options.notes,
      isVerbose: options.isVerbose,
      isRecorded: true,
    }),
    [...options.secrets, ...secretsOfRoutes(routes)],
  )
  if (signal.aborted) return { exitCode: 130, report }
  if (!report.complete) {
    err.write(`${result.lost ?? 'the run ended early'}: the run is not complete\n`)
    return { exitCode: 3, report }
  }
  return { exitCode: report.summary.counted > 0 ? 1 : 0, report }
}

function namesOf(pairs: readonly FoundPair[]): string {
  const names = pairs.flatMap(({ pair, upstream }) => (upstream === null ? [] : [pair]))
  return names.length === 0 ? 'none' : names.join(', ')
}

async function resolveGateway(address: Address): Promise<Address> {
  try {
    return await resolveAddress(address)
  } catch (error) {
    throw new ReachError(
      `cannot reach the gateway: ${(error as NodeJS.ErrnoException).code ?? (error as Error).message}`,
    )
  }
}

function isNetworkError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && 'syscall' in error
}
