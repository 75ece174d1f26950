/** A run: reach, direct run, gateway run, repeats. */
import { setMaxListeners } from 'node:events'
import { fail, fault, skip } from '../catalog/check.ts'
import type { Check, Facts, Protocol, Verdict, VerdictWord } from '../catalog/check.ts'
import type { Address } from './address.ts'
import { BackChannelError } from './back-channel.ts'
import type { BackChannel } from './back-channel.ts'
import { clock, pause } from './changes.ts'
import { directDifference } from './direct-run.ts'
import type { Evidence } from './evidence.ts'
import { generalVerdict } from './general-rules.ts'
import { LoadMonitor } from './load-monitor.ts'
import { reach, reachInTime } from './reach.ts'
import type { Reached } from './reach.ts'
import { ROOT, StepRunner } from './step-runner.ts'
import type { Routes } from './routes.ts'
import type { Route } from './step-runner.ts'

export interface RunOptions {
  checks: readonly Check[]
  gateway: Address
  /** In front of `/probe`, in addition to the path of the gateway. */
  prefix: string
  channels: readonly BackChannel[]
  route: Pick<Route, 'trust' | 'extraFields' | 'authority'>
  isHostile: boolean
  isSlow: boolean
  /** Where groups live that have addresses of their own. */
  routes: Routes
  /** HTTP/2 is tried: with prior knowledge, or by ALPN. */
  triesHttp2: boolean
  repeat: number
  timeoutMs: number
  concurrency: number
  hasCredentials: boolean
  signal: AbortSignal
  onProgress(progress: { group: string; done: number; total: number; result: CheckResult }): void
}

/** A check in one protocol. */
interface Job {
  check: Check
  protocol: Protocol
}

export interface CheckResult {
  check: Check
  protocol: Protocol
  verdict: VerdictWord
  summary: string
  reason: string | null
  values: Record<string, unknown>
  repeats: VerdictWord[]
  direct: 'same' | 'differs' | 'not run'
  tookMs: number
  evidence: Evidence | null
}

export interface RunResult {
  results: CheckResult[]
  reached: Reached
  isComplete: boolean
  requests: number
  clientProtocols: Protocol[]
  facts: Facts
}

/** Direct runs are quick and disturb nobody, so more of them run at once. */
const DIRECT_CONCURRENCY = 16
const REPEATED: readonly VerdictWord[] = ['fail', 'warn', 'error']
const TUNNEL_GROUPS: readonly string[] = ['headers', 'targets', 'framing', 'responses', 'caching', 'trust']
const TUNNEL_CHECKS: readonly string[] = ['CON-ERROR', 'CON-LOOP', 'UPG-H2C']
const EJECTED_MS = 35_000
/** Attempts of a check that do not count, since something else than the gateway disturbed them. */
const MAX_DISTURBED = 3
const DISTURBED_PAUSE_MS = 1_000
/** Paths of the groups that do not use that of the probe. */
const DEFAULT_PATHS: Readonly<Record<string, string>> = { llm: '/ai/openai/v1', mcp: '/mcp', a2a: '/a2a/weather' }
const HEALTH: Pick<Check, 'id' | 'plan'> = {
  id: 'HEALTH',
  plan: () => ({ connections: [{ requests: [{ timeoutMs: 5_000 }] }] }),
}

export class ProbeRun {
  readonly #options: RunOptions
  readonly #runner: StepRunner
  readonly #direct: Omit<Route, 'protocol'>
  /** Where the upstream speaks HTTP/2; null if nowhere that this machine reaches. */
  #directHttp2: Omit<Route, 'protocol'> | null = null
  readonly #gateway: Omit<Route, 'protocol'>
  readonly #facts: Facts
  #jobs: readonly Job[]
  readonly #results = new Map<Job, CheckResult>()
  readonly #directEvidence = new Map<Job, Evidence>()
  #reached: Reached | null = null
  readonly #load = new LoadMonitor()
  #lostConnections = 0
  /** The end that is no longer reached; the run ends then. */
  #lost: 'upstream lost' | 'gateway lost' | null = null

  constructor(options: RunOptions) {
    this.#options = options
    // Each open connection listens to it.
    setMaxListeners(0, options.signal)
    const { channels, gateway, prefix, route } = options
    const { nonce, field } = channels[0]!.session
    this.#runner = new StepRunner({ channels, timeoutMs: options.timeoutMs, signal: options.signal, nonce, field })
    const upstream = channels[0]!.address
    this.#direct = {
      through: 'direct',
      address: upstream,
      prefix: upstream.prefix,
      authority: upstream.authority,
      trust: { ca: null, insecure: true, name: null },
      extraFields: [],
    }
    this.#gateway = { through: 'gateway', address: gateway, prefix: `${gateway.prefix}${prefix}`, ...route }
    this.#facts = {
      gateway: {
        origin: `${gateway.isTls ? 'https' : 'http'}://${route.authority}`,
        authority: route.authority,
        host: gateway.host,
      },
      upstreamOrigins: channels.map(({ address }) => `http://${address.authority}`),
      reuses: null,
      viaPseudonym: null,
      hasCredentials: options.hasCredentials,
      hasOwnLlmCredential: options.routes.ownLlmCredential,
      asksForCertificates: options.routes.asksForCertificates,
      mcpToken: options.routes.mcpToken,
      routes: new Set([
        ...Object.keys(options.routes.paths),
        ...(options.routes.mcpToken === null ? [] : ['mcp.token']),
      ]),
      tokens: {},
      timeoutMs: options.timeoutMs,
      isSlow: options.isSlow,
      protocol: '1.1',
      clientProtocols: ['1.1'],
    }
    this.#jobs = this.#jobsOf(options.triesHttp2)
  }

  /** Rejects with `ReachError` or `BackChannelError`. */
  async run(): Promise<RunResult> {
    try {
      return await this.#run()
    } finally {
      this.#load.stop()
    }
  }

  async #run(): Promise<RunResult> {
    const upstreamUrl = this.#direct.address.url
    await reach(this.#runner, this.#facts, { ...this.#direct, protocol: '1.1' }, upstreamUrl)
    const reached = await reachInTime(this.#runner, this.#facts, { ...this.#gateway, protocol: '1.1' }, upstreamUrl)
    this.#reached = reached
    if (this.#options.triesHttp2 && (await this.#speaksHttp2(this.#gateway))) this.#facts.clientProtocols.push('2')
    if (this.#facts.clientProtocols.includes('2') || this.#hasOwnGrpcAddress)
      this.#directHttp2 = await this.#findDirectHttp2()
    const chosen = this.#jobs.filter(job => !this.#skipEarly(job, reached))
    const phases: { of(check: Check): boolean; atOnce: number }[] = [
      { of: check => check.when?.first === true, atOnce: this.#options.concurrency },
      { of: check => isOrdinary(check), atOnce: this.#options.concurrency },
      { of: check => check.when?.alone === true && check.when.breaks !== true && check.hostile !== true, atOnce: 1 },
      { of: check => check.when?.breaks === true && check.hostile !== true, atOnce: 1 },
      { of: check => check.hostile === true, atOnce: 1 },
    ]
    const direct = this.#directRuns(chosen)
    const runBoth = async (job: Job): Promise<void> => {
      if (await direct.get(job)) await this.#gatewayRun(job)
    }
    const waiting = Promise.all(chosen.filter(({ check }) => check.when?.waits === true).map(runBoth))
    for (const phase of phases)
      await inParallel(
        chosen.filter(({ check }) => check.when?.waits !== true && phase.of(check)),
        phase.atOnce,
        runBoth,
      )
    await waiting
    if (this.#lost !== null)
      for (const job of this.#jobs)
        if (!this.#results.has(job)) this.#record(job, fault(this.#lost), ['error'], null, 'not run', 0)
    return this.#result(reached, this.#lost === null && !this.#options.signal.aborted)
  }

  /** Number of results that the run will have. */
  get total(): number {
    return this.#jobs.length
  }

  /** Groups, each with its number of results. */
  get groups(): ReadonlyMap<string, number> {
    const groups = new Map<string, number>()
    for (const { check } of this.#jobs) groups.set(check.group, (groups.get(check.group) ?? 0) + 1)
    return groups
  }

  /** What has been found so far, for a run that was interrupted. */
  get soFar(): RunResult | null {
    return this.#reached === null ? null : this.#result(this.#reached, false)
  }

  #result(reached: Reached, isComplete: boolean): RunResult {
    return {
      results: this.#jobs.flatMap(job => this.#results.get(job) ?? []),
      reached,
      isComplete,
      requests: this.#runner.requests,
      clientProtocols: [...this.#facts.clientProtocols],
      facts: this.#facts,
    }
  }

  /** svc speaks HTTP/2 on its gRPC port, and on the others if that is set. */
  async #findDirectHttp2(): Promise<Omit<Route, 'protocol'> | null> {
    const { grpc } = this.#options.channels[0]!.session.ports
    const { address } = this.#direct
    const addresses = [address, ...(grpc === null ? [] : [{ ...address, isTls: false, port: grpc }])]
    for (const candidate of addresses) {
      const route = { ...this.#direct, address: candidate }
      if (await this.#speaksHttp2(route)) return route
    }
    return null
  }

  /** Without HTTP/2 only the checks that need it have a result for it, which says that they were skipped. */
  #jobsOf(triesHttp2: boolean): Job[] {
    return this.#options.checks.flatMap(check => {
      const { protocols = ['1.1'] } = check
      return protocols
        .filter(protocol => protocol !== '2' || triesHttp2 || protocols.length === 1)
        .map(protocol => ({ check, protocol }))
    })
  }

  /** gRPC has an address of its own, where HTTP/2 is spoken. */
  get #hasOwnGrpcAddress(): boolean {
    return (this.#options.routes.paths.grpc?.address ?? null) !== null
  }

  #skipEarly(job: Job, { isTunnel }: Reached): boolean {
    const { check, protocol } = job
    const isGrpc = check.group === 'grpc' && this.#hasOwnGrpcAddress
    const wanted = check.when?.routes
    const reason =
      isTunnel && (TUNNEL_GROUPS.includes(check.group) || TUNNEL_CHECKS.includes(check.id))
        ? 'nothing that reads HTTP was seen'
        : check.hostile === true && !this.#options.isHostile
          ? '--hostile'
          : !this.#facts.clientProtocols.includes(protocol) && !isGrpc
            ? this.#options.triesHttp2
              ? 'the gateway does not speak HTTP/2'
              : '--h2'
            : protocol === '2' && this.#directHttp2 === null
              ? 'the upstream is not reached in HTTP/2: SVC_GRPC_PORT, SVC_GRPC_ON_HTTP'
              : wanted !== undefined && !wanted.some(name => this.#facts.routes.has(name))
                ? `not in --routes: ${wanted.join(', ')}`
                : null
    if (reason !== null) this.#record(job, skip(reason), [], null, 'not run', 0)
    return reason !== null
  }

  /** Starts all direct runs; each resolves with whether it shows no difference. */
  #directRuns(jobs: readonly Job[]): Map<Job, Promise<boolean>> {
    const resolvers = new Map<Job, (isSame: boolean) => void>()
    const found = new Map(jobs.map(job => [job, new Promise<boolean>(resolve => resolvers.set(job, resolve))] as const))
    // Those that only wait first, since they take longest.
    const ordered = jobs.toSorted((a, b) => Number(b.check.when?.waits === true) - Number(a.check.when?.waits === true))
    void inParallel(ordered, DIRECT_CONCURRENCY, async job => {
      resolvers.get(job)!(await this.#directRun(job).catch(() => false))
    })
    return found
  }

  /** A check with a difference runs twice, since the machine may be busy. */
  async #directRun(job: Job): Promise<boolean> {
    const { check, protocol } = job
    const from = performance.now()
    if (this.#options.signal.aborted) return false
    if (check.when?.noDirect === true) return true
    let evidence: Evidence | null = null
    let difference: string | null = null
    for (let attempt = 0, disturbed = 0; attempt < 2 + disturbed; attempt++) {
      const attemptedMs = clock()
      try {
        const route = this.#routeOf(check, protocol === '2' ? this.#directHttp2! : this.#direct)
        evidence = await this.#runner.run(check, await this.#factsOf(check), { ...route, protocol })
        difference = directDifference(evidence, this.#options.channels[0]!.offsetErrorMs)
      } catch (error) {
        difference = (error as Error).message
        this.#noteLoss(error)
      }
      if (difference === null) break
      if (disturbed < MAX_DISTURBED && (await this.#wasDisturbed(attemptedMs))) disturbed++
    }
    if (difference === null && check.when?.comparesDirect === true) this.#directEvidence.set(job, evidence!)
    if (difference !== null)
      this.#record(job, fault(`direct run: ${difference}`), ['error'], evidence, 'differs', performance.now() - from)
    return difference === null
  }

  async #gatewayRun(job: Job): Promise<void> {
    const { check } = job
    const from = performance.now()
    if (this.#lost !== null || this.#options.signal.aborted) return
    if ((check.when?.breaks === true || check.hostile === true) && !(await this.#isHealthy(job))) return
    const verdicts: Verdict[] = []
    let evidence: Evidence | null = null
    let disturbed = 0
    do {
      const attemptedMs = clock()
      const one = await this.#attempt(job)
      const isFinding = REPEATED.includes(one.verdict.verdict)
      if (isFinding && disturbed < MAX_DISTURBED && (await this.#wasDisturbed(attemptedMs))) {
        disturbed++
        continue
      }
      evidence = verdicts.length === 0 || one.verdict.verdict !== 'pass' ? one.evidence : evidence
      verdicts.push(one.verdict)
    } while (
      verdicts.length === 0 ||
      (isRepeated(check, verdicts) &&
        verdicts.length < this.#options.repeat &&
        this.#lost === null &&
        !this.#options.signal.aborted)
    )
    const words = verdicts.map(({ verdict }) => verdict)
    const chosen = agreed(verdicts)
    const isServing = check.hostile !== true || (await this.#serves(10_000))
    const verdict = isServing ? chosen : fail('the gateway stopped serving')
    const direct = check.when?.noDirect === true ? 'not run' : 'same'
    this.#record(job, verdict, words, evidence, direct, performance.now() - from)
  }

  /** Whether this process stalled, or a replica of the upstream joined or ended, since then; waits a moment if so. */
  async #wasDisturbed(sinceMs: number): Promise<boolean> {
    if (this.#lost !== null || this.#options.signal.aborted) return false
    const hasChanged = this.#options.channels.some(channel => channel.hasChangedSince(sinceMs))
    if (!hasChanged && !this.#load.hasStalledSince(sinceMs)) return false
    await pause(DISTURBED_PAUSE_MS)
    return true
  }

  async #factsOf({ when }: Check): Promise<Facts> {
    if (when?.tokens === undefined) return this.#facts
    return { ...this.#facts, tokens: await this.#options.channels[0]!.tokens(when.tokens) }
  }

  /** Also with `before`, a valid token of the key that signed so far. */
  async #factsAfterRotation(check: Check): Promise<Facts> {
    const [channel] = this.#options.channels
    const { valid = '' } = await channel!.tokens(['valid'])
    await channel!.rotateKeys()
    const facts = await this.#factsOf(check)
    return { ...facts, tokens: { ...facts.tokens, before: valid } }
  }

  /** Where the group of a check lives. */
  #routeOf(check: Pick<Check, 'group'>, route: Omit<Route, 'protocol'>): Omit<Route, 'protocol'> {
    const base = DEFAULT_PATHS[check.group] ?? ''
    const model = this.#options.routes.model
    return {
      ...route,
      ...(model === null ? {} : { model }),
      prefix: `${route.prefix}${base}`,
      ...this.#placeOf(check.group, route),
      at: name => this.#placeOf(name, route),
    }
  }

  /** Where `--routes` says that something lives; null without a route, and in the direct run. */
  #placeOf(name: string, route: Omit<Route, 'protocol'>): Pick<Route, 'address' | 'prefix' | 'authority'> | null {
    const { address, authority } = route
    // Paths that came back in answers have all prefixes already.
    if (name === ROOT) return { address, authority, prefix: '' }
    const own = this.#options.routes.paths[name]
    if (own === undefined || route.through === 'direct') return null
    if (own.address === null) return { address, authority, prefix: `${address.prefix}${own.path}` }
    return { address: own.address, authority: own.address.authority, prefix: own.address.prefix }
  }

  async #attempt(job: Job): Promise<{ verdict: Verdict; evidence: Evidence | null }> {
    const { check, protocol } = job
    try {
      const facts = await (check.when?.rotatesKeys === true ? this.#factsAfterRotation(check) : this.#factsOf(check))
      const evidence = await this.#runner.run(check, facts, { ...this.#routeOf(check, this.#gateway), protocol })
      const general = generalVerdict(check, evidence)
      await this.#countLost(general)
      return { verdict: general ?? this.#judge(job, evidence), evidence }
    } catch (error) {
      this.#noteLoss(error)
      return { verdict: fault(this.#lost ?? (error as Error).message), evidence: null }
    }
  }

  #judge(job: Job, evidence: Evidence): Verdict {
    const { check, protocol } = job
    const verdict = check.judge(evidence, { ...this.#facts, protocol }, this.#directEvidence.get(job) ?? null)
    if (protocol === '2') return verdict
    if (check.id === 'CCH-STORE') this.#facts.reuses = verdict.values.reuses === true
    if (check.id === 'HDR-VIA')
      this.#facts.viaPseudonym = (verdict.values.pseudonym as string | null | undefined) ?? null
    return verdict
  }

  /** After three checks in a row without a connection, the gateway is asked whether it is there at all. */
  async #countLost(general: Verdict | null): Promise<void> {
    const isLost = general?.verdict === 'error' && general.summary.startsWith('no connection')
    this.#lostConnections = isLost ? this.#lostConnections + 1 : 0
    if (this.#lostConnections >= 3 && !(await this.#serves(1_000))) this.#lost ??= 'gateway lost'
  }

  #noteLoss(error: unknown): void {
    if (error instanceof BackChannelError && error.isLost) this.#lost ??= 'upstream lost'
  }

  /** Before a check that breaks something: waits for an upstream that the gateway has taken out. */
  async #isHealthy(job: Job): Promise<boolean> {
    const isHostile = job.check.hostile === true
    if (await this.#serves(isHostile ? 10_000 : EJECTED_MS)) return true
    if (this.#lost !== null) return false
    this.#record(job, skip(isHostile ? 'the gateway stopped serving' : 'ejected'), [], null, 'same', 0)
    return false
  }

  async #serves(withinMs: number): Promise<boolean> {
    const until = performance.now() + withinMs
    do {
      if (await this.#isServed({ ...this.#gateway, protocol: '1.1' })) return true
      await new Promise(resolve => setTimeout(resolve, 500))
    } while (performance.now() < until && this.#lost === null && !this.#options.signal.aborted)
    return false
  }

  /** Asked again before half of the catalog is skipped, since the machine may be busy. */
  async #speaksHttp2(route: Omit<Route, 'protocol'>): Promise<boolean> {
    if (await this.#isServed({ ...route, protocol: '2' })) return true
    await pause(DISTURBED_PAUSE_MS)
    return this.#isServed({ ...route, protocol: '2' })
  }

  async #isServed(route: Route): Promise<boolean> {
    try {
      const { first } = await this.#runner.run(HEALTH, this.#facts, route)
      return first.count > 0 && first.status === 200
    } catch (error) {
      if (!(error instanceof BackChannelError)) throw error
      this.#noteLoss(error)
      return false
    }
  }

  #record(
    job: Job,
    verdict: Verdict,
    repeats: VerdictWord[],
    evidence: Evidence | null,
    direct: CheckResult['direct'],
    tookMs: number,
  ): void {
    const { check, protocol } = job
    const hasReason = verdict.verdict === 'skip' || verdict.verdict === 'error'
    const result: CheckResult = {
      check,
      protocol,
      verdict: verdict.verdict,
      summary: hasReason ? '' : verdict.summary,
      reason: hasReason ? verdict.summary : null,
      values: verdict.values,
      repeats,
      direct,
      tookMs: Math.round(tookMs),
      evidence,
    }
    this.#results.set(job, result)
    const { onProgress } = this.#options
    onProgress({ group: check.group, done: this.#results.size, total: this.#jobs.length, result })
  }
}

/** A lag that only some attempts have is one of this machine. */
function isRepeated({ when = {} }: Check, verdicts: readonly Verdict[]): boolean {
  const first = verdicts[0]!.verdict
  if (when.measuresLag === true && first === 'note') return verdicts.at(-1)!.verdict === 'note'
  return REPEATED.includes(first)
}

/** Only a lag is repeated after a note. A pass decides then, since load makes lags longer and never shorter. */
function agreed(verdicts: readonly Verdict[]): Verdict {
  const [first] = verdicts as [Verdict]
  const last = verdicts.at(-1)!
  if (first.verdict === 'note') return last.verdict === 'pass' ? last : first
  return verdicts.every(({ verdict }) => verdict === first.verdict) ? first : { ...first, verdict: 'flaky' }
}

function isOrdinary({ when = {}, hostile }: Check): boolean {
  return when.first !== true && when.alone !== true && when.breaks !== true && hostile !== true
}

async function inParallel<T>(items: readonly T[], atOnce: number, run: (item: T) => Promise<void>): Promise<void> {
  const queue = [...items]
  const work = async (): Promise<void> => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) await run(item)
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, queue.length) }, work))
}
