/** One run of a demo against one gateway, or straight to svc. */
import { randomBytes } from 'node:crypto'
import type { Json } from 'svc/plugin'
import { InputProblem, isRecord, sleep } from 'svc/toolkit'
import type { Demo, Step, Variable, Verdict } from '../file/demo.ts'
import { readRoute } from '../file/read-demo.ts'
import { readStep } from '../file/read-step.ts'
import { replaceReferences, scopeOf } from '../file/references.ts'
import { ArrivalFeed, type SeenArrival } from './arrival-feed.ts'
import { trusting } from './certificates.ts'
import { BoundError } from './bound-error.ts'
import { arrivedOnly, laneSession, marksOf, sessionsOf, type Mark, type RunContext } from './context.ts'
import { UpstreamError } from './control.ts'
import { judge, judgeAll } from './expect/judge.ts'
import { ledgerOf } from './expect/others.ts'
import type { ExpectationResult, StepEvidence } from './expect/result.ts'
import { Resources } from './resources.ts'
import { checkRoute } from './route-check.ts'
import { checkBounds, sendAll } from './sender.ts'
import type { SentRequest } from './sent.ts'

export interface StepResult {
  number: number
  id: string
  title: string
  verdict: Verdict
  sent: number
  arrived: number
  tookMs: number
  results: ExpectationResult[]
}

export interface DemoResult {
  demo: string
  title: string
  verdict: Verdict
  /** Of what is not seen, or why it is not judged. */
  reason: string | null
  mark: Mark | null
  steps: StepResult[]
  /** False: the gateway or the upstream does not answer. */
  isReached: boolean
}

export interface RunEvents {
  /** The gateway forwards; its mark is known. */
  onReady?(context: RunContext): void
  /** A step begins. Resolves when it may. */
  onStep?(step: Step): void | Promise<void>
  /** A request, or a conversation, begins. */
  onBegin?(step: Step): void
  onSent?(step: Step, sent: SentRequest, count: number): void
  onArrival?(step: Step, arrival: SeenArrival): void
  onResult?(step: Step, result: ExpectationResult): void
  onStepEnd?(result: StepResult): void
}

export interface RunInput {
  demo: Demo
  values: Readonly<Record<string, Variable>>
  /** Without a mark. */
  context: Omit<RunContext, 'id' | 'mark' | 'jar' | 'certificates' | 'lanes' | 'load' | 'grpcServices'>
  /** Asks the person for something, and resolves with whether it was done. */
  ask(text: string): Promise<boolean>
  stopAtFirst: boolean
  /** Number of the first step. */
  fromStep: number
  events: RunEvents
}

const ID_LETTERS = 'abcdefghijklmnopqrstuvwxyz234567'

/** Id of a run: 16 characters, which are the name of its session. */
export function createRunId(): string {
  return [...randomBytes(16)].map(byte => ID_LETTERS[byte & 31]).join('')
}

export class DemoRun {
  readonly id: string
  readonly #input: RunInput
  readonly #context: RunContext
  readonly #resources: Resources
  readonly #known: Record<string, Json>
  readonly steps: StepResult[] = []
  /** Tokens that no report shows. */
  readonly secrets: string[] = []

  constructor(input: RunInput, id = createRunId()) {
    this.id = id
    this.#input = input
    this.#context = {
      ...input.context,
      id,
      mark: null,
      load: null,
      jar: new Map(),
      certificates: new Map(),
      grpcServices: new Map(),
      lanes: input.demo.lanes,
    }
    this.#resources = new Resources(this.#context)
    this.#known = {
      run: id,
      session: id,
      ...input.values,
      ...Object.fromEntries(input.demo.lanes.map(lane => [`lane.${lane}`, `/s/${laneSession(lane)}`])),
    }
  }

  /** Never rejects because of the gateway, or of what the demo says. */
  async run(): Promise<DemoResult> {
    const { demo } = this.#input
    const load = this.#context.client.watchLoad()
    this.#context.load = load
    try {
      const reason = await this.#prepare()
      if (reason !== null) return this.#result('not-judged', reason)
      this.#input.events.onReady?.(this.#context)
      for (const given of demo.steps.slice(this.#input.fromStep - 1)) {
        const number = demo.steps.indexOf(given) + 1
        if (this.#context.signal.aborted) return this.#result('not-judged', 'stopped')
        const step = readStep(this.#replaced(given, `steps[${number - 1}]`), `steps[${number - 1}]`, number, demo.lanes)
        const refusal = await this.#step(step)
        if (refusal !== null) return this.#result('not-judged', refusal)
        if (this.#input.stopAtFirst && this.steps.at(-1)!.verdict === 'not-seen') break
      }
      if (this.#context.signal.aborted) return this.#result('not-judged', 'stopped')
      return this.#verdict()
    } catch (error) {
      if (error instanceof UpstreamError) return this.#result('not-judged', error.message, this.#context.mark !== null)
      if (error instanceof InputProblem) return this.#result('not-judged', `${error.at}: ${error.message}`)
      if (error instanceof BoundError) return this.#result('not-judged', `expected ${error.message}`)
      throw error
    } finally {
      load.stop()
      await this.#resources.close()
    }
  }

  /** Settings, tokens, mocks and the route. A reason if the demo can't be judged. */
  async #prepare(): Promise<string | null> {
    const { demo } = this.#input
    const unmet = await this.#unmet()
    if (unmet !== null) return unmet
    await this.#resources.open()
    const orders = this.#replaced(demo.tokens as unknown as Json, 'tokens') as Demo['tokens']
    for (const [name, token] of Object.entries(await this.#resources.tokens(orders))) {
      this.#known[`token.${name}`] = token
      this.secrets.push(token)
    }
    await this.#resources.deploy(demo.mocks)
    this.#context.target = await trusting(this.#context)
    const route = readRoute(this.#replaced(demo.rawRoute, 'route'))
    const checked = await checkRoute(this.#context, demo, route)
    if ('mark' in checked) return null
    this.#isReached = checked.isReached
    return checked.reason
  }

  #isReached = true

  /** Plugins and settings of the upstream that the demo needs. */
  async #unmet(): Promise<string | null> {
    const { needs, settings } = this.#input.demo
    const { control } = this.#context
    if (needs.length > 0) {
      const { body } = await control.ask('GET', '/_svc/plugins')
      const plugins =
        isRecord(body) && Array.isArray(body.plugins) ? (body.plugins as { name: string; state: string }[]) : []
      const off = needs.find(name => !plugins.some(plugin => plugin.name === name && plugin.state === 'enabled'))
      if (off !== undefined) return `plugin ${off} is off`
    }
    if (Object.keys(settings).length === 0) return null
    const { body } = await control.ask('GET', '/_svc/config')
    const values = isRecord(body) ? body : {}
    const wrong = Object.entries(settings).find(([name, value]) => valueOf(values, name) !== value)
    return wrong === undefined ? null : `the upstream needs ${wrong[0]}=${wrong[1]}`
  }

  /** What the person or the upstream refused; null if the step was done. */
  async #step(step: Step): Promise<string | null> {
    const { events } = this.#input
    const { client } = this.#context
    // What a person does is done while the step waits for them.
    const marks = step.ask === null ? null : await this.#marks()
    await events.onStep?.(step)
    if (this.#context.signal.aborted) return 'stopped'
    const from = performance.now()
    await this.#resources.putRules(step.rules, step.id)
    await this.#resources.removeRules(step.remove)
    if (step.identity !== null) await this.#resources.identity(step.identity)
    if (step.ask !== null && !(await this.#input.ask(step.ask.text)) && !step.ask.optional)
      return `step ${step.number} asks for something: ${step.ask.text}`
    if (step.wait !== null && 'forMs' in step.wait) await sleep(step.wait.forMs, { signal: this.#context.signal })
    checkBounds(step.send, this.#context)
    const needsLedger = step.expect.some(({ test }) => test.kind === 'tokens' || test.kind === 'cost')
    const evidence: Omit<StepEvidence, 'sent' | 'startedAtMs'> = {
      context: this.#context,
      marks: marks ?? (await this.#marks()),
      ledgerBefore: needsLedger ? await ledgerOf(this.#context) : null,
      capture: (name, value) => {
        this.#known[`${step.id}.${name}`] = value
      },
    }
    let count = 0
    const timers = step.during.map(({ atMs, rules, remove }) => ({ atMs, rules, remove }))
    const ending = new AbortController()
    const meanwhile = Promise.all(
      timers.map(async ({ atMs, rules, remove }) => {
        if (!(await sleep(atMs, { signal: ending.signal }))) return
        await this.#resources.putRules(rules, step.id)
        await this.#resources.removeRules(remove)
      }),
    )
    const { onArrival } = events
    const feed =
      onArrival === undefined
        ? null
        : new ArrivalFeed(this.#context, evidence.marks, arrival => onArrival.call(events, step, arrival))
    let results: ExpectationResult[]
    let complete: StepEvidence
    try {
      const startedAtMs = client.clock()
      const sent = await sendAll(step.send, this.#context, {
        onBegin: () => events.onBegin?.(step),
        onSent: one => events.onSent?.(step, one, ++count),
      })
      ending.abort()
      await meanwhile
      complete = { ...evidence, sent, startedAtMs }
      if (step.wait !== null && 'until' in step.wait) await this.#waitUntil(step.wait, complete, step)
      const due = step.expect.filter(({ when }) => when.every(([name, value]) => this.#known[name] === value))
      results = await judgeAll(due, complete, step.send)
      for (const result of results) events.onResult?.(step, result)
    } finally {
      ending.abort()
      await feed?.stop()
    }
    const result: StepResult = {
      number: step.number,
      id: step.id,
      title: step.title,
      verdict: verdictOf(results),
      sent: complete.sent.length,
      arrived: await this.#arrived(complete),
      tookMs: Math.round(performance.now() - from),
      results,
    }
    this.steps.push(result)
    events.onStepEnd?.(result)
    return null
  }

  async #waitUntil(
    { until, timeoutMs }: Extract<Step['wait'], { until: unknown }>,
    evidence: StepEvidence,
    step: Step,
  ): Promise<void> {
    const end = performance.now() + timeoutMs
    while (performance.now() < end && !this.#context.signal.aborted) {
      const { verdict } = await judge(until, evidence, step.send)
      if (verdict !== 'not-seen') return
      await sleep(200, { signal: this.#context.signal })
    }
  }

  /** The newest record of the session, and of those of the lanes. */
  async #marks(): Promise<ReadonlyMap<string, string | null>> {
    const marks = new Map<string, string | null>()
    for (const lane of [null, ...this.#context.lanes]) {
      const { control, session } = sessionsOf(this.#context, lane)
      const { requests } = await control.get('GET', `/_svc/requests?session=${session}&limit=1`)
      const [newest] = Array.isArray(requests) ? (requests as { id: string }[]) : []
      marks.set(session, newest?.id ?? null)
    }
    return marks
  }

  /** Records of the run since the step began, those of lanes included. */
  async #arrived({ marks, sent }: StepEvidence): Promise<number> {
    if (sent.length === 0) return 0
    let count = 0
    for (const [session, since] of marks) {
      const lane = this.#context.lanes.find(one => laneSession(one) === session) ?? null
      const { control } = sessionsOf(this.#context, lane)
      const { body } = await control.ask('POST', `/_svc/verify?session=${session}`, {
        match: lane === null ? arrivedOnly({}, this.#context) : marksOf(this.#context),
        at_least: 0,
        ...(since === null ? {} : { since }),
      })
      if (isRecord(body) && typeof body.count === 'number') count += body.count
    }
    return count
  }

  #replaced(value: Json, at: string): Json {
    return replaceReferences(value, at, scopeOf(this.#known)).value
  }

  #verdict(): DemoResult {
    const judged = this.steps.filter(({ results }) => results.some(({ soft }) => !soft))
    for (const step of judged) {
      const failed = step.results.find(({ verdict, soft }) => verdict !== 'seen' && !soft)
      if (step.verdict === 'not-seen' && failed !== undefined)
        return this.#result(
          'not-seen',
          `step ${step.number}, ${step.title}: expected ${failed.expected}; got ${failed.got}`,
        )
    }
    const unclear = judged.find(({ verdict }) => verdict === 'not-judged')
    if (unclear !== undefined) {
      const failed = unclear.results.find(({ verdict }) => verdict === 'not-judged')!
      return this.#result('not-judged', `step ${unclear.number}, ${unclear.title}: ${failed.got}`)
    }
    return judged.length === 0 ? this.#result('not-judged', 'no step expects anything') : this.#result('seen', null)
  }

  #result(verdict: Verdict, reason: string | null, isReached = this.#isReached): DemoResult {
    const { demo, title } = this.#input.demo
    return { demo, title, verdict, reason, mark: this.#context.mark, steps: this.steps, isReached }
  }
}

function verdictOf(results: readonly ExpectationResult[]): Verdict {
  const hard = results.filter(({ soft }) => !soft)
  if (hard.some(({ verdict }) => verdict === 'not-seen')) return 'not-seen'
  return hard.some(({ verdict }) => verdict === 'not-judged') ? 'not-judged' : 'seen'
}

/** The value of a variable in `GET /_svc/config`, as text. */
function valueOf(config: Record<string, unknown>, name: string): string | undefined {
  const value = config[name.replace(/^SVC_/, '').toLowerCase()]
  return value === undefined || value === null ? undefined : String(value)
}
