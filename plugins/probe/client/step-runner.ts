/** Runs the plan of a check once, through the gateway or straight to the upstream. */
import { sleep } from 'svc/toolkit'
import type { Check, Facts, Plan, Protocol } from '../catalog/check.ts'
import type { ArrivalRecord } from '../upstream/arrival-record.ts'
import type { StepScript } from '../upstream/script.ts'
import type { Address } from './address.ts'
import type { BackChannel } from './back-channel.ts'
import type { TlsTrust } from './connection.ts'
import { clock } from './changes.ts'
import { ArrivalView, Call, Evidence } from './evidence.ts'
import {
  MAX_MEANWHILE,
  runExchange,
  type ConnectionSpec,
  type ExchangeOptions,
  type ExchangeRecord,
} from './exchange.ts'
import { runHttp2Exchange } from './http2-exchange.ts'
import { encodeHttp2Request } from './http2-request.ts'
import { encodeRequest, type Encoding, type RequestSpec } from './request.ts'
import { reportsAbout } from './reports.ts'
import type { Field } from './response-parser.ts'
import { duringScene } from './service-scene.ts'
import type { Wire } from '../wires/types.ts'
import { wireOf } from '../wires/wires.ts'

/** A gateway may take an upstream out of service for this long after an error. */
export const EJECTED_MS = 35_000
const SENT_AGAIN_MS = 1_000
/** How long late arrivals are waited for, once the client half is done. */
const LATE_MS = 500
/** Connections that follow from what came back. */
const MAX_FOLLOWED = 8
const ARRIVAL_CHECKS_MS = [0, 20, 60, 150, 300]
const ENDED_CHECK_MS = 250

/** The route of connections whose paths are complete. */
export const ROOT = 'root'

export interface Route {
  through: 'direct' | 'gateway'
  address: Address
  /** In front of `/probe`, the path of the address included. */
  prefix: string
  authority: string
  trust: TlsTrust
  extraFields: readonly Field[]
  protocol: Protocol
  /** For the routes of models. */
  model?: string
  /** Where a connection with a route of its own goes; null: where all others go. */
  at?(name: string): Pick<Route, 'address' | 'prefix' | 'authority'> | null
}

export interface StepRunnerOptions {
  channels: readonly BackChannel[]
  timeoutMs: number
  signal: AbortSignal
  /** Nonces that all sessions know; those of the first. */
  nonce: string
  field: string
  /** Formats of requests to models. */
  wires: readonly Wire[]
}

export class StepRunner {
  readonly #options: StepRunnerOptions
  #steps = 0
  requests = 0

  constructor(options: StepRunnerOptions) {
    this.#options = options
  }

  async run(check: Pick<Check, 'id' | 'plan' | 'when'>, common: Facts, route: Route): Promise<Evidence> {
    const { channels, nonce, field } = this.#options
    const facts = { ...common, protocol: route.protocol }
    const plan = check.plan(facts)
    const encoding: Encoding = {
      authority: route.authority,
      prefix: route.prefix,
      nonce,
      field,
      extraFields: route.extraFields,
      check: check.id,
      model: route.model ?? 'gpt-4o-mini',
    }
    const numbers = new Map<RequestSpec, number>()
    const labels = new Map<string, number>()
    const numberOf = (spec: RequestSpec): number => {
      const known = numbers.get(spec) ?? (spec.sameAs === undefined ? undefined : labels.get(spec.sameAs))
      const number = known ?? ++this.#steps
      numbers.set(spec, number)
      if (spec.label !== undefined) labels.set(spec.label, number)
      return number
    }
    const meanwhile: Promise<ExchangeRecord>[] = []
    const prepare = (spec: ConnectionSpec): (() => Promise<ExchangeRecord>) => {
      const own = spec.route === undefined ? null : (route.at?.(spec.route) ?? null)
      const { prefix, authority } = own ?? route
      let opened = 0
      const onReceived = (received: Buffer): void => {
        for (; opened < MAX_MEANWHILE; opened++) {
          const next = spec.meanwhile!(received, opened)
          if (next === null) return
          const exchange = prepare(next)
          meanwhile.push(addScripts().then(exchange))
        }
      }
      return this.#prepare(spec, { ...encoding, prefix, authority }, numberOf, {
        ...route,
        ...own,
        ...(spec.meanwhile === undefined ? {} : { onReceived }),
      })
    }
    /** Also those that were opened while others were open. */
    const ended = async (own: readonly ExchangeRecord[]): Promise<ExchangeRecord[]> => [
      ...own,
      ...(await Promise.all(meanwhile.splice(0))),
    ]
    const scripts = new Map<number, StepScript>()
    const addScripts = async (isWanted = (_spec: RequestSpec): boolean => true): Promise<void> => {
      const added = [...numbers].filter(
        ([spec, step]) => spec.script !== undefined && !scripts.has(step) && isWanted(spec),
      )
      for (const [spec, step] of added) scripts.set(step, this.#scriptOf(spec, step))
      const own = added.map(([, step]) => scripts.get(step)!)
      await Promise.all(channels.map(channel => channel.addScripts(own)))
    }
    // The script to which requests to subgraphs belong comes when the connection is opened.
    const exchanges = plan.connections.map(spec => {
      const run = prepare(spec)
      const [opening] = spec.requests.filter(({ subgraphs }) => subgraphs !== undefined)
      return opening === undefined ? run : () => addScripts(one => one === opening).then(run)
    })
    await addScripts(({ subgraphs }) => subgraphs === undefined)
    const patient = plan.waitsForService === true && route.through === 'gateway' ? this.#patient(exchanges) : exchanges
    const records = await ended(await inTurn(patient, plan))
    for (let round = 0; round < (plan.maxFollowed ?? MAX_FOLLOWED); round++) {
      const next = plan.follow?.(records) ?? null
      if (next === null) break
      const exchange = prepare(next)
      await addScripts()
      records.push(...(await ended([await exchange()])))
    }
    this.requests += records.flatMap(({ calls }) => calls).length
    const evidence = await this.#collect(records, numbers, [...scripts.values()], route, check.when?.counts === true)
    if (plan.readsReports === true) evidence.reports = await reportsAbout(evidence.calls, { channels, nonce })
    return evidence
  }

  #scriptOf(spec: RequestSpec, step: number): StepScript {
    const { channels, field } = this.#options
    const facts = { upstreamOrigin: `http://${channels[0]!.address.authority}`, marker: `${field}-${step}` }
    return {
      step,
      script: spec.script!(step, facts),
      ...(spec.next === undefined ? {} : { next: spec.next(step, facts) }),
      ...(spec.http11 === true ? { http11: true } : {}),
      ...(spec.http2 === true ? { http2: true } : {}),
      ...(spec.content === undefined ? {} : { content: true }),
      ...(spec.ofModels === true ? { models: true } : {}),
      ...(spec.subgraphs === undefined ? {} : { subgraphs: spec.subgraphs }),
    }
  }

  /** Encodes the requests of a connection, since scripts have to be known before anything is sent. */
  #prepare(
    spec: ConnectionSpec,
    encoding: Encoding,
    numberOf: (spec: RequestSpec) => number,
    { address, trust, protocol, onReceived }: Route & Pick<ExchangeOptions, 'onReceived'>,
  ): () => Promise<ExchangeRecord> {
    const { timeoutMs, signal, channels, nonce } = this.#options
    const options = { address, trust, timeoutMs, signal }
    if (protocol === '2') {
      const requests = spec.requests.map(request => encodeHttp2Request(request, encoding, numberOf, address.isTls))
      return () => runHttp2Exchange(spec, requests, options)
    }
    const requests = spec.requests.map(request => encodeRequest(request, encoding, numberOf))
    const observed = onReceived === undefined ? options : { ...options, onReceived }
    const run = (): Promise<ExchangeRecord> => runExchange(spec, requests, observed)
    const { service } = spec
    if (service === undefined) return run
    const about = { nonce, field: encoding.field, check: encoding.check, step: requests[0]!.step }
    return () => duringScene(service, about, channels, run)
  }

  /** Sends a request again while the gateway answers it with an error without asking the upstream. */
  #patient(exchanges: readonly (() => Promise<ExchangeRecord>)[]): (() => Promise<ExchangeRecord>)[] {
    let isWorthIt = true
    return exchanges.map(run => async () => {
      const until = clock() + EJECTED_MS
      let record = await run()
      let sentAgain = 0
      while (isWorthIt && (await this.#isRefused(record)) && !this.#options.signal.aborted) {
        // A gateway that does not forward it in all this time does so for another reason.
        if (clock() > until) isWorthIt = false
        else {
          await sleep(SENT_AGAIN_MS)
          record = await run()
          sentAgain += 1
        }
      }
      this.requests += sentAgain
      return { ...record, sentAgain }
    })
  }

  async #isRefused({ calls }: ExchangeRecord): Promise<boolean> {
    const call = calls.at(-1)
    if (call === undefined || (call.response?.status ?? 0) < 400) return false
    return (await this.#arrivals([call.step])).length === 0
  }

  async #arrivals(steps: readonly number[]): Promise<ArrivalRecord[]> {
    if (steps.length === 0) return []
    return unique((await Promise.all(this.#options.channels.map(channel => channel.arrivals(steps)))).flat())
  }

  async #collect(
    records: readonly ExchangeRecord[],
    numbers: ReadonlyMap<RequestSpec, number>,
    scripts: readonly StepScript[],
    route: Route,
    counts: boolean,
  ): Promise<Evidence> {
    const calls = records.flatMap(({ calls }) => calls)
    const called = new Set(calls.map(({ step }) => step))
    const steps = [...new Set([...numbers.values(), ...called])]
    const isThere = (arrivals: readonly ArrivalRecord[]): boolean =>
      [...called].every(step => arrivals.some(arrival => arrival.step === String(step) && arrival.answered.done))
    let arrivals: ArrivalRecord[] = []
    if (counts && route.through === 'gateway') await sleep(LATE_MS)
    const untilEndedMs = Math.max(0, ...records.map(({ untilEndedMs: ms }) => ms))
    const until = clock() + untilEndedMs
    for (const waitMs of ARRIVAL_CHECKS_MS) {
      await sleep(waitMs)
      arrivals = await this.#arrivals(steps)
      if (isThere(arrivals)) break
    }
    // Of clients that have left, how the gateway ends what it sent.
    while (clock() < until && arrivals.some(({ ended }) => ended === null)) {
      await sleep(ENDED_CHECK_MS)
      arrivals = await this.#arrivals(steps)
    }
    const viewsOf = (step: number): ArrivalView[] =>
      arrivals
        .filter(arrival => arrival.step === String(step))
        .toSorted((a, b) => a.head_at_ms - b.head_at_ms)
        .map(record => new ArrivalView(record, this.#options.nonce))
    const isOwn = ({ ofModels }: RequestSpec, { method, target }: ArrivalView): boolean =>
      ofModels !== true || wireOf(this.#options.wires, method, target) !== null
    const exchanges = records.map(record => ({
      record,
      calls: record.calls.map(
        call =>
          new Call(
            call,
            record,
            viewsOf(call.step).filter(view => isOwn(call.spec, view)),
          ),
      ),
    }))
    const embedded = [...numbers]
      .filter(([, step]) => !called.has(step))
      .map(([spec, step]) => ({ label: spec.label ?? '', step, arrivals: viewsOf(step) }))
    return new Evidence(route.through, exchanges, embedded, new Map(scripts.map(script => [script.step, script])))
  }
}

/** Replicas that share a store know the arrivals of each other, so two upstreams may report the same one. */
function unique(arrivals: readonly ArrivalRecord[]): ArrivalRecord[] {
  return [...new Map(arrivals.map(one => [`${one.number} ${one.instance}`, one])).values()]
}

async function inTurn(
  work: readonly (() => Promise<ExchangeRecord>)[],
  { inOrder, isEnough }: Plan,
): Promise<ExchangeRecord[]> {
  if (inOrder !== true) return Promise.all(work.map(run => run()))
  const records: ExchangeRecord[] = []
  for (const run of work) {
    const record = await run()
    records.push(record)
    if (isEnough?.(record) === true) break
  }
  return records
}
