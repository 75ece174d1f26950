/** A run in the server process: its state, its events and its report. */
import { randomUUID, createHash } from 'node:crypto'
import { createNonce } from '../upstream/sessions.ts'
import { resolveAddress, type Address } from '../client/address.ts'
import { instancesOf, type BackChannel } from '../client/back-channel.ts'
import type { CheckResult } from '../client/check-result.ts'
import { ProbeRun, type RunResult } from '../client/probe-run.ts'
import { resolvedRoutes, secretsOfRoutes } from '../client/routes.ts'
import { shownPatterns } from '../pairs/pair.ts'
import { createReport, groupSummary, reportedResult, type Report, type ReportInput } from '../report/report.ts'
import { masked, maskedConfiguration } from '../report/masking.ts'
import type { RunRequest } from './run-request.ts'

const SESSION_S = 15 * 60
const NO_BASELINE = { baseline: null, notes: new Map<string, string>() }

export type RunState = 'running' | 'complete' | 'stopped' | 'failed'

export interface RunEvent {
  id: number
  event: 'begin' | 'check' | 'group' | 'end'
  data: unknown
}

export interface RunFacts {
  svc: Report['svc']
  instance: string
  timeoutMs: number
  concurrency: number
}

export class ServerRun {
  readonly id = createNonce()
  readonly startedAt = new Date()
  readonly request: RunRequest
  state: RunState = 'running'
  /** Why the run failed. */
  error: string | null = null
  done = 0
  /** Number of results that the run will have; 0 before it begins. */
  total = 0
  readonly events: RunEvent[] = []
  readonly #channel: BackChannel
  readonly #facts: RunFacts
  readonly #stopping = new AbortController()
  readonly #listeners = new Set<() => void>()
  readonly #from = performance.now()
  readonly #runId = randomUUID()
  #run: ProbeRun | null = null
  #result: RunResult | null = null
  /** Of a run that has ended. */
  #report: Report | null = null
  #size = 0

  constructor(request: RunRequest, channel: BackChannel, facts: RunFacts) {
    this.request = request
    this.#channel = channel
    this.#facts = facts
  }

  get isOver(): boolean {
    return this.state !== 'running'
  }

  /** Resolves when the run has ended. */
  async start(): Promise<void> {
    try {
      await this.#probe()
      const { isComplete = false, lost = null } = this.#result ?? {}
      this.state = isComplete ? 'complete' : lost === null ? 'stopped' : 'failed'
      this.error = lost
    } catch (error) {
      this.state = this.#stopping.signal.aborted ? 'stopped' : 'failed'
      if (this.state === 'failed') this.error = masked((error as Error).message, this.#secrets)
      this.#result = this.#run?.soFar ?? null
    } finally {
      await this.#channel.close()
    }
    this.#report = this.report()
    this.#size = JSON.stringify(this.#report).length
    this.#run = null
    this.#result = null
    this.#emit('end', { summary: this.#report.summary, state: this.state, error: this.error })
  }

  stop(): void {
    this.#stopping.abort()
  }

  /** What has been found so far. */
  report(): Report {
    return this.#report ?? masked(createReport(this.#input()), this.#secrets)
  }

  /** Characters of the report as JSON; 0 while the run goes on. */
  get size(): number {
    return this.#size
  }

  /** Removes what was sent and received from the report. */
  dropEvidence(): void {
    if (this.#report === null) return
    this.#report = {
      ...this.#report,
      results: this.#report.results.map(({ other_attempt: other, ...result }) => ({
        ...result,
        exchanges: [],
        ...(other === undefined ? {} : { other_attempt: { ...other, exchanges: [] } }),
      })),
      truncated: true,
    }
    this.#size = JSON.stringify(this.#report).length
  }

  /** Calls the listener on each event. Returns a function that removes it. */
  follow(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  get #secrets(): string[] {
    const { fields, routes } = this.request
    return [...fields.map(([, value]) => value), ...secretsOfRoutes(routes)]
  }

  async #probe(): Promise<void> {
    const { request } = this
    await this.#channel.open(SESSION_S)
    const gateway = await this.#resolved(request.target)
    const run = new ProbeRun({
      checks: request.checks,
      gateway,
      prefix: request.prefix,
      channels: [this.#channel],
      route: {
        trust: { ca: null, insecure: request.isInsecure, name: request.host?.replace(/:\d+$/, '') ?? null },
        extraFields: request.fields,
        authority: request.host ?? gateway.authority,
      },
      isHostile: request.isHostile,
      isSlow: request.isSlow,
      routes: await resolvedRoutes(request.routes, address => this.#resolved(address)),
      triesHttp2: request.isHttp2 || gateway.isTls,
      pairs: request.pairs,
      repeat: request.repeat,
      timeoutMs: this.#facts.timeoutMs,
      concurrency: this.#facts.concurrency,
      hasCredentials: request.fields.some(([name]) => name.toLowerCase() === 'authorization'),
      signal: this.#stopping.signal,
      onProgress: ({ done, total, result }) => {
        // Pairs of wires are known once the run has begun.
        this.total = total
        this.#onProgress(done, result)
      },
    })
    this.#run = run
    this.total = run.total
    this.#emit('begin', { total: run.total, groups: Object.fromEntries(run.groups) })
    this.#result = await run.run()
  }

  async #resolved(address: Address): Promise<Address> {
    try {
      return await resolveAddress(address)
    } catch (error) {
      throw new Error(`cannot reach the gateway: ${(error as NodeJS.ErrnoException).code ?? 'unknown name'}`)
    }
  }

  readonly #found: CheckResult[] = []

  #onProgress(done: number, result: CheckResult): void {
    this.done = done
    this.#found.push({ ...result, evidence: null })
    const { exchanges: _, ...shown } = reportedResult(result, NO_BASELINE)
    this.#emit('check', masked(shown, this.#secrets))
    const { group } = result.check
    const own = this.#found.filter(({ check }) => check.group === group)
    if (own.length !== this.#run!.groups.get(group)) return
    this.#emit(
      'group',
      groupSummary(
        group,
        own.map(({ check: { level }, verdict }) => ({ group, level, verdict })),
      ),
    )
  }

  #emit(event: RunEvent['event'], data: unknown): void {
    this.events.push({ id: this.events.length + 1, event, data })
    for (const listener of this.#listeners) listener()
  }

  #input(): ReportInput {
    const { request } = this
    const { target, configuration } = request
    const found = this.#result ?? this.#run?.soFar ?? null
    return {
      run: found ?? { results: [], reached: null, isComplete: false, lost: null, requests: 0, clientProtocols: [] },
      facts: {
        id: this.#runId,
        startedAt: this.startedAt,
        tookMs: performance.now() - this.#from,
        arguments: argumentsOf(request),
        svc: this.#facts.svc,
        upstream: { mode: 'url', base_url: this.#channel.address.url, ...instancesOf([this.#channel]) },
      },
      gateway: {
        url: target.url,
        prefix: request.prefix,
        name: request.name,
        configuration:
          configuration === null
            ? []
            : [
                {
                  file: 'configuration',
                  sha256: createHash('sha256').update(configuration).digest('hex'),
                  text: maskedConfiguration(configuration),
                  truncated: false,
                },
              ],
      },
      options: {
        groups: request.groups,
        checks: request.ids,
        pairs: shownPatterns(request.pairs),
        hostile: request.isHostile,
        h2: request.isHttp2,
        slow: request.isSlow,
        repeat: request.repeat,
        timeout_s: this.#facts.timeoutMs / 1000,
        concurrency: this.#facts.concurrency,
        fail_on: ['fail'],
      },
      failOn: ['fail'],
      isVerbose: false,
      ...NO_BASELINE,
    }
  }
}

/** As `svc probe` would be called; values of fields are left out. */
function argumentsOf(request: RunRequest): string[] {
  return [
    request.target.url,
    ...(request.prefix === '' ? [] : ['--prefix', request.prefix]),
    ...(request.groups === null ? [] : ['--groups', request.groups.join(',')]),
    ...(request.ids === null ? [] : ['--checks', request.ids.join(',')]),
    ...(request.pairs === null ? [] : ['--pairs', shownPatterns(request.pairs)!.join(',')]),
    ...(request.isHostile ? ['--hostile'] : []),
    ...(request.isSlow ? ['--slow'] : []),
    ...(request.isHttp2 ? ['--h2'] : []),
    ...(request.host === null ? [] : ['--host', request.host]),
    ...request.fields.flatMap(([name]) => ['--header', `${name}: ***`]),
  ]
}
