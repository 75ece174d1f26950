/** Runs checks of the catalog through a proxy to a server of the test. */
import { CATALOG } from '../../plugins/probe/checks/index.ts'
import { readAddress, resolveAddress, type Address } from '../../plugins/probe/client/address.ts'
import { BackChannel } from '../../plugins/probe/client/back-channel.ts'
import { ProbeRun, type RunResult } from '../../plugins/probe/client/probe-run.ts'
import { NO_ROUTES, type Routes } from '../../plugins/probe/client/routes.ts'
import type { PairPattern } from '../../plugins/probe/pairs/pair.ts'
import { SERVICE_GROUPS, type Check } from '../../plugins/probe/catalog/check.ts'
import { createReport, type Report } from '../../plugins/probe/report/report.ts'

export interface ThroughOptions {
  /** Default: those of a run that names none. */
  checks?: readonly Check[]
  isHostile?: boolean
  repeat?: number
  timeoutMs?: number
  /** Tries HTTP/2 with prior knowledge. */
  isHttp2?: boolean
  /** Default: one that tells the truth. */
  channel?: BackChannel
  /** More upstreams behind the gateway. */
  others?: readonly BackChannel[]
  routes?: Routes
  pairs?: readonly PairPattern[]
}

/** Of a running server. */
export async function addressOf(url: string): Promise<Address> {
  const address = readAddress(url)
  if (typeof address === 'string') throw new Error(address)
  return resolveAddress(address)
}

/** Those of a run without `--groups` and `--checks`. */
const USUAL = CATALOG.filter(({ group }) => !SERVICE_GROUPS.includes(group))

/** Checks that take only seconds. */
export function quickChecks(): Check[] {
  const slow = new Set([
    'CON-TIMEOUT',
    'CON-EJECT',
    'CON-SLOW-HEAD',
    'STR-IDLE',
    'STR-ABORT',
    'CON-LATENCY',
    'CON-RETRY',
    'STR-LIMIT',
    'CON-CLOSE',
    'STR-SLOW-READER',
    'STR-BUFFER',
    'STR-SSE',
    'STR-SSE-GZIP',
    'WS-IDLE',
    'WS-DEAD',
    'LLM-STALL',
    'LLM-CANCEL',
    'LLM-TTFT',
    'LLM-GAP',
    'MCP-CANCEL',
    'JWT-ROTATE',
  ])
  return USUAL.filter(({ id, hostile }) => !slow.has(id) && hostile !== true)
}

export function checksNamed(ids: readonly string[]): Check[] {
  return ids.map(id => {
    const check = CATALOG.find(one => one.id === id)
    if (check === undefined) throw new Error(`no check ${id}`)
    return check
  })
}

export async function probeThrough(
  gatewayUrl: string,
  upstreamUrl: string,
  options: ThroughOptions = {},
): Promise<RunResult> {
  const gateway = await addressOf(gatewayUrl)
  const channel = options.channel ?? new BackChannel(await addressOf(upstreamUrl), null)
  const others = options.others ?? []
  await channel.open(600)
  for (const other of others) await other.open(600, channel.session)
  try {
    return await new ProbeRun({
      checks: options.checks ?? USUAL,
      gateway,
      prefix: '',
      channels: [channel, ...others],
      route: { trust: { ca: null, insecure: false, name: null }, extraFields: [], authority: gateway.authority },
      isHostile: options.isHostile ?? false,
      isSlow: false,
      routes: options.routes ?? NO_ROUTES,
      pairs: options.pairs ?? null,
      triesHttp2: options.isHttp2 ?? false,
      repeat: options.repeat ?? 1,
      timeoutMs: options.timeoutMs ?? 10_000,
      concurrency: 6,
      hasCredentials: false,
      signal: new AbortController().signal,
      onProgress: () => {},
    }).run()
  } finally {
    for (const other of others) await other.close()
    await channel.close()
  }
}

/** Of checks that passed. */
export function passedIds({ results }: RunResult): string[] {
  return results.filter(({ verdict }) => verdict === 'pass').map(({ check }) => check.id)
}

/** `ID verdict: text` of everything that is neither a pass, a note nor a skip. */
export function findings({ results }: RunResult): string[] {
  return results
    .filter(({ verdict }) => ['fail', 'warn', 'flaky', 'error'].includes(verdict))
    .map(({ check, verdict, summary, reason }) => `${check.id} ${verdict}: ${summary === '' ? reason : summary}`)
}

/** The report of a run, as it is read from a file. */
export function reportOf(result: RunResult): Report {
  const report = createReport({
    run: result,
    facts: {
      id: 'run',
      startedAt: new Date(0),
      tookMs: 1,
      arguments: [],
      svc: { version: '1.0.0', git_sha: null, node: '20', platform: 'test' },
      upstream: { mode: 'url', base_url: 'http://127.0.0.1:1', instances: [] },
    },
    gateway: { url: 'http://127.0.0.1:1', prefix: '', name: null, configuration: [] },
    options: {},
    failOn: ['fail'],
    baseline: null,
    notes: new Map(),
    isVerbose: true,
    isRecorded: true,
  })
  return JSON.parse(JSON.stringify(report)) as Report
}
