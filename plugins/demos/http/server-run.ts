/** A run in the server process: its state, its events and its report. */
import { sleep } from 'svc/toolkit'
import type { ClientAddress, ProbeClient, ProbeConversations } from '../../probe/types.ts'
import type { ProxyTaps } from '../../proxy/types.ts'
import type { RunBounds } from '../file/bounds.ts'
import type { Step } from '../file/demo.ts'
import { controlOf, createReport, type ControlResult, type DemoReport } from '../report/report.ts'
import { directTarget, markFields, targetOf, type RunContext, type Target } from '../run/context.ts'
import { ControlClient } from '../run/control.ts'
import { createRunId, DemoRun, type DemoResult, type RunEvents, type RunInput } from '../run/demo-run.ts'
import { exchangesOf, type SeenExchange } from './exchanges.ts'
import type { RunRequest } from './run-request.ts'
import { StepTally } from './step-tally.ts'

/** A run that waits for the person is stopped after this time. */
const MAX_WAIT_MS = 15 * 60_000
/** Events of requests and arrivals; the numbers of the steps are complete nevertheless. */
const MAX_TRAFFIC_EVENTS = 2500

export type RunState = 'running' | 'waiting' | 'complete' | 'stopped' | 'failed'
const MAX_URI = 500
export const EVENT_NAMES = ['step', 'sent', 'arrival', 'response', 'result', 'verdict', 'end'] as const

export interface RunEvent {
  id: number
  event: (typeof EVENT_NAMES)[number]
  data: unknown
}

export interface RunFacts {
  client: ProbeClient
  agentsFolder: string
  grpcDefinitions: RunContext['grpcDefinitions']
  /** This server. */
  own: ClientAddress
  /** With which the caller may change the instance; null: it needs none. */
  credential: string | null
  /** Key of the session of the caller. */
  caller: string
  bounds: RunBounds
  version: string
  /** Null: the plugin proxy is off. */
  taps: ProxyTaps | null
  conversations: ProbeConversations
}

export class ServerRun {
  readonly id = createRunId()
  readonly startedAt = new Date()
  readonly request: RunRequest
  readonly caller: string
  state: RunState = 'running'
  /** Why the run failed, or was stopped. */
  error: string | null = null
  /** Number of the step that runs or is waited for; null before the first. */
  step: number | null = null
  readonly events: RunEvent[] = []
  readonly #facts: RunFacts
  readonly #stopping = new AbortController()
  readonly #listeners = new Set<() => void>()
  readonly #from = performance.now()
  readonly #secrets: string[]
  #run: DemoRun | null = null
  #result: DemoResult | null = null
  #control: ControlResult | null = null
  /** Lets a waiting run go on. */
  #resume: (() => void) | null = null
  #limit: NodeJS.Timeout | undefined
  #leftMs: number
  #limitedAtMs = 0
  #tally: StepTally | null = null
  #trafficEvents = 0
  #tookMs: number | null = null
  #tap: { close(): void } | null = null

  constructor(request: RunRequest, facts: RunFacts) {
    this.request = request
    this.caller = facts.caller
    this.#facts = facts
    this.#leftMs = facts.bounds.runMs
    this.#secrets = [
      ...request.fields.map(([, value]) => value),
      ...(facts.credential === null ? [] : [facts.credential]),
    ]
  }

  get isOver(): boolean {
    return this.state !== 'running' && this.state !== 'waiting'
  }

  /** Lanes that the run holds: they are sessions of svc, which one run uses at a time. */
  get lanes(): readonly string[] {
    return this.isOver ? [] : this.request.demo.lanes
  }

  /** Resolves when the run has ended. */
  async start(): Promise<void> {
    this.#startLimit()
    try {
      await this.#perform()
      if (this.#stopping.signal.aborted) this.state = 'stopped'
      else this.state = 'complete'
    } catch (error) {
      this.state = this.#stopping.signal.aborted ? 'stopped' : 'failed'
      if (this.state === 'failed') this.error = this.#masked((error as Error).message)
    }
    this.#tally?.end()
    this.#tap?.close()
    this.#stopLimit()
    this.#tookMs = performance.now() - this.#from
    this.#run = null
    this.#emit('end', { state: this.state, error: this.error, ...this.#summary() })
  }

  /** False: the run does not wait. */
  next(): boolean {
    const resume = this.#resume
    this.#resume = null
    resume?.()
    return resume !== null
  }

  stop(reason: string | null = null): void {
    if (this.isOver || this.#stopping.signal.aborted) return
    this.error = reason
    this.#stopping.abort()
    this.next()
  }

  /** Calls the listener on each event. Returns a function that removes it. */
  follow(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** What has been seen so far. */
  report(): DemoReport {
    const { target, prefix } = this.request
    return this.#masked(
      createReport([{ result: this.#soFar(), control: this.#control }], {
        id: this.id,
        startedAt: this.startedAt,
        tookMs: this.#tookMs ?? performance.now() - this.#from,
        arguments: [],
        version: this.#facts.version,
        url: target?.url ?? this.#facts.own.url,
        prefix,
      }),
    )
  }

  #soFar(): DemoResult {
    const { demo, title } = this.request.demo
    return (
      this.#result ?? {
        demo,
        title,
        verdict: 'not-judged',
        reason: this.error ?? (this.isOver ? 'stopped' : 'the run is not over'),
        mark: null,
        steps: this.#run?.steps ?? [],
        isReached: true,
      }
    )
  }

  #summary(): { verdict: string; reason: string | null; control: ControlResult | null } {
    const { verdict, reason } = this.#soFar()
    return this.#masked({ verdict, reason, control: this.#control })
  }

  #masked<T>(value: T): T {
    return this.#facts.client.masked(value, this.#secrets)
  }

  async #perform(): Promise<void> {
    const { client, conversations, agentsFolder, grpcDefinitions, own, credential, bounds } = this.#facts
    const { demo, values, target, fields, isStepwise, isYes, stopAtFirst, fromStep } = this.request
    const control = new ControlClient(client, own, credential)
    const direct = directTarget(control, fields)
    const input: RunInput = {
      demo,
      values,
      context: {
        client,
        conversations: () => Promise.resolve(conversations),
        agentsFolder,
        grpcDefinitions,
        control,
        laneControls: await this.#laneControls(),
        target: target === null ? direct : await this.#targetAt(target),
        bounds,
        signal: this.#stopping.signal,
        tapPath: this.request.isTapped ? this.#facts.taps!.path : undefined,
      },
      // In a stepwise run, `next` says that it is done.
      ask: () => Promise.resolve(isYes || isStepwise),
      stopAtFirst,
      fromStep,
      events: this.#events(),
    }
    this.#result = await this.#runOnce(input, this.id)
    this.#emit('verdict', this.#summary())
    if (!this.request.control || target === null || this.#stopping.signal.aborted) return
    const compared = await this.#runOnce({
      ...input,
      context: { ...input.context, target: direct },
      ask: () => Promise.resolve(true),
      events: {},
    })
    this.#control = controlOf(compared, demo.control)
    this.#emit('verdict', this.#summary())
  }

  async #runOnce(input: RunInput, id?: string): Promise<DemoResult> {
    const run = new DemoRun(input, id)
    if (id !== undefined) this.#run = run
    const result = await run.run()
    this.#secrets.push(...run.secrets)
    return result
  }

  async #laneControls(): Promise<Record<string, ControlClient>> {
    const { client, credential } = this.#facts
    const controls: Record<string, ControlClient> = {}
    for (const [name, address] of Object.entries(this.request.lanes))
      controls[name] = new ControlClient(client, await this.#resolved(address), credential)
    return controls
  }

  async #targetAt(address: ClientAddress): Promise<Target> {
    const { host, fields, prefix, routes, isInsecure } = this.request
    const trust = { ca: null, insecure: isInsecure, name: host?.replace(/:\d+$/, '') ?? null }
    return { address: await this.#resolved(address), isDirect: false, trust, host, fields, prefix, routes }
  }

  async #resolved(address: ClientAddress): Promise<ClientAddress> {
    try {
      return await this.#facts.client.resolve(address)
    } catch (error) {
      throw new Error(`cannot reach ${address.url}: ${(error as NodeJS.ErrnoException).code ?? 'unknown name'}`)
    }
  }

  /** The gateway as a client of the run reaches it through svc, with the marks of the run. */
  #onReady(context: RunContext): void {
    const { target, id } = context
    if (!this.request.isTapped || target.isDirect) return
    const { protocol, host } = new URL(target.address.url)
    this.#tap = this.#facts.taps!.open(id, {
      url: new URL(`${protocol}//${target.host ?? host}${targetOf(context, '')}`),
      address: target.address.ip,
      setHeaders: markFields(context, { isOfClient: true }),
    })
  }

  /** What clients sent through the tap, and what arrived of it. */
  async exchanges(): Promise<SeenExchange[]> {
    const { client, own, credential, conversations, taps } = this.#facts
    if (taps === null) return []
    const control = new ControlClient(client, own, credential)
    const sources = { control, id: this.id, lanes: this.request.demo.lanes, conversations, tapPath: taps.path }
    return this.#masked(await exchangesOf(sources))
  }

  #events(): RunEvents {
    return {
      onReady: context => this.#onReady(context),
      onStep: step => this.#onStep(step),
      onBegin: () => this.#tally?.sent(),
      onSent: ({ number }, { status, error, ms, method, target, traffic, variant, tokens }) => {
        const shown = { method, uri: target.slice(0, MAX_URI), traffic, variant, tokens }
        const data = { step: number, status, error, ms: Math.round(ms), ...shown }
        this.#tally?.add('response', { status, error }, data)
      },
      onArrival: ({ number }, arrival) =>
        this.#tally?.add('arrival', arrival, { step: number, ...arrival, uri: arrival.uri.slice(0, MAX_URI) }),
      onResult: ({ number }, result) => this.#emit('result', { step: number, ...result }),
      onStepEnd: ({ number, verdict, sent, arrived, tookMs }) => {
        this.#tally?.end()
        this.#emit('verdict', { step: number, verdict, sent, arrived, took_ms: tookMs })
      },
    }
  }

  async #onStep({ number, id, title, say, look, ask, chart }: Step): Promise<void> {
    this.step = number
    this.#tally = new StepTally((event, data) => {
      if (++this.#trafficEvents <= MAX_TRAFFIC_EVENTS) this.#emit(event, { step: number, ...data })
    })
    const shown = { number, id, title, say, look, ask: ask?.text ?? null, chart }
    if (this.request.isStepwise) {
      this.#emit('step', { ...shown, state: 'waiting' })
      await this.#wait()
    }
    if (!this.#stopping.signal.aborted) this.#emit('step', { ...shown, state: 'running' })
  }

  async #wait(): Promise<void> {
    if (this.#stopping.signal.aborted) return
    this.#stopLimit()
    this.state = 'waiting'
    const waiting = new AbortController()
    const resumed = new Promise<boolean>(resolve => {
      this.#resume = () => resolve(false)
    })
    const isOverdue = await Promise.race([resumed, sleep(MAX_WAIT_MS, { signal: waiting.signal, isBackground: true })])
    waiting.abort()
    this.#resume = null
    this.state = 'running'
    if (isOverdue) this.stop('no next for 15 minutes')
    else this.#startLimit()
  }

  /** Time in which the run waits for the person does not count. */
  #startLimit(): void {
    this.#limitedAtMs = performance.now()
    this.#limit = setTimeout(() => {
      this.stop(`a run takes at most ${this.#facts.bounds.runMs / 60_000} minutes`)
    }, this.#leftMs).unref()
  }

  #stopLimit(): void {
    clearTimeout(this.#limit)
    if (this.#limit !== undefined) this.#leftMs -= performance.now() - this.#limitedAtMs
    this.#limit = undefined
  }

  #emit(event: RunEvent['event'], data: unknown): void {
    this.events.push({ id: this.events.length + 1, event, data: this.#masked(data) })
    for (const listener of this.#listeners) listener()
  }
}
