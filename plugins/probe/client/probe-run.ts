/** A run: reach, direct run, gateway run, repeats. */
import { setMaxListeners } from 'node:events'
import { fault, skip, type Check, type Facts, type Protocol, type Verdict } from '../catalog/check.ts'
import type { Address } from './address.ts'
import { Attempts, isFinding, type Attempt } from './attempts.ts'
import { BackChannelError, type BackChannel } from './back-channel.ts'
import { clock } from './changes.ts'
import { checkResult, notRun, type CheckResult } from './check-result.ts'
import { connectionError, directDifference } from './direct-run.ts'
import type { Evidence } from './evidence.ts'
import { generalVerdict, verdictOfReplicas } from './general-rules.ts'
import { directEnd, routeOf, type End } from './group-routes.ts'
import { Health } from './health.ts'
import {
  GRAPH_GROUP,
  hasModelChecks,
  hasOwnGrpcAddress,
  inParallel,
  jobsOf,
  maxRequests,
  needsPairs,
  needsPlugins,
  phasesOf,
  skipReason,
  type Job,
} from './jobs.ts'
import type { PairPattern } from '../pairs/pair.ts'
import { PairRuns } from './pair-runs.ts'
import { reach, reachedOnly, reachInTime, ReachError, type Reached } from './reach.ts'
import type { Routes } from './routes.ts'
import { joinedRequest } from '../checks/gql/discovery.ts'
import { factsAfterRotation, factsOf, initialFacts, underGatewayName } from './run-facts.ts'
import { StepRunner, type Route } from './step-runner.ts'

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
  /** Pairs of wires that are tested; null: all. */
  pairs?: readonly PairPattern[] | null
  repeat: number
  timeoutMs: number
  concurrency: number
  hasCredentials: boolean
  signal: AbortSignal
  onProgress(progress: { group: string; done: number; total: number; result: CheckResult }): void
}

export interface RunResult {
  results: CheckResult[]
  reached: Reached
  isComplete: boolean
  /** Why the run ended early; null if it did not, or was stopped. */
  lost: 'upstream lost' | 'gateway lost' | null
  requests: number
  clientProtocols: Protocol[]
  /** Whether it reads what models are sent; null if it was not asked for. */
  models?: 'bytes' | 'messages' | null
  facts: Facts
}

/** Direct runs are quick and disturb nobody, so more of them run at once. */
const DIRECT_CONCURRENCY = 16
/** Attempts of a check that do not count, since something else than the gateway disturbed them. */
const MAX_DISTURBED = 3

export class ProbeRun {
  readonly #options: RunOptions
  readonly #runner: StepRunner
  readonly #health: Health
  readonly #direct: End
  /** Where the upstream speaks HTTP/2; null if nowhere that this machine reaches. */
  #directHttp2: End | null = null
  readonly #gateway: End
  readonly #facts: Facts
  #jobs: readonly Job[]
  readonly #pairs: PairRuns
  readonly #results = new Map<Job, CheckResult>()
  readonly #directEvidence = new Map<Job, Evidence>()
  #reached: Reached | null = null
  /** Of the upstream; null: not known. */
  #plugins: ReadonlyMap<string, string> | null = null

  constructor(options: RunOptions) {
    this.#options = options
    // Each open connection listens to it.
    setMaxListeners(0, options.signal)
    const { channels, gateway, prefix, route, timeoutMs, signal } = options
    const { nonce, field } = channels[0]!.session
    this.#runner = new StepRunner({ channels, timeoutMs, signal, nonce, field, wires: options.routes.wires })
    this.#direct = directEnd(channels[0]!.address)
    this.#gateway = { through: 'gateway', address: gateway, prefix: `${gateway.prefix}${prefix}`, ...route }
    this.#facts = initialFacts(options)
    this.#health = new Health({ runner: this.#runner, channels, gateway: this.#gateway, facts: this.#facts, signal })
    this.#pairs = new PairRuns(options, {
      runner: this.#runner,
      facts: this.#facts,
      health: this.#health,
      direct: this.#direct,
      gateway: this.#gateway,
    })
    this.#jobs = jobsOf(options.checks, options.triesHttp2)
  }

  /** Rejects with `ReachError` or `BackChannelError`. */
  async run(): Promise<RunResult> {
    try {
      return await this.#run()
    } finally {
      this.#health.stop()
    }
  }

  async #run(): Promise<RunResult> {
    const upstreamUrl = this.#direct.address.url
    await reach(this.#runner, this.#facts, { ...this.#direct, protocol: '1.1' }, upstreamUrl)
    if (needsPlugins(this.#options.checks)) this.#plugins = await this.#options.channels[0]!.plugins()
    const reached = await this.#reach(upstreamUrl)
    this.#reached = reached
    const { triesHttp2, routes, concurrency } = this.#options
    if (needsPairs(this.#options.checks)) await this.#pairs.recognize()
    this.#jobs = this.#pairs.jobsOf(this.#jobs)
    if (triesHttp2 && !reached.isOfModels && !reached.isOfGraphs && (await this.#health.speaksHttp2(this.#gateway)))
      this.#facts.clientProtocols.push('2')
    if (this.#facts.clientProtocols.includes('2') || hasOwnGrpcAddress(routes))
      this.#directHttp2 = await this.#findDirectHttp2()
    this.#facts.arrivedOrigin = reached.arrivedOrigin
    const chosen = this.#jobs.filter(job => !this.#skipEarly(job, reached))
    await this.#discover(chosen.map(({ check }) => check))
    const ordinary = chosen.filter(({ check }) => check.pair === undefined)
    const direct = this.#directRuns(ordinary)
    const runBoth = async (job: Job): Promise<void> => {
      if (await direct.get(job)) await this.#gatewayRun(job)
    }
    const waiting = Promise.all(chosen.filter(({ check }) => check.when?.waits === true).map(runBoth))
    const pairs = chosen.filter(({ check }) => check.pair !== undefined)
    for (const phase of phasesOf(concurrency)) {
      // In the order of the catalog, pairs come before what breaks more than one model.
      if (phase.isLate) await this.#runPairs(pairs.splice(0))
      await inParallel(
        ordinary.filter(({ check }) => check.when?.waits !== true && phase.of(check)),
        phase.atOnce,
        runBoth,
      )
    }
    await waiting
    const { lost } = this.#health
    if (lost !== null)
      for (const job of this.#jobs) if (!this.#results.has(job)) this.#record(job, notRun(job, fault(lost)))
    return this.#result(reached, !this.#health.isOver)
  }

  /** A gateway of models, or one that joins graphs, need not route `/probe`: one request that arrives is enough. */
  async #reach(upstreamUrl: string): Promise<Reached> {
    try {
      return await reachInTime(this.#runner, this.#facts, { ...this.#gateway, protocol: '1.1' }, upstreamUrl)
    } catch (error) {
      if (!(error instanceof ReachError)) throw error
      const graphs = await this.#reachGraphs()
      if (graphs !== null) return graphs
      if (!hasModelChecks(this.#options.checks)) throw error
      const recognized = await this.#pairs.recognize()
      if (!recognized.hasArrived) throw error
      const [pair] = recognized.pairs
      if (pair !== undefined) this.#health.useModel(pair, this.#options.routes)
      return reachedOnly('models', recognized)
    }
  }

  /** Null if it does not ask the subgraphs. */
  async #reachGraphs(): Promise<Reached | null> {
    await this.#discover(this.#options.checks.filter(({ group }) => group === GRAPH_GROUP))
    const { graph } = this.#facts
    const isReached = graph?.prefix != null || (graph?.isOfGraph === true && this.#facts.graphs.persisted !== null)
    if (graph === null || !isReached) return null
    if (graph.prefix !== null) this.#health.useGraph(joinedRequest(graph.prefix), this.#options.routes)
    return reachedOnly('graphs', { server: null, upstreamVersions: [graph.protocol] })
  }

  /** Pairs at the same time, the checks of one pair in order. Those in which the upstream fails come last, one by one. */
  async #runPairs(jobs: readonly Job[]): Promise<void> {
    const run = async (own: readonly Job[]): Promise<void> => {
      for (const job of own) if (await this.#isDirectSame(job)) await this.#gatewayRun(job)
    }
    const byPair = (breaks: boolean): Job[][] => {
      const own = jobs.filter(({ check }) => (check.when?.breaks === true) === breaks)
      const pairs = new Set(own.map(({ check }) => check.pair))
      return [...pairs].map(pair => own.filter(({ check }) => check.pair === pair))
    }
    await inParallel(byPair(false), this.#options.concurrency, run)
    await inParallel(byPair(true), 1, run)
  }

  /** Whether svc itself passes the check on both wires of the pair. */
  async #isDirectSame(job: Job): Promise<boolean> {
    const difference = await this.#pairs.directDifference(job.check)
    if (difference !== null) this.#record(job, notRun(job, fault(`direct run: ${difference}`), 'differs'))
    const evidence = job.check.when?.comparesDirect === true ? await this.#pairs.directEvidence(job.check) : null
    if (evidence !== null) this.#directEvidence.set(job, evidence)
    return difference === null
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
      lost: this.#health.lost,
      requests: this.#runner.requests,
      clientProtocols: [...this.#facts.clientProtocols],
      models: this.#pairs.models,
      facts: this.#facts,
    }
  }

  /** What checks have to know before they run. What can't be found out stays unknown. */
  async #discover(checks: readonly Check[]): Promise<void> {
    const discoveries = new Map(
      checks.flatMap(check => (check.when?.discovery === undefined ? [] : [[check.when.discovery, check] as const])),
    )
    for (const [{ id, attempts }, check] of discoveries) {
      const route = { ...routeOf(check, this.#gateway, this.#options.routes), protocol: '1.1' as const }
      for (const { plan, learn } of attempts) {
        const learned = await this.#runner.run({ id, plan }, this.#facts, route).then(learn, () => null)
        if (learned === null) continue
        Object.assign(this.#facts, learned)
        break
      }
    }
  }

  /** svc speaks HTTP/2 on its gRPC port, and on the others if that is set. */
  async #findDirectHttp2(): Promise<End | null> {
    const { grpc } = this.#options.channels[0]!.session.ports
    const { address } = this.#direct
    const addresses = [address, ...(grpc === null ? [] : [{ ...address, isTls: false, port: grpc }])]
    for (const candidate of addresses) {
      const end = { ...this.#direct, address: candidate }
      if (await this.#health.speaksHttp2(end)) return end
    }
    return null
  }

  #skipEarly(job: Job, { isTunnel, isOfModels, isOfGraphs }: Reached): boolean {
    const { isHostile, triesHttp2, routes } = this.#options
    const hasDirectHttp2 = this.#directHttp2 !== null
    const reason = skipReason(job, {
      isTunnel,
      isOfModels,
      isOfGraphs,
      isHostile,
      triesHttp2,
      hasDirectHttp2,
      routes,
      facts: this.#facts,
      plugins: this.#plugins,
    })
    const chosen = reason ?? this.#pairs.reasonWithout(job.check)
    if (chosen !== null) this.#record(job, notRun(job, skip(chosen)))
    return chosen !== null
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
        const end = protocol === '2' ? this.#directHttp2! : this.#direct
        const facts = await factsOf(check, this.#facts, this.#options.channels[0]!)
        if (check.when?.judgesDirect === true) {
          difference = await this.#pairs.modelsDifference(check)
        } else if (check.when?.showsOwnAnswers === true) {
          const route = routeOf(check, { ...end, authority: this.#gateway.authority }, this.#options.routes)
          evidence = await this.#runner.run(check, underGatewayName(facts), { ...route, protocol })
          difference = connectionError(evidence)
        } else {
          const route = routeOf(check, end, this.#options.routes)
          evidence = await this.#runner.run(check, facts, { ...route, protocol })
          difference = directDifference(evidence, this.#options.channels[0]!.offsetErrorMs)
        }
      } catch (error) {
        if (error instanceof BackChannelError && error.missing !== null) {
          this.#record(job, notRun(job, skip(`svc's own settings: ${error.missing}`)))
          return false
        }
        difference = (error as Error).message
        this.#health.noteLoss(error)
      }
      if (difference === null) break
      if (disturbed < MAX_DISTURBED && (await this.#health.wasDisturbed(attemptedMs))) disturbed++
    }
    const isJudged = check.when?.comparesDirect === true || check.when?.showsOwnAnswers === true
    if (difference === null && isJudged) this.#directEvidence.set(job, evidence!)
    if (difference !== null) {
      const course = {
        repeats: ['error' as const],
        direct: 'differs' as const,
        evidence,
        otherAttempt: null,
        tookMs: performance.now() - from,
      }
      this.#record(job, checkResult(job, fault(`direct run: ${difference}`), course))
    }
    return difference === null
  }

  async #gatewayRun(job: Job): Promise<void> {
    const { check } = job
    const from = performance.now()
    if (this.#health.isOver) return
    const max = maxRequests(this.#options.checks)
    if (this.#runner.requests >= max)
      return this.#record(job, notRun(job, skip(`beyond the limit of ${max} requests of a run`)))
    const isHostile = check.hostile === true
    const isBreaking = check.when?.breaks === true || isHostile
    const pair = this.#pairs.pairOf(check)
    const own = pair === null ? null : { pair, routes: this.#options.routes }
    const attempts = new Attempts(check)
    let disturbed = 0
    while (attempts.wantsMore(this.#options.repeat) && (attempts.count === 0 || !this.#health.isOver)) {
      // The attempt before may have made the gateway take the upstream out of service.
      const obstacle = isBreaking ? await this.#health.beforeBreaking(isHostile, own) : null
      if (this.#health.isOver && attempts.count === 0) return
      if (obstacle !== null && attempts.count === 0) return this.#record(job, notRun(job, obstacle, 'same'))
      if (obstacle !== null) break
      const attemptedMs = clock()
      const { isOfReplicas, ...attempt } = await this.#attempt(job)
      const isDisturbed = async (): Promise<boolean> =>
        (isFinding(attempt.verdict) && (await this.#health.wasDisturbed(attemptedMs))) || isOfReplicas
      if (disturbed < MAX_DISTURBED && (await isDisturbed())) {
        disturbed++
        continue
      }
      if (!isOfReplicas || attempts.count === 0) attempts.add(attempt)
      if (isOfReplicas) break
    }
    const verdict = (isHostile ? await this.#health.afterHostile() : null) ?? attempts.verdict
    const direct = check.when?.noDirect === true ? 'not run' : 'same'
    const { evidence, otherAttempt, words: repeats } = attempts
    const tookMs = performance.now() - from
    this.#record(job, checkResult(job, verdict, { repeats, direct, evidence, otherAttempt, tookMs }))
  }

  /** `isOfReplicas`: the verdict may come from replicas of the upstream that joined or ended. */
  async #attempt(job: Job): Promise<Attempt & { isOfReplicas: boolean }> {
    const { check, protocol } = job
    const fromMs = clock()
    try {
      const makeFacts = check.when?.rotatesKeys === true ? factsAfterRotation : factsOf
      const facts = await makeFacts(check, this.#facts, this.#options.channels[0]!)
      const route = routeOf(check, this.#gateway, this.#options.routes)
      const evidence = await this.#runner.run(check, facts, { ...route, protocol })
      const general = generalVerdict(check, evidence)
      await this.#health.countUnconnected(general)
      const verdict = general ?? this.#judge(job, evidence)
      const replicas = { gone: this.#health.goneInstances, haveChanged: this.#health.haveReplicasChangedSince(fromMs) }
      const ofReplicas = verdictOfReplicas(verdict, evidence, replicas)
      return { verdict: ofReplicas ?? verdict, evidence, isOfReplicas: ofReplicas !== null }
    } catch (error) {
      this.#health.noteLoss(error)
      const isOfReplicas = error instanceof BackChannelError && error.isOfReplica
      return { verdict: fault(this.#health.lost ?? (error as Error).message), evidence: null, isOfReplicas }
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

  #record(job: Job, result: CheckResult): void {
    this.#results.set(job, result)
    const { onProgress } = this.#options
    onProgress({ group: job.check.group, done: this.#results.size, total: this.#jobs.length, result })
  }
}
