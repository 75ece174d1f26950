/** What a run knows of pairs of wires: which there are, their checks, and whether svc itself passes these. */
import type { Check, Facts, PairContext } from '../catalog/check.ts'
import { pairsOfClients } from '../pairs/clients.ts'
import { nameOfPair, type PairPattern } from '../pairs/pair.ts'
import { recognize, type Recognized, type RecognizedPair } from '../pairs/recognition.ts'
import type { Wire } from '../wires/types.ts'
import { connectionError } from './direct-run.ts'
import type { Evidence } from './evidence.ts'
import { routeOf, type End } from './group-routes.ts'
import type { Health } from './health.ts'
import type { Job } from './jobs.ts'
import type { Routes } from './routes.ts'
import type { StepRunner } from './step-runner.ts'

/** Of requests to svc itself; a name that belongs to no vendor. */
const DIRECT_MODEL = 'svc-probe'
/** A check with a difference runs twice, since the machine may be busy. */
const DIRECT_ATTEMPTS = 2

interface PairOptions {
  checks: readonly Check[]
  /** Pairs that are tested; null: all. */
  pairs?: readonly PairPattern[] | null
  routes: Routes
}

interface RunParts {
  runner: StepRunner
  facts: Facts
  health: Health
  direct: End
  gateway: End
}

/** What svc itself shows. */
interface DirectResult {
  /** Why it does not pass; null: it does. */
  difference: string | null
  evidence: Evidence | null
}

export class PairRuns {
  readonly #options: PairOptions
  readonly #parts: RunParts
  #recognized: Recognized | null = null
  /** By check and wire. */
  readonly #directOfWires = new Map<string, Promise<DirectResult>>()

  constructor(options: PairOptions, parts: RunParts) {
    this.#options = options
    this.#parts = parts
  }

  /** Asks the gateway for its pairs, once. */
  async recognize(): Promise<Recognized> {
    if (this.#recognized !== null) return this.#recognized
    const { routes, pairs = null } = this.#options
    const { runner, facts, gateway } = this.#parts
    const found = await recognize({
      runner,
      facts,
      route: { ...routeOf({ group: 'translate' }, gateway, routes), protocol: '1.1' },
      routes: routes.llm,
      wires: routes.wires,
      patterns: pairs,
    })
    facts.pairs = found.found
    this.#recognized = found
    return found
  }

  /** Whether the gateway reads what models are sent; null if it was not asked for, or has no model. */
  get models(): 'bytes' | 'messages' | null {
    if (this.#recognized === null || this.#recognized.found.length === 0) return null
    return this.#recognized.isForwarding ? 'bytes' : 'messages'
  }

  /**
   * Checks for pairs become one for each pair, and those for models one with all client wires; without pairs they remain, to
   * say that they were skipped.
   */
  jobsOf(jobs: readonly Job[]): Job[] {
    const recognized = this.#recognized
    if (recognized === null) return [...jobs]
    return jobs.flatMap(job => {
      const { forPair, forModels } = job.check
      const hasPairs = forPair !== undefined || forModels !== undefined
      if (!hasPairs || this.reasonWithout(job.check) !== null) return [job]
      if (forPair !== undefined)
        return recognized.pairs.map(pair => ({ ...job, check: forPair(this.#contextOf(pair)) }))
      const check = forModels!(this.#clients(recognized.pairs), this.#options.routes.llm.tenants)
      return [{ ...job, check }]
    })
  }

  #clients(pairs: readonly RecognizedPair[]): PairContext[] {
    return pairsOfClients(pairs).map(pair => this.#contextOf(pair))
  }

  /** Why no pair is tested with a check; null if one is, and for checks that need none. */
  reasonWithout({ group, forPair, forModels }: Check): string | null {
    if (forPair === undefined && forModels === undefined) return null
    if (this.#recognized === null) return 'no pair of wires'
    const { pairs, found, isForwarding } = this.#recognized
    if (isForwarding && group === 'translate') return 'forwards, does not interpret'
    if (pairs.length > 0) return null
    if (found.some(({ state }) => state === 'not asked')) return 'no such pair'
    const reason = found.find(({ state }) => state === 'not routed')?.reason
    return `not routed: ${reason ?? 'the gateway names no model'}`
  }

  /** The pair that a check is for; null: it is for none, or for several. */
  pairOf({ pair: name }: Check): RecognizedPair | null {
    return this.#recognized?.pairs.find(pair => nameOfPair(pair) === name) ?? null
  }

  /** The first difference that svc itself shows on a wire of the check's pair, each tried once; null if there is none. */
  async directDifference(check: Check): Promise<string | null> {
    for (const wire of new Set(this.#wiresOf(check))) {
      const { difference } = await this.#directOfWire(check, wire)
      if (difference !== null) return `${wire.id}: ${difference}`
    }
    return null
  }

  /** What svc itself gets from the client of the check's pair. */
  async directEvidence(check: Check): Promise<Evidence | null> {
    const [client] = this.#wiresOf(check)
    return (await this.#directOfWire(check, client!)).evidence
  }

  #wiresOf({ pair }: Check): Wire[] {
    return pair!.split(':').map(id => this.#options.routes.wires.find(wire => wire.id === id)!)
  }

  /** The first difference that svc itself shows on the client wires of a check for models. */
  async modelsDifference(check: Check): Promise<string | null> {
    const base = this.#options.checks.find(({ id }) => id === check.id)!
    const wires = new Set(this.#recognized!.pairs.map(({ client }) => client))
    const pairs = [...wires].map(wire => ({ client: wire, upstream: wire, model: DIRECT_MODEL, fields: [] }))
    const own = base.forModels!(this.#clients(pairs), this.#options.routes.llm.tenants)
    return (await this.#directVerdict(own)).difference
  }

  #directOfWire({ id }: Check, wire: Wire): Promise<DirectResult> {
    const base = this.#options.checks.find(check => check.id === id)!
    const key = `${id} ${wire.id}`
    const context = this.#contextOf({ client: wire, upstream: wire, model: DIRECT_MODEL, fields: [] })
    const known = this.#directOfWires.get(key) ?? this.#directVerdict(base.forPair!(context))
    this.#directOfWires.set(key, known)
    return known
  }

  async #directVerdict(check: Check): Promise<DirectResult> {
    const { runner, facts, health, direct } = this.#parts
    const isCompared = check.when?.comparesDirect === true
    let difference: string | null = null
    let compared: Evidence | null = null
    for (let attempt = 0; attempt < DIRECT_ATTEMPTS; attempt++) {
      try {
        const route = routeOf(check, direct, this.#options.routes)
        const evidence = await runner.run(check, facts, { ...route, protocol: '1.1' })
        const { verdict, summary } = check.judge(evidence, facts, isCompared ? evidence : null)
        // It stays until the end of the run, so only where it is used.
        compared = isCompared ? evidence : null
        const isClean = verdict === 'pass' || verdict === 'note' || verdict === 'skip'
        difference = connectionError(evidence) ?? (isClean ? null : `${verdict}: ${summary}`)
      } catch (error) {
        difference = (error as Error).message
        health.noteLoss(error)
      }
      if (difference === null) break
    }
    return { difference, evidence: compared }
  }

  #contextOf({ fields, ...pair }: RecognizedPair): PairContext {
    const { wires, llm } = this.#options.routes
    const { marks, embeddings } = llm
    return { pair, fields, wires, marks, embeddings }
  }
}
