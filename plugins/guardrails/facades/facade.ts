/** What the APIs of the vendors share: a guard is asked about texts, and its answer allows, redacts or blocks them. */
import type { Json, JsonObject, OutputBudget, RouteDescription, StepBudget } from 'svc/plugin'
import type { Findings } from '../findings.ts'

export type GuardDecision = 'allow' | 'redact' | 'block'

export interface GuardCall {
  /** The members of the body; of a body that may be missing: none. */
  body: JsonObject
  /** Parameters of the path, and of the query. */
  parameter(name: string): string | undefined
  header(name: string): string | undefined
  /** Looks at texts; other requests run in between. */
  examine(texts: readonly string[]): Promise<Findings[]>
  /** Whatever an answer repeats is taken from it first. */
  output: OutputBudget
  /** What is read several times is taken from it. */
  steps: StepBudget
}

export interface GuardAnswer {
  body: Json
  decision: GuardDecision
  reason: string | null
}

export interface GuardRoute {
  /** Default: POST. */
  method?: 'GET'
  /** Below the mount of the façade; empty: the mount itself, also with a slash behind it. */
  path: string
  summary: string
  /** The path of the example; default: that of the route. */
  examplePath?: string
  example?: { name: string; headers?: Readonly<Record<string, string>>; body: Json }
  reply: NonNullable<RouteDescription['reply']>
  errors?: RouteDescription['responses']
  parameters?: RouteDescription['parameters']
  /** A POST is a call of the service. Throws a `GuardProblem`. */
  answer(call: GuardCall): GuardAnswer | Promise<GuardAnswer>
}

export interface GuardFacade {
  /** As in the path and in `guardrails.hosts`. */
  name: string
  /** For summaries. */
  title: string
  /** Default: `application/json`. */
  type?: string
  /** The body of an error; `kind` is the vendor's name of it, for those that have one. */
  error(status: number, message: string, kind?: string): Json
  routes: readonly GuardRoute[]
}

/** A request that the vendor's API refuses; `GuardFacade.error` is its body. */
export class GuardProblem extends Error {
  readonly status: number
  /** The vendor's name of the error, for those that have one. */
  readonly kind: string | undefined

  constructor(message: string, { status = 400, kind }: { status?: number; kind?: string } = {}) {
    super(message)
    this.status = status
    this.kind = kind
  }
}
