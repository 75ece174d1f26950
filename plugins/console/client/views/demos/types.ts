/** Demos and runs as the routes below `/_svc/demos` show them. */
export type Verdict = 'seen' | 'not-seen' | 'not-judged'
export type Variable = string | number | boolean
export type RunState = 'running' | 'waiting' | 'complete' | 'stopped' | 'failed'

export interface DemoSummary {
  demo: string
  title: string
  area: string
  shows: string
  feature: string
  minutes: number
  gateways: string[]
  lanes: string[]
  variables: Record<string, Variable>
  available: boolean
  reason: string | null
  source: string
}

export interface GatewayFiles {
  snippet: string | null
  compose: string | null
  note: string | null
}

export interface StepText {
  title: string
  say?: string
  look?: string
  ask?: string | { text: string }
  chart?: string
}

export interface WholeDemo extends Omit<DemoSummary, 'gateways'> {
  gateways: Record<string, GatewayFiles>
  presenter: string
  learn: string[]
  control: 'seen' | 'not-seen'
  steps: StepText[]
}

export interface ExpectationResult {
  kind: string
  verdict: Verdict
  expected: string
  got: string
  why: string | null
  soft: boolean
  entries: string[]
}

export interface SeenSide {
  id: string
  method: string
  uri: string
  status: number
  bytes: number
}

export interface SeenArrival extends SeenSide {
  body: 'same' | 'changed'
  headers: { name: string; kind: string; sent?: string; arrived?: string }[]
  conversation: {
    client: string
    upstream: string
    differences: { at: string; kind: string; sent?: unknown; arrived?: unknown; why?: string }[]
  } | null
}

/** What a client sent, and what arrived of it. */
export interface SeenExchange {
  sent: SeenSide
  arrived: SeenArrival[]
}

export interface Progress {
  id: string
  url: string
  session: string
  demo: string
  target: string
  state: RunState
  error: string | null
  step: number | null
  steps: number
  started_at: string
}

export const VERDICT_WORDS: Record<Verdict, string> = {
  seen: 'Seen',
  'not-seen': 'Not seen',
  'not-judged': 'Not judged',
}
