/** A run: reach, direct run, gateway run, repeats. */
import { setMaxListeners } from 'node:events'
import { fault, skip } from '../catalog/check.ts'
import type { Check, Facts, Verdict, VerdictWord } from '../catalog/check.ts'
import type { Address } from './address.ts'
import { BackChannelError } from './back-channel.ts'
import type { BackChannel } from './back-channel.ts'
import { directDifference } from './direct-run.ts'
import type { Evidence } from './evidence.ts'
import { generalVerdict } from './general-rules.ts'
import { reach } from './reach.ts'
import type { Reached } from './reach.ts'
import { StepRunner } from './step-runner.ts'
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
  repeat: number
  timeoutMs: number
  concurrency: number
  hasCredentials: boolean
  signal: AbortSignal
  onProgress(progress: { group: string; done: number; total: number; result: CheckResult }): void
}

export interface CheckResult {
  check: Check
  protocol: '1.1' | '2'
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
}

/** Direct runs are quick and disturb nobody, so more of them run at once. */
const DIRECT_CONCURRENCY = 16
const REPEATED: readonly VerdictWord[] = ['fail', 'warn', 'error']
const TUNNEL_GROUPS: readonly string[] = ['headers', 'targets', 'framing', 'responses', 'caching', 'trust']
const TUNNEL_CHECKS: readonly string[] = ['CON-ERROR', 'CON-LOOP', 'UPG-H2C']
const EJECTED_MS = 35_000
const HEALTH: Pick<Check, 'id' | 'plan'> = {
  id: 'HEALTH',
  plan: () => ({ connections: [{ requests: [{ timeoutMs: 5_000 }] }] }),
}

export class ProbeRun {
  readonly #options: RunOptions
  readonly #runner: StepRunner
  readonly #direct: Route
  readonly #gateway: Route
  readonly #facts: Facts
  readonly #results = new Map<Check, CheckResult>()
  readonly #directEvidence = new Map<Check, Evidence>()
  #reached: Reached | null = null
  #lostConnections = 0
  #isLost = false

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
      timeoutMs: options.timeoutMs,
      isSlow: options.isSlow,
    }
  }

  /** Rejects with `ReachError` or `BackChannelError`. */
  async run(): Promise<RunResult> {
    const { checks } = this.#options
    await reach(this.#runner, this.#facts, this.#direct, this.#direct.address.url)
    const reached = await reach(this.#runner, this.#facts, this.#gateway, this.#direct.address.url)
    this.#reached = reached
    const chosen = checks.filter(check => !this.#skipEarly(check, reached))
    const phases: { of(check: Check): boolean; atOnce: number }[] = [
      { of: check => check.when?.first === true, atOnce: this.#options.concurrency },
      { of: check => isOrdinary(check), atOnce: this.#options.concurrency },
      { of: check => check.when?.alone === true && check.when.breaks !== true && check.hostile !== true, atOnce: 1 },
      { of: check => check.when?.breaks === true && check.hostile !== true, atOnce: 1 },
      { of: check => check.hostile === true, atOnce: 1 },
    ]
    const direct = this.#directRuns(chosen)
    const runBoth = async (check: Check): Promise<void> => {
      if (await direct.get(check)) await this.#gatewayRun(check)
    }
    const waiting = Promise.all(chosen.filter(check => check.when?.waits === true).map(runBoth))
    for (const phase of phases)
      await inParallel(
        chosen.filter(check => check.when?.waits !== true && phase.of(check)),
        phase.atOnce,
        runBoth,
      )
    await waiting
    return {
      results: checks.flatMap(check => this.#results.get(check) ?? []),
      reached,
      isComplete: !this.#isLost && !this.#options.signal.aborted,
      requests: this.#runner.requests,
    }
  }

  /** What has been found so far, for a run that was interrupted. */
  get soFar(): RunResult | null {
    return this.#reached === null
      ? null
      : {
          results: this.#options.checks.flatMap(check => this.#results.get(check) ?? []),
          reached: this.#reached,
          isComplete: false,
          requests: this.#runner.requests,
        }
  }

  #skipEarly(check: Check, { isTunnel }: Reached): boolean {
    const reason =
      isTunnel && (TUNNEL_GROUPS.includes(check.group) || TUNNEL_CHECKS.includes(check.id))
        ? 'nothing that reads HTTP was seen'
        : check.hostile === true && !this.#options.isHostile
          ? '--hostile'
          : null
    if (reason !== null) this.#record(check, skip(reason), [], null, 'not run', 0)
    return reason !== null
  }

  /** Starts all direct runs; each resolves with whether it shows no difference. */
  #directRuns(checks: readonly Check[]): Map<Check, Promise<boolean>> {
    const resolvers = new Map<Check, (isSame: boolean) => void>()
    const found = new Map(
      checks.map(check => [check, new Promise<boolean>(resolve => resolvers.set(check, resolve))] as const),
    )
    // Those that only wait first, since they take longest.
    const ordered = checks.toSorted((a, b) => Number(b.when?.waits === true) - Number(a.when?.waits === true))
    void inParallel(ordered, DIRECT_CONCURRENCY, async check => {
      resolvers.get(check)!(await this.#directRun(check).catch(() => false))
    })
    return found
  }

  /** A check with a difference runs twice, since the machine may be busy. */
  async #directRun(check: Check): Promise<boolean> {
    const from = performance.now()
    if (this.#options.signal.aborted) return false
    let evidence: Evidence | null = null
    let difference: string | null = null
    for (let attempt = 0; attempt < 2; attempt++) {
      try {
        evidence = await this.#runner.run(check, this.#facts, this.#direct)
        difference = directDifference(evidence)
      } catch (error) {
        difference = (error as Error).message
        if (error instanceof BackChannelError && error.isLost) this.#isLost = true
      }
      if (difference === null) break
    }
    if (difference === null && check.when?.comparesDirect === true) this.#directEvidence.set(check, evidence!)
    if (difference !== null)
      this.#record(check, fault(`direct run: ${difference}`), ['error'], evidence, 'differs', performance.now() - from)
    return difference === null
  }

  async #gatewayRun(check: Check): Promise<void> {
    const from = performance.now()
    if (this.#isLost || this.#options.signal.aborted) return
    if ((check.when?.breaks === true || check.hostile === true) && !(await this.#isHealthy(check))) return
    const verdicts: Verdict[] = []
    let evidence: Evidence | null = null
    do {
      const one = await this.#attempt(check)
      evidence = verdicts.length === 0 || one.verdict.verdict !== 'pass' ? one.evidence : evidence
      verdicts.push(one.verdict)
    } while (
      REPEATED.includes(verdicts[0]!.verdict) &&
      verdicts.length < this.#options.repeat &&
      !this.#isLost &&
      !this.#options.signal.aborted
    )
    const words = verdicts.map(({ verdict }) => verdict)
    const isSame = words.every(word => word === words[0])
    const chosen = isSame ? verdicts[0]! : { ...verdicts[0]!, verdict: 'flaky' as const }
    if (check.hostile === true && !(await this.#serves(10_000)))
      this.#record(
        check,
        { verdict: 'fail', summary: 'the gateway stopped serving', values: {} },
        words,
        evidence,
        'same',
        performance.now() - from,
      )
    else this.#record(check, chosen, words, evidence, 'same', performance.now() - from)
  }

  async #attempt(check: Check): Promise<{ verdict: Verdict; evidence: Evidence | null }> {
    try {
      const evidence = await this.#runner.run(check, this.#facts, this.#gateway)
      const general = generalVerdict(check, evidence)
      await this.#countLost(general)
      return { verdict: general ?? this.#judge(check, evidence), evidence }
    } catch (error) {
      if (error instanceof BackChannelError && error.isLost) this.#isLost = true
      return {
        verdict: fault(this.#isLost ? 'upstream lost' : (error as Error).message),
        evidence: null,
      }
    }
  }

  #judge(check: Check, evidence: Evidence): Verdict {
    const verdict = check.judge(evidence, this.#facts, this.#directEvidence.get(check) ?? null)
    if (check.id === 'CCH-STORE') this.#facts.reuses = verdict.values.reuses === true
    if (check.id === 'HDR-VIA')
      this.#facts.viaPseudonym = (verdict.values.pseudonym as string | null | undefined) ?? null
    return verdict
  }

  /** After three checks in a row without a connection, the gateway is asked whether it is there at all. */
  async #countLost(general: Verdict | null): Promise<void> {
    const isLost = general?.verdict === 'error' && general.summary.startsWith('no connection')
    this.#lostConnections = isLost ? this.#lostConnections + 1 : 0
    if (this.#lostConnections >= 3 && !(await this.#serves(1_000))) this.#isLost = true
  }

  /** Before a check that breaks something: waits for an upstream that the gateway has taken out. */
  async #isHealthy(check: Check): Promise<boolean> {
    if (await this.#serves(check.hostile === true ? 10_000 : EJECTED_MS)) return true
    this.#record(check, skip(check.hostile === true ? 'the gateway stopped serving' : 'ejected'), [], null, 'same', 0)
    return false
  }

  async #serves(withinMs: number): Promise<boolean> {
    const until = performance.now() + withinMs
    do {
      const evidence = await this.#runner.run(HEALTH, this.#facts, this.#gateway)
      if (evidence.first.count > 0 && evidence.first.status === 200) return true
      await new Promise(resolve => setTimeout(resolve, 500))
    } while (performance.now() < until && !this.#options.signal.aborted)
    return false
  }

  #record(
    check: Check,
    verdict: Verdict,
    repeats: VerdictWord[],
    evidence: Evidence | null,
    direct: CheckResult['direct'],
    tookMs: number,
  ): void {
    const hasReason = verdict.verdict === 'skip' || verdict.verdict === 'error'
    const result: CheckResult = {
      check,
      protocol: '1.1',
      verdict: verdict.verdict,
      summary: hasReason ? '' : verdict.summary,
      reason: hasReason ? verdict.summary : null,
      values: verdict.values,
      repeats,
      direct,
      tookMs: Math.round(tookMs),
      evidence,
    }
    this.#results.set(check, result)
    const { checks, onProgress } = this.#options
    onProgress({ group: check.group, done: this.#results.size, total: checks.length, result })
  }
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
