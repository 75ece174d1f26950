/** `svc probe <gateway URL>`: runs the checks and writes the report. */
import { createHash, randomUUID } from 'node:crypto'
import { mkdir, open, readFile, stat, writeFile } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { rootCertificates } from 'node:tls'
import { parse } from 'yaml'
import type { CommandContext, CommandResult, CommandServer } from 'svc/plugin'
import { isRecord } from 'svc/plugin'
import { newGroupsOf } from '../catalog/selection.ts'
import { catalogWith } from '../checks/custom/registry.ts'
import { readAddress, resolveAddress } from '../client/address.ts'
import type { Address } from '../client/address.ts'
import { BackChannel, BackChannelError, instancesOf } from '../client/back-channel.ts'
import { ProbeRun } from '../client/probe-run.ts'
import type { RunResult } from '../client/probe-run.ts'
import { ReachError } from '../client/reach.ts'
import { NO_ROUTES, readRoutes, resolvedRoutes } from '../client/routes.ts'
import type { Routes } from '../client/routes.ts'
import { baselineOf, readBaseline } from '../report/baseline.ts'
import type { Baseline } from '../report/baseline.ts'
import { htmlReport } from '../report/html-report.ts'
import { junitReport } from '../report/junit-report.ts'
import { markdownReport } from '../report/markdown-report.ts'
import { masked, maskedConfiguration } from '../report/masking.ts'
import { createReport } from '../report/report.ts'
import type { Report } from '../report/report.ts'
import { lastWord, terminalReport } from '../report/terminal-report.ts'
import { ArgumentError, readProbeOptions } from './options.ts'
import type { Format, ProbeOptions } from './options.ts'
import { createProgress } from './progress.ts'

const SESSION_S = 15 * 60
const MAX_CONFIGURATION = 256 * 1024
const MAX_BASELINE = 32 * 1024 * 1024
const FILES: Record<Exclude<Format, 'terminal'>, string> = {
  json: 'report.json',
  junit: 'report.xml',
  markdown: 'report.md',
  html: 'report.html',
}

interface Prepared {
  options: ProbeOptions
  baseline: Baseline | null
  configuration: Report['gateway']['configuration']
  out: string | null
  routes: Routes
}

/** Throws `ArgumentError` for what exit code 2 is for. */
export async function runProbe(args: readonly string[], context: CommandContext): Promise<CommandResult> {
  const prepared = await prepare(args, context)
  const { report, exitCode } = await runPrepared(prepared, context)
  if (report !== null) await write(report, prepared.options, prepared.out, context)
  return { exitCode }
}

export interface Probed {
  exitCode: number
  /** Null if there was no run. */
  report: Report | null
}

/** The same without writing the report. */
export async function probeReport(args: readonly string[], context: CommandContext): Promise<Probed> {
  return runPrepared(await prepare(args, context), context)
}

async function runPrepared(prepared: Prepared, context: CommandContext): Promise<Probed> {
  const { options } = prepared
  const stopping = new AbortController()
  const stop = (): void => stopping.abort()
  process.on('SIGINT', stop).on('SIGTERM', stop)
  let server: CommandServer | null = null
  let channels: BackChannel[] = []
  try {
    let addresses = options.upstreams
    let token = options.upstreamToken
    if (options.listen !== null) {
      token = randomUUID()
      server = await listen(context, options.listen, { token, pushHost: options.host ?? options.gateway.authority })
      addresses = [addressOf(`http://${hostInUrl(options.listen.host)}:${server.ports.http}`)]
    }
    channels = (await Promise.all(addresses.map(resolveAddress))).map(address => new BackChannel(address, token))
    const [first, ...others] = channels as [BackChannel, ...BackChannel[]]
    await first.open(SESSION_S)
    for (const channel of others) await channel.open(SESSION_S, first.session)
    return await probe(prepared, context, channels, stopping.signal, options.listen !== null)
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
  { options, baseline, configuration, routes }: Prepared,
  context: CommandContext,
  channels: readonly BackChannel[],
  signal: AbortSignal,
  isListening: boolean,
): Promise<Probed> {
  const startedAt = new Date()
  const from = performance.now()
  const { environment, err } = context
  const isPlain = Boolean(environment.NO_COLOR) || Boolean(environment.CI) || environment.TERM === 'dumb'
  const progress = createProgress(err, { isPlain, isQuiet: options.isQuiet, isVerbose: options.isVerbose })
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
    repeat: options.repeat,
    timeoutMs: options.timeoutS * 1000,
    concurrency: options.concurrency,
    hasCredentials: options.fields.some(([name]) => name.toLowerCase() === 'authorization'),
    signal,
    onProgress: update => progress.update(update),
  })
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
    [...options.secrets, ...(routes.mcpToken === null ? [] : [routes.mcpToken])],
  )
  if (signal.aborted) return { exitCode: 130, report }
  if (!report.complete) return { exitCode: 3, report }
  return { exitCode: report.summary.counted > 0 ? 1 : 0, report }
}

async function write(
  report: Report,
  options: ProbeOptions,
  out: string | null,
  context: CommandContext,
): Promise<void> {
  const texts: Record<Format, () => string> = {
    terminal: () => (options.isQuiet ? `${lastWord(report)}\n` : terminalReport(report, options.failOn)),
    json: () => `${JSON.stringify(report, null, 2)}\n`,
    junit: () => junitReport(report, options.failOn),
    markdown: () => markdownReport(report),
    html: () => htmlReport(report),
  }
  if (options.writeBaseline !== null)
    await writeFile(resolve(context.workingDirectory, options.writeBaseline), baselineOf(report))
  if (out !== null)
    for (const format of new Set<Format>([...options.formats, 'json']))
      if (format !== 'terminal') await writeFile(join(out, FILES[format]), texts[format]())
  if (out === null || options.formats.includes('terminal'))
    context.out.write(texts[out === null ? options.formats[0]! : 'terminal']())
}

/** Reads and checks everything before anything is sent. */
async function prepare(args: readonly string[], context: CommandContext): Promise<Prepared> {
  const section = isRecord(context.section) ? context.section : {}
  const catalog = catalogWith(await context.use('probe.checks'))
  const options = readProbeOptions(args, context.environment, section, catalog)
  const pathOf = (name: string): string => resolve(context.workingDirectory, name)
  const ids = new Set(catalog.map(({ id }) => id))
  let baseline: Baseline | null = null
  if (options.baseline !== null) {
    const read = readBaseline(await readBounded(pathOf(options.baseline), MAX_BASELINE, '--baseline'), ids)
    if (typeof read === 'string') throw new ArgumentError(read)
    baseline = read
  }
  const configuration = []
  for (const file of options.configFiles) {
    const text = await readBounded(pathOf(file), MAX_CONFIGURATION, '--config-file')
    if (text.includes('\0')) throw new ArgumentError(`--config-file is not text: ${file}`)
    configuration.push({
      file: basename(file),
      sha256: createHash('sha256').update(text).digest('hex'),
      text: maskedConfiguration(text),
      truncated: false,
    })
  }
  const out = options.out === null ? null : pathOf(options.out)
  if (out !== null) await prepareFolder(out)
  return { options, baseline, configuration, out, routes: await routesOf(options, newGroupsOf(catalog), pathOf) }
}

async function routesOf(
  { routes }: ProbeOptions,
  newGroups: readonly string[],
  pathOf: (name: string) => string,
): Promise<Routes> {
  if (routes === null) return NO_ROUTES
  const text = await readBounded(pathOf(routes), MAX_CONFIGURATION, '--routes')
  let value: unknown
  try {
    value = parse(text, { maxAliasCount: 10 })
  } catch {
    throw new ArgumentError(`--routes: not YAML: ${routes}`)
  }
  const read = readRoutes(value, newGroups)
  if (typeof read === 'string') throw new ArgumentError(`--${read}`)
  return read
}

async function prepareFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true })
    const probe = await open(join(folder, FILES.json), 'a')
    await probe.close()
  } catch (error) {
    throw new ArgumentError(`--out cannot be written: ${(error as NodeJS.ErrnoException).code ?? String(error)}`)
  }
}

async function readBounded(path: string, max: number, option: string): Promise<string> {
  try {
    const { size } = await stat(path)
    if (size > max) throw new ArgumentError(`${option}: the file is larger than ${max} bytes`)
    return await readFile(path, 'utf8')
  } catch (error) {
    if (error instanceof ArgumentError) throw error
    throw new ArgumentError(
      `${option}: cannot read ${path} (${(error as NodeJS.ErrnoException).code ?? String(error)})`,
    )
  }
}

/** Starts the upstream in this process; rejects with `BackChannelError` if it can't listen. */
async function listen(
  context: CommandContext,
  { host, port, https, grpc }: NonNullable<ProbeOptions['listen']>,
  { token, pushHost }: { token: string; pushHost: string },
): Promise<CommandServer> {
  try {
    return await context.startServer({
      environment: {
        SVC_HOST: host,
        SVC_HTTP_PORT: String(port),
        SVC_HTTPS_PORT: String(https),
        SVC_GRPC_PORT: String(grpc),
        // So that the gateway can speak HTTP/2 with it.
        SVC_GRPC_ON_HTTP: 'true',
        SVC_ADMIN_TOKEN: token,
        SVC_WATCH: 'false',
        SVC_LOG_LEVEL: 'off',
        SVC_PUBLIC_MODE: 'false',
        // For A2A-PUSH, whose notifications go to the gateway.
        SVC_A2A_PUSH_ALLOWLIST: [context.environment.SVC_A2A_PUSH_ALLOWLIST ?? '', pushHost].filter(Boolean).join(','),
      },
    })
  } catch (error) {
    throw new BackChannelError(`the upstream could not start: ${(error as Error).message}`)
  }
}

function hostInUrl(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1'
  if (host === '::') return '[::1]'
  return host.includes(':') ? `[${host}]` : host
}

function addressOf(url: string): Address {
  const address = readAddress(url)
  if (typeof address === 'string') throw new Error(address)
  return address
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

/** The system's authorities, and the file that was named. */
async function trustOf(
  options: ProbeOptions,
  context: CommandContext,
): Promise<{ ca: string[] | null; insecure: boolean; name: string | null }> {
  const name = options.host?.replace(/:\d+$/, '') ?? null
  if (options.ca === null) return { ca: null, insecure: options.isInsecure, name }
  const file = await readBounded(resolve(context.workingDirectory, options.ca), MAX_CONFIGURATION, '--ca')
  return { ca: [...rootCertificates, file], insecure: options.isInsecure, name }
}

function isNetworkError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && 'syscall' in error
}

/** The arguments that matter for a second run; credentials are masked. */
function reportedArguments(options: ProbeOptions): string[] {
  return [
    options.gateway.url,
    ...(options.prefix === '' ? [] : ['--prefix', options.prefix]),
    ...options.upstreams.flatMap(({ url }) => ['--upstream', url]),
    ...(options.listen === null ? [] : listenArguments(options.listen)),
    ...(options.groups === null ? [] : ['--groups', options.groups.join(',')]),
    ...(options.ids === null ? [] : ['--checks', options.ids.join(',')]),
    ...(options.isHostile ? ['--hostile'] : []),
    ...(options.isSlow ? ['--slow'] : []),
    ...(options.isHttp2 ? ['--h2'] : []),
    ...(options.host === null ? [] : ['--host', options.host]),
    ...(options.routes === null ? [] : ['--routes', options.routes]),
    ...(options.ca === null ? [] : ['--ca', options.ca]),
    ...(options.isInsecure ? ['--insecure'] : []),
    ...options.fields.flatMap(([name]) => ['--header', `${name}: ***`]),
  ]
}

/** Ports of which the gateway may know; free ones are not part of it. */
function listenArguments({ host, port, https, grpc }: NonNullable<ProbeOptions['listen']>): string[] {
  return [
    '--listen',
    `${host.includes(':') ? `[${host}]` : host}:${port}`,
    ...(https === 0 ? [] : ['--listen-https', String(https)]),
    ...(grpc === 0 ? [] : ['--listen-grpc', String(grpc)]),
  ]
}
